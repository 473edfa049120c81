"""A trial, as a worker runs it: train, report the metric, stop where it is hopeless."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halma.errors import RunError
from halma.executors import ReportProgress, TaskChannel
from halma.learn import Recipe, read_metrics, train
from halma.learn.reports.events import Handler, Iteration, Metrics, Report
from halma.learn.run import CHECKPOINTS
from halma.tensors import list_iterations
from halma.tune.plan import TuningPlan
from halma.tune.questions import IsHopeless, NextOpponent
from halma.tune.strength import challenge

#: Trials of equal time are compared after each of this many parts of it.
_PARTS = 10
#: Seconds between two reports of progress.
_REPORT_SECONDS = 0.2


@dataclass(frozen=True)
class TrialTask:
    """A trial to run, or to go on with."""

    #: below 0 where it is not one of the study
    number: int
    recipe: Recipe
    run: Path
    #: the iteration after which it stops, for now
    until: int


@dataclass(frozen=True)
class TrialResult:
    """How a trial ended."""

    #: the last value of the metric; of a comparison by matches there is none yet
    value: float | None
    pruned: bool
    iteration: int
    seconds: float
    #: with its 95% interval, where the metric has one
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class TrialRunner:
    """What all trials of a tuning share; sent to each worker once."""

    plan: TuningPlan
    tuning: Path
    threads: int
    device: str

    def __call__(self, task: TrialTask, channel: TaskChannel) -> TrialResult:
        """Train a trial from where it is; with matches, let it play the incumbent."""
        pruned = not _has_reached(task, self.plan.length) and self._train(task, channel)
        value, interval, last = self._result(task)
        if self.plan.by_matches and task.number > 0:
            match = None
            while (opponent := channel.ask(NextOpponent(task.number, match))) is not None:
                match = challenge(self.plan, self.tuning, task.number, opponent)
        return TrialResult(value, pruned, last["iteration"], last["seconds"], interval)

    def trained(self, task: TrialTask, channel: TaskChannel) -> float | None:
        """Train a run that is no trial; return the last value of the metric, if it is one."""
        self._train(task, channel)
        return self._result(task)[0]

    def _result(
        self, task: TrialTask
    ) -> tuple[float | None, tuple[float, float] | None, dict[str, Any]]:
        """Return the last value of the metric, its interval, and the metrics of the last iteration.

        Where matches compare trials, there is no value.
        """
        metrics = read_metrics(task.run)[: task.until]
        if not metrics:
            raise RunError("The time of a trial is too short for a single iteration.")
        if self.plan.by_matches:
            return None, None, metrics[-1]
        value, interval = latest(metrics, self.plan.metric)
        if value is None:
            raise RunError(f"The run has no '{self.plan.metric}' yet: a trial is too short.")
        return value, interval, metrics[-1]

    def _train(self, task: TrialTask, channel: TaskChannel) -> bool:
        """Train a run until it has to stop; return whether it was pruned."""
        plan = self.plan
        watcher = _Watcher(plan, task, channel)
        train(
            task.recipe,
            task.run,
            [_TrialProgress(task.until, channel)],
            threads=self.threads,
            seconds=max(0.0, plan.seconds - _spent(task.run)),
            device=self.device,
            solution=_solution(task.recipe) if task.recipe.method == "tabular" else None,
            stop_when=watcher,
        )
        return watcher.pruned


class _Watcher:
    """Reports the metric after each iteration; tells a run whether to stop there."""

    def __init__(self, plan: TuningPlan, task: TrialTask, channel: TaskChannel) -> None:
        self._plan, self._task, self._channel = plan, task, channel
        self._is_silent = plan.by_matches or task.number < 0
        #: the last step that has a value
        self._reported = 0
        self.pruned = False

    def __call__(self, metrics: Metrics) -> bool:
        value, iteration = metrics.get(self._plan.metric), metrics["iteration"]
        if not self._is_silent and value is not None and (steps := self._new_steps(metrics)):
            question = IsHopeless(self._task.number, float(value), steps)
            self.pruned = self._channel.ask(question) and iteration < self._plan.length
        return self.pruned or iteration >= self._task.until

    def _new_steps(self, metrics: Metrics) -> list[int]:
        """Return the steps that a value counts for: an iteration, or parts of equal time."""
        if math.isinf(self._plan.seconds):
            return [metrics["iteration"]]
        last = min(_PARTS, int(_PARTS * metrics["seconds"] / self._plan.seconds))
        steps = list(range(self._reported + 1, last + 1))
        self._reported = max(self._reported, last)
        return steps


class _TrialProgress(Handler):
    """Reports the fraction of a task that is done, a few times a second."""

    def __init__(self, until: int, report: ReportProgress) -> None:
        self._until, self._report, self._reported = until, report, 0.0

    def handle(self, report: Report) -> None:
        """Report progress after an iteration."""
        if isinstance(report, Iteration) and time.monotonic() - self._reported > _REPORT_SECONDS:
            self._reported = time.monotonic()
            self._report(min(1.0, report.metrics["iteration"] / self._until))


def latest(
    metrics: list[dict[str, Any]], key: str
) -> tuple[float | None, tuple[float, float] | None]:
    """Return the last value of a metric that is known, and its interval where it has one."""
    for line in reversed(metrics):
        if line.get(key) is not None:
            low, high = line.get(f"{key}_low"), line.get(f"{key}_high")
            ends = None if low is None or high is None else (float(low), float(high))
            return float(line[key]), ends
    return None, None


def _has_reached(task: TrialTask, length: int) -> bool:
    """Whether a run that is not to be finished yet is saved where it stops."""
    saved = list_iterations(task.run / CHECKPOINTS)
    return task.until < length and bool(saved) and saved[0][0] >= task.until


def _spent(run: Path) -> float:
    """Return the seconds that a run has trained already."""
    metrics = read_metrics(run)
    return float(metrics[-1]["seconds"]) if metrics else 0.0


_solutions: dict[str, Any] = {}


def _solution(recipe: Recipe) -> Any:
    """Return the solution that a table is compared with, loaded once for all trials."""
    from halma.learn.truth import find_solution

    name = recipe.game.name
    if name not in _solutions:
        _solutions[name] = find_solution(recipe.game)
    return _solutions[name]
