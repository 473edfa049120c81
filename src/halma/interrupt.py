"""Ctrl-C while the core works."""

from __future__ import annotations

import threading
from collections.abc import Callable
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
