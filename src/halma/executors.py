"""Where tasks run: in this process, in processes of this machine, or on a cluster.

An `Executor` makes pools of one function each, which is then called with one item after the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, cast

from halma.errors import HalmaError, WorkerError, error_text
from halma.plugins import explain

T = TypeVar("T")
R = TypeVar("R")

#: Reports how much of a task is done, 0 to 1.
ReportProgress = Callable[[float], None]
#: Returns the answer to a task's question.
Answer = Callable[[Any], Any]

#: `map_ordered` starts at most this many tasks per worker ahead of the oldest unfinished one.
_LOOKAHEAD = 16
#: Tasks that a worker of `map_ordered` holds, so that it need not wait for the next one.
_QUEUED = 2


@dataclass(frozen=True)
class TaskProgress:
    """Part of a task is done."""

    #: the task's place among the items
    index: int
    #: 0 to 1
    fraction: float


@dataclass(frozen=True)
class TaskEnd(Generic[R]):
    """A task has ended, with a result or with an error."""

    index: int
    result: R | None = None
    error: HalmaError | None = None


@dataclass(frozen=True)
class TaskChannel:
    """What a task has of the process that runs the pool: `channel(0.5)` reports progress to it."""

    report: ReportProgress
    #: returns the pool's answer to a question; the task waits for it
    ask: Answer

    def __call__(self, fraction: float) -> None:
        """Report how much is done."""
        self.report(fraction)


#: What a pool runs, called with an item and a channel; a function that asks nothing is one too.
TaskFunction = Callable[[T, TaskChannel], R]


def no_answer(question: Any) -> None:
    """Answer the questions of tasks that ask none."""


class TaskPool(ABC, Generic[T, R]):
    """Runs `function(item, channel)` for many items; a context manager that ends its workers."""

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *error: object) -> None:
        """End the workers, whatever they are doing."""

    @abstractmethod
    def run(
        self,
        items: Iterable[T],
        queued: int = 1,
        lookahead: int | None = None,
        repeatable: bool = False,
    ) -> Iterator[TaskProgress | TaskEnd[R]]:
        """Run a task for every item and yield what happens, as it happens.

        A task that raises, or whose process dies, ends with an error; the others go on. A worker
        holds up to `queued` tasks. With `lookahead`, only that many tasks are started beyond the
        oldest unfinished one. Items are taken from their iterator as workers become free.
        `repeatable` tasks return the same wherever they run and change nothing else, so that one
        may run twice where its first worker is slow.
        """

    @abstractmethod
    def interrupt(self, seconds: float) -> None:
        """Raise `KeyboardInterrupt` in the workers and give them some time to save and leave."""


class Executor(ABC):
    """A place where tasks run."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many tasks run at the same time."""

    @abstractmethod
    def pool(self, function: TaskFunction[T, R], answer: Answer = no_answer) -> TaskPool[T, R]:
        """Return a pool that calls a function; it must be picklable for other processes.

        `answer` is called in this process, while it waits for events of `TaskPool.run`.
        """

    def check_shared(self, folder: Path) -> None:  # noqa: B027
        """Raise an error unless tasks see the same files in a folder as this process does."""

    def map_ordered(
        self, function: Callable[[T], R], items: Iterable[T]
    ) -> Generator[R, None, None]:
        """Yield `function(item)` for every item, in order; it may be called twice for one.

        The first error is raised here. Closing the generator early ends the workers.
        """
        finished: dict[int, R] = {}
        due = 0
        with self.pool(partial(_without_progress, function)) as pool:
            lookahead = _LOOKAHEAD * self.workers
            for event in pool.run(items, _QUEUED, lookahead, repeatable=True):
                if isinstance(event, TaskProgress):
                    continue
                if event.error is not None:
                    raise event.error
                finished[event.index] = cast(R, event.result)
                while due in finished:
                    yield finished.pop(due)
                    due += 1


class InProcess(Executor):
    """This process, one task after the other."""

    @property
    def workers(self) -> int:
        """One."""
        return 1

    def pool(self, function: TaskFunction[T, R], answer: Answer = no_answer) -> TaskPool[T, R]:
        """Return a pool without workers of its own."""
        return _InProcessPool(function, answer)

    def map_ordered(
        self, function: Callable[[T], R], items: Iterable[T]
    ) -> Generator[R, None, None]:
        """Yield `function(item)` for every item; errors are those of the function."""
        yield from map(function, items)


class _InProcessPool(TaskPool[T, R]):
    def __init__(self, function: TaskFunction[T, R], answer: Answer) -> None:
        self._function, self._answer = function, answer

    def __exit__(self, *error: object) -> None:
        """Do nothing: there are no workers."""

    def run(
        self,
        items: Iterable[T],
        queued: int = 1,
        lookahead: int | None = None,
        repeatable: bool = False,
    ) -> Iterator[TaskProgress | TaskEnd[R]]:
        """Run the tasks; progress within one is not reported."""
        channel = TaskChannel(lambda fraction: None, self._answer)
        for index, item in enumerate(items):
            yield TaskEnd(index, *attempt(self._function, item, channel))

    def interrupt(self, seconds: float) -> None:
        """Do nothing: this process is interrupted already."""


def attempt(
    function: TaskFunction[Any, R], item: Any, channel: TaskChannel
) -> tuple[R | None, HalmaError | None]:
    """Return what a task returns, or its error as a sentence, with a traceback in its notes."""
    import traceback

    try:
        return function(item, channel), None
    except HalmaError as error:
        return None, error
    except Exception as error:
        failure = WorkerError(f"{explain(error) or error_text(error)}.")
        failure.add_note(traceback.format_exc())
        return None, failure


def _without_progress(function: Callable[[T], R], item: T, report: ReportProgress) -> R:
    """Run a function that reports no progress."""
    return function(item)
