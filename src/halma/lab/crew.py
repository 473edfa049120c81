"""Many pieces of work on all cores: one process a core, progress, and a clean end.

A piece of work is a function of a module and its arguments, both of which travel to another
process. It gets a `tell` besides, to say how far it is. Work that fails is told of and does
not stop the rest; Ctrl-C is passed on to the workers, so that they can save.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from halma.errors import HalmaError
from halma.interrupt import start_ignoring_sigint

#: How far a piece of work is, 0 to 1.
Tell = Callable[[float], None]

#: Workers that were asked to stop are given so many seconds to save.
_PATIENCE = 60.0


@dataclass(frozen=True)
class Task:
    """A piece of work: `work(*arguments, tell)`."""

    name: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    #: about how long it takes, in any unit that is the same for all
    cost: float
    #: the part that was done before
    done: float = 0.0


@dataclass(frozen=True)
class Ended:
    """What came of a task: an answer, or a sentence about what went wrong."""

    answer: Any = None
    fault: str | None = None


class Watcher(Protocol):
    """Someone who wants to know how things go."""

    def moved(self, task: Task, part: float) -> None:
        """So much of a task is done."""

    def ended(self, task: Task, ended: Ended) -> None:
        """A task is over."""

    def stopping(self) -> None:
        """A person asked to stop; workers are saving."""


def work_all(tasks: Iterable[Task], workers: int, watcher: Watcher) -> dict[str, Ended]:
    """Work on tasks in their order, on so many processes; return what came of each by its name.

    Ctrl-C ends in `KeyboardInterrupt` once all workers have saved; asked again, at once.
    """
    waiting = list(tasks)[::-1]
    ended: dict[str, Ended] = {}
    crew: dict[Connection, _Worker] = {}
    try:
        while waiting or any(worker.task for worker in crew.values()):
            for worker in [worker for worker in crew.values() if worker.task is None]:
                if waiting:
                    worker.give(waiting.pop())
            while waiting and len(crew) < workers:
                worker = _Worker()
                crew[worker.pipe] = worker
                worker.give(waiting.pop())
            for pipe in wait([pipe for pipe, worker in crew.items() if worker.task]):
                assert isinstance(pipe, Connection)
                worker = crew[pipe]
                task = worker.task
                assert task is not None
                said = worker.hear()
                if isinstance(said, float):
                    watcher.moved(task, said)
                    continue
                ended[task.name] = said
                worker.task = None
                watcher.ended(task, said)
                if not worker.process.is_alive():
                    crew.pop(pipe).end()
    except KeyboardInterrupt:
        watcher.stopping()
        for worker in crew.values():
            worker.interrupt()
        until = time.monotonic() + _PATIENCE
        for worker in crew.values():
            worker.process.join(max(0.0, until - time.monotonic()))
        raise
    finally:
        for worker in crew.values():
            worker.end()
    return ended


class _Worker:
    """This side of a process that works."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, far = context.Pipe()
        self.task: Task | None = None
        self.process: BaseProcess = context.Process(target=_work, args=(far,), daemon=True)
        # They wait to be asked to stop from here.
        start_ignoring_sigint(self.process)
        far.close()

    def give(self, task: Task) -> None:
        """Hand over a task."""
        self.task = task
        with suppress(OSError):  # a dead worker is found when it is listened to
            self.pipe.send((task.work, task.arguments))

    def hear(self) -> float | Ended:
        """Return how far the task is, or what came of it."""
        try:
            said: float | Ended = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(10)
            status = self.process.exitcode
            return Ended(fault=f"The process ended with status {status}.")
        return said

    def interrupt(self) -> None:
        """Ask the process to save and leave."""
        if self.process.is_alive() and self.process.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGINT)

    def end(self) -> None:
        """Stop the process, whatever it is doing."""
        self.pipe.close()
        if self.process.is_alive():
            self.process.terminate()
        self.process.join()


def _work(pipe: Connection) -> None:
    """Work on what is asked for until nobody asks any more."""
    # A group of its own: the terminal's Ctrl-C is for the process that asks.
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        while True:
            work, arguments = pipe.recv()
            try:
                ended = Ended(answer=work(*arguments, pipe.send))
            except HalmaError as error:
                ended = Ended(fault=str(error))
            except Exception as error:
                ended = Ended(fault=f"{type(error).__name__}: {error}")
            pipe.send(ended)


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


class Progress:
    """One bar for everything, with the time left by the work left; lines without a terminal."""

    def __init__(self, tasks: Sequence[Task], noun: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        self._noun = noun
        self._number = len(tasks)
        self._finished = 0
        self._total = sum(task.cost for task in tasks) or 1.0
        self._parts = {task.name: task.done for task in tasks}
        self._costs = {task.name: task.cost for task in tasks}
        self._at_first = self._done
        self._began = self._said_at = time.monotonic()
        self._console = Console(file=sys.stderr, highlight=False)
        self._bars: Bars | None = None
        if self._console.is_terminal:
            self._bars = Bars(
                TextColumn("{task.description}"), BarColumn(), console=self._console, transient=True
            )
            self._bar = self._bars.add_task("", total=self._total)
            self._show()
            self._bars.start()

    @property
    def _done(self) -> float:
        return sum(self._costs[name] * part for name, part in self._parts.items())

    def moved(self, task: Task, part: float) -> None:
        """Show how far a task is."""
        self._parts[task.name] = max(part, self._parts[task.name])
        self._show()

    def ended(self, task: Task, ended: Ended) -> None:
        """Count a task; tell a failure at once."""
        self._parts[task.name] = 1.0
        self._finished += 1
        if ended.fault is not None:
            self._print(f"{task.name} failed: {ended.fault}")
        self._show()

    def stopping(self) -> None:
        """Say that it takes a moment."""
        self.close()
        self._print("Stopping; what is under way is being saved.")

    def close(self) -> None:
        """Leave the terminal as it was found."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def _line(self) -> str:
        done = self._done
        text = f"{self._finished} of {self._number} {self._noun}, {done / self._total:.0%}"
        here, took = done - self._at_first, time.monotonic() - self._began
        if here > 0.01 * self._total or (here > 0 and took > 20):
            left = round((self._total - done) / here * took)
            text += f", {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        return text

    def _show(self) -> None:
        if self._bars is not None:
            self._bars.update(self._bar, completed=self._done, description=self._line())
        elif time.monotonic() - self._said_at > _LINE_SECONDS or self._finished == self._number:
            self._said_at = time.monotonic()
            self._print(self._line())


#: Where there is no terminal, a line is printed so often at most.
_LINE_SECONDS = 10.0
