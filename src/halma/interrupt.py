"""Ctrl-C while the core works."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


def interruptible(work: Callable[[], T]) -> T:
    """Work in a thread: the core does not hear Ctrl-C, but the waiting main thread does."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join()
    if failed:
        raise failed[0]
    return done[0]


@contextmanager
def asked_to_stop(stop: Callable[[], None]) -> Iterator[threading.Event]:
    """Hear Ctrl-C without being torn from what is in hand: `stop` is called, the event is set.

    Asked a second time, it breaks in at once. Other threads than the main one never hear
    Ctrl-C, and a process that was told to ignore it goes on ignoring it.
    """
    asked = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is signal.SIG_IGN:
        yield asked
        return

    def hear(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        stop()

    signal.signal(signal.SIGINT, hear)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
