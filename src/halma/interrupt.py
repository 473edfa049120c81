"""Handling of Ctrl-C (SIGINT). Long calls of the core run signal handlers by themselves."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


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


class Interrupted(Exception):
    """Work was stopped on request before its end; it has no result."""
