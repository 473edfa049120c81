"""Games on several cores: processes that play, and one that collects in order."""

from __future__ import annotations

import itertools
import multiprocessing
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NoReturn

from halma.arena.plan import Plan
from halma.arena.table import Played, Table
from halma.errors import HalmaError, WorkerError
from halma.interrupt import start_ignoring_sigint

#: the number of a plan and the number of a game in it
Task = tuple[int, int]
#: the number of a plan and a game of it
Results = Generator[tuple[int, Played], None, None]

#: tasks a worker has at hand, so that it need not wait for the next one
_AT_HAND = 2
#: how many games per worker may be finished ahead of one that is still being played
_AHEAD = 16


def play_all(plans: Sequence[Plan], tasks: Iterable[Task], workers: int) -> Results:
    """Play tasks and yield their games in the order of the tasks.

    One worker is this process itself. Closing the generator early ends the others.
    """
    if workers > 1:
        return _play_apart(plans, tasks, workers)
    return _play_here(plans, tasks)


def _play_here(plans: Sequence[Plan], tasks: Iterable[Task]) -> Results:
    tables: dict[int, Table] = {}
    for task in tasks:
        yield task[0], _play(tables, plans, task)


def _play(tables: dict[int, Table], plans: Sequence[Plan], task: Task) -> Played:
    index, number = task
    if index not in tables:
        tables[index] = Table(plans[index])
    return tables[index].play(number)


def _play_apart(plans: Sequence[Plan], tasks: Iterable[Task], workers: int) -> Results:
    crew: dict[Connection, _Worker] = {}
    try:
        coming = iter(tasks)
        given = 0
        finished: dict[int, tuple[int, Played]] = {}  # by place in the order of tasks
        for place in itertools.count():
            while place not in finished:
                while given < place + _AHEAD * workers:
                    idlest = min(crew.values(), key=lambda w: len(w.tasks), default=None)
                    full = len(crew) == workers and idlest and len(idlest.tasks) == _AT_HAND
                    if full or (task := next(coming, None)) is None:
                        break
                    # A process is started only when there is something for it to do.
                    if idlest is None or (idlest.tasks and len(crew) < workers):
                        idlest = _Worker(plans)
                        crew[idlest.pipe] = idlest
                    idlest.give(given, task)
                    given += 1
                busy = [pipe for pipe, worker in crew.items() if worker.tasks]
                if not busy:
                    return
                for pipe in wait(busy):
                    assert isinstance(pipe, Connection)
                    done, game = crew[pipe].take()
                    finished[done] = game
            yield finished.pop(place)
    finally:
        for worker in crew.values():
            worker.end()


class _Worker:
    """This side of a process that plays."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, far = context.Pipe()
        self.tasks: deque[tuple[int, Task]] = deque()
        self.process: BaseProcess = context.Process(
            target=_work, args=(far, tuple(plans)), daemon=True
        )
        # They are ended from here.
        start_ignoring_sigint(self.process)
        far.close()

    def give(self, place: int, task: Task) -> None:
        """Hand over a task; a worker does them in order."""
        self.tasks.append((place, task))
        try:
            self.pipe.send(task)
        except OSError:
            self._lament()

    def take(self) -> tuple[int, tuple[int, Played]]:
        """Return the place of the oldest task, its plan and its game, once it is played."""
        try:
            answer: Played | HalmaError = self.pipe.recv()
        except (EOFError, OSError):
            self._lament()
        if isinstance(answer, HalmaError):
            raise answer
        place, (index, _) = self.tasks.popleft()
        return place, (index, answer)

    def _lament(self) -> NoReturn:
        self.process.join(1)
        raise WorkerError(
            f"A process that was playing ended with status {self.process.exitcode}; "
            "finished games are not lost."
        )

    def end(self) -> None:
        """Stop the process, whatever it is doing."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()


def _work(pipe: Connection, plans: Sequence[Plan]) -> None:
    """Play what is asked for until nobody asks any more, even if they were killed."""
    tables: dict[int, Table] = {}
    answer: Played | HalmaError
    # A pipe whose other end has gone raises one of these.
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            task = pipe.recv()
            try:
                answer = _play(tables, plans, task)
            except HalmaError as error:
                answer = error
            pipe.send(answer)
