"""Tasks of a pool, of which those whose process died are run once more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from halma.errors import WorkerError
from halma.executors import TaskEnd, TaskPool, TaskProgress

T = TypeVar("T")
R = TypeVar("R")


def run_with_retry(pool: TaskPool[T, R], items: Iterable[T]) -> Iterator[TaskProgress | TaskEnd[R]]:
    """Run a task for every item and yield what happens, as the pool does.

    Runs continue from their checkpoints, so little is lost where something outside ended a
    process; one that dies again ends with its error. A task that is run again comes before new
    ones.
    """
    coming = iter(items)
    tasks: list[T] = []
    again: deque[int] = deque()
    retried: set[int] = set()

    def given() -> Iterator[T]:
        while True:
            if again:
                started.append(again.popleft())
            else:
                item = next(coming, None)
                if item is None:
                    return
                started.append(len(tasks))
                tasks.append(item)
            yield tasks[started[-1]]

    while True:
        #: the place among the items of what the pool was given
        started: list[int] = []
        for event in pool.run(given()):
            index = started[event.index]
            error = event.error if isinstance(event, TaskEnd) else None
            if isinstance(error, WorkerError) and index not in retried:
                retried.add(index)
                again.append(index)
                continue
            yield replace(event, index=index)
        if not again:
            return
