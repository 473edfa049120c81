"""Handling of Ctrl-C (SIGINT). Long calls of the core run signal handlers by themselves."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

#: exit status after Ctrl-C: 128 and the number of the signal
INTERRUPTED = 130


@contextmanager
def deferred_sigint(stop: Callable[[], None]) -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a request to stop: `stop` is called and the event is set.

    The second one raises `KeyboardInterrupt`. Nothing changes in threads other than the main
    one, nor where SIGINT is ignored.
    """
    requested = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is signal.SIG_IGN:
        yield requested
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if requested.is_set():
            raise KeyboardInterrupt
        requested.set()
        stop()

    signal.signal(signal.SIGINT, handle)
    try:
        yield requested
    finally:
        signal.signal(signal.SIGINT, before)


def exit_at_sigint() -> None:
    """Let Ctrl-C end the process at once, from the first import to the last line of a command.

    Python's own handler would show a traceback of whatever is being imported. Nothing changes
    where SIGINT is ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit)


@contextmanager
def raising_sigint() -> Iterator[None]:
    """Let Ctrl-C raise `KeyboardInterrupt` again, where `exit_at_sigint` was called before."""
    if signal.getsignal(signal.SIGINT) is not _exit:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, _exit)


def _exit(number: int, frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, b"halma: Stopped.\n")
    os._exit(INTERRUPTED)


class Interrupted(Exception):
    """Work was stopped on request before its end; it has no result."""
