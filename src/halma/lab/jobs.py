"""Jobs on all cores: training runs, tunings, blocks of games, with progress and a clean stop."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, cast

from halma.agents import Agent, agent, play_game
from halma.errors import printable
from halma.executors import Executor, ReportProgress, TaskProgress
from halma.games import Record, game
from halma.processes import Processes
from halma.structure import Check, list_of

#: Seconds that jobs have to save what they did after Ctrl-C.
_SAVE_SECONDS = 60.0
#: Seconds between lines of progress where there is no terminal.
_LINE_SECONDS = 10.0
#: Games of a block, unless it says otherwise.
BLOCK = 20

_agent: Callable[[str], Agent] = lru_cache(maxsize=4)(agent)


@dataclass(frozen=True)
class Job:
    """A call for a worker process: `function(*arguments, report)`."""

    #: comma-separated parts, such as "ewn-3x3-3,seed=3"
    name: str
    #: a function of a module; `report` takes the fraction that is done
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    #: about how long the whole job takes, in any unit that all jobs share
    cost: float = 1.0
    #: the fraction that earlier calls have done
    done: float = 0.0


def run_jobs(
    jobs: Iterable[Job], workers: int | Executor, keep: Callable[[str, Any, float], None]
) -> dict[str, str]:
    """Run jobs, the most expensive first; return the errors of those that failed, by name.

    `keep` gets the name, the result and the seconds of every job as soon as it ends. On Ctrl-C
    the jobs are interrupted and get time to save; on a second Ctrl-C they are killed. A single
    worker is a process too, so that it can be interrupted.
    """
    executor = workers if isinstance(workers, Executor) else Processes(workers)
    ordered = sorted(jobs, key=lambda job: job.cost * (1 - job.done), reverse=True)
    failed: dict[str, str] = {}
    bar = ProgressBar(ordered)
    with executor.pool(_run_job) as pool, bar.display:
        try:
            for event in pool.run(ordered):
                job = ordered[event.index]
                if isinstance(event, TaskProgress):
                    bar.update(job, event.fraction)
                    continue
                if event.error is not None:
                    failed[job.name] = str(event.error)
                    bar.print(f"{job.name} failed: {event.error}")
                else:
                    result, seconds = cast(tuple[Any, float], event.result)
                    keep(job.name, result, seconds)
                bar.update(job, 1.0, ended=True)
        except KeyboardInterrupt:
            bar.print("Stopping; jobs under way are being saved.")
            pool.interrupt(_SAVE_SECONDS)
            raise
    return failed


def _run_job(job: Job, report: ReportProgress) -> tuple[Any, float]:
    """Return what a job returns, and the seconds it took."""
    began = time.monotonic()
    return job.function(*job.arguments, report), time.monotonic() - began


@dataclass(frozen=True)
class GameBlocks:
    """Games 0, 1, 2, ... of a setting. Results do not depend on how they are divided."""

    #: comma-separated parts
    name: str
    #: `measure(number, seed)` plays a game and returns plain values
    measure: Callable[..., Any]
    games: int
    #: what `measure` returns, after JSON
    structure: Check
    #: of one game
    cost: float = 1.0
    #: `measure(numbers, seed, report)` plays all games of a block, and returns a list
    together: bool = False
    #: games of a block
    size: int = BLOCK

    def jobs(self, seed: int) -> Iterator[Job]:
        """Yield a job for each block."""
        for name, numbers in self._blocks():
            measure = self.measure if self.together else partial(_play_block, self.measure)
            yield Job(name, measure, (numbers, seed), self.cost * len(numbers))

    def results(self, read: Callable[[str, Check], Any]) -> list[Any]:
        """Return the results of all games whose blocks were measured.

        `read` returns a measurement by its name, checked, or None.
        """
        blocks = ((name, list_of(self.structure, len(them))) for name, them in self._blocks())
        return [result for name, check in blocks for result in read(name, check) or ()]

    def _blocks(self) -> Iterator[tuple[str, range]]:
        for first in range(0, self.games, self.size):
            numbers = range(first, min(first + self.size, self.games))
            yield f"{self.name},games={numbers[0]}-{numbers[-1]}", numbers


def _play_block(
    measure: Callable[[int, int], Any], numbers: range, seed: int, report: ReportProgress
) -> list[Any]:
    results = []
    for done, number in enumerate(numbers, start=1):
        results.append(measure(number, seed))
        report(done / len(numbers))
    return results


def play_numbered(variant: str, seats: Sequence[str], number: int, seed: int) -> Record:
    """Play game `number` of a series between agents, given by name."""
    record = Record(game(variant))
    players = [_agent(name) for name in seats]
    for _ in play_game(record, players, random.Random(f"{seed}/{number}").getrandbits(32)):
        pass
    return record


class ProgressBar:
    """One bar for all jobs, with an estimate of the time left; without a terminal, lines."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._finished = 0
        self._fractions = {job.name: job.done for job in jobs}
        self._costs = {job.name: job.cost for job in jobs}
        self._total = sum(self._costs.values()) or 1.0
        self._done_before = self._done
        self._started = self._printed = time.monotonic()
        self._console = Console(stderr=True, highlight=False)
        #: shows it while it is entered
        self.display = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self.display.add_task(self._text(), total=self._total)

    def update(self, job: Job, fraction: float, ended: bool = False) -> None:
        """Show how much of a job is done, and whether it has ended."""
        self._finished += ended
        self._fractions[job.name] = max(fraction, self._fractions[job.name])
        if self._console.is_terminal:
            self.display.update(self._task, completed=self._done, description=self._text())
        elif time.monotonic() - self._printed > _LINE_SECONDS or self._finished == len(self._costs):
            self._printed = time.monotonic()
            self.print(self._text())

    def print(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(printable(text), markup=False, soft_wrap=True)

    @property
    def _done(self) -> float:
        return sum(self._costs[name] * part for name, part in self._fractions.items())

    def _text(self) -> str:
        done = self._done
        text = f"{self._finished} of {len(self._costs)} jobs, {done / self._total:.0%}"
        here, seconds = done - self._done_before, time.monotonic() - self._started
        if here > 0.01 * self._total or (here > 0 and seconds > 20):
            left = round((self._total - done) / here * seconds)
            text += f", {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        return text
