"""Jobs on all cores: training runs, tunings, blocks of games, with progress and a clean stop."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from halma.processes import ProcessPool, ReportProgress, TaskProgress

#: Seconds that jobs have to save what they did after Ctrl-C.
_SAVE_SECONDS = 60.0
#: Seconds between lines of progress where there is no terminal.
_LINE_SECONDS = 10.0


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


def run_jobs(jobs: Iterable[Job], workers: int, keep: Callable[[str, Any], None]) -> dict[str, str]:
    """Run jobs, the most expensive first; return the errors of those that failed, by name.

    `keep` gets the name and the result of every job as soon as it ends. On Ctrl-C the jobs are
    interrupted and get time to save; on a second Ctrl-C they are killed.
    """
    ordered = sorted(jobs, key=lambda job: job.cost * (1 - job.done), reverse=True)
    failed: dict[str, str] = {}
    with ProcessPool(_run_job, workers) as pool, ProgressBar(ordered) as bar:
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
                    keep(job.name, event.result)
                bar.finish(job)
        except KeyboardInterrupt:
            bar.print("Stopping; jobs under way are being saved.")
            pool.interrupt(_SAVE_SECONDS)
            raise
    return failed


def _run_job(job: Job, report: ReportProgress) -> Any:
    return job.function(*job.arguments, report)


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
        self._console = Console(file=sys.stderr, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), console=self._console, transient=True
        )
        self._task = self._bar.add_task(self._text(), total=self._total)

    def __enter__(self) -> ProgressBar:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def update(self, job: Job, fraction: float) -> None:
        """Show how much of a job is done."""
        self._fractions[job.name] = max(fraction, self._fractions[job.name])
        self._show()

    def finish(self, job: Job) -> None:
        """Count a job as over."""
        self._finished += 1
        self.update(job, 1.0)

    def print(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(text, markup=False, soft_wrap=True)

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

    def _show(self) -> None:
        if self._console.is_terminal:
            self._bar.update(self._task, completed=self._done, description=self._text())
        elif time.monotonic() - self._printed > _LINE_SECONDS or self._finished == len(self._costs):
            self._printed = time.monotonic()
            self.print(self._text())
