"""Handling of Ctrl-C (SIGINT), SIGTERM and SIGHUP. Long calls of the core run signal handlers."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

#: Requests to end: of another program, and of a terminal that is closed.
_TERMINATION = (signal.SIGTERM, signal.SIGHUP)
#: the signal that came last
_last = signal.SIGINT


def exit_at_signals() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP end the process at once, without a word of what it imports.

    Nothing changes for signals that are ignored or handled already.
    """
    for number in (signal.SIGINT, *_TERMINATION):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _exit)


@contextmanager
def raising_signals() -> Iterator[None]:
    """Let those signals raise `KeyboardInterrupt`, where `exit_at_signals` was called before."""
    handled = [n for n in (signal.SIGINT, *_TERMINATION) if signal.getsignal(n) is _exit]
    for number in handled:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, _exit)


def exit_status() -> int:
    """Return the exit status after `KeyboardInterrupt`: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + _last


def _exit(number: int, frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, b"halma: Stopped.\n")
    os._exit(128 + number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _last
    _last = signal.Signals(number)
    raise KeyboardInterrupt


@contextmanager
def deferred_sigint(stop: Callable[[], None]) -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a request to stop: `stop` is called and the event is set.

    The second one raises `KeyboardInterrupt`. Nothing changes in threads other than the main
    one, nor for signals that are ignored. Within `raising_signals`, SIGTERM and
    SIGHUP are requests to stop too.
    """
    requested = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if requested.is_set():
            _interrupt(number, frame)
        global _last
        _last = signal.Signals(number)
        requested.set()
        stop()

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *_TERMINATION)}
    handled = [number for number in _TERMINATION if before[number] is _interrupt]
    if before[signal.SIGINT] is not signal.SIG_IGN:
        handled.append(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread():
        handled = []
    for number in handled:
        signal.signal(number, handle)
    try:
        yield requested
    finally:
        for number in handled:
            signal.signal(number, before[number])


class Interrupted(Exception):
    """Work was stopped on request before its end; it has no result."""
