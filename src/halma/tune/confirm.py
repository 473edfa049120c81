"""Confirmation: the recipe as it is and the best settings, trained anew with other seeds.

The best of many trials looks better than it is, since chance picked it too. Runs that had no part
in the choice tell how much of the gain is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from halma.executors import Executor, ReportProgress, TaskChannel, TaskFunction, TaskProgress
from halma.learn.settings import Plain
from halma.statistics import difference
from halma.tune.folder import TuningFolder, match_file
from halma.tune.plan import TuningPlan
from halma.tune.search import SAVE_SECONDS
from halma.tune.strength import compare, mean_score
from halma.tune.tasks import run_with_retry
from halma.tune.trial import TrialRunner, TrialTask

#: Called with the number of runs and matches that have ended, and that of all.
WatchRuns = Callable[[int, int], None]


@dataclass(frozen=True)
class Confirmation:
    """What runs with other seeds say about the best settings."""

    #: the trial that has them
    trial: int
    #: the metric of each run: of the recipe as it is, and of the best settings; none with matches
    default: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    #: matches of the best settings against the recipe as it is, one for each seed
    matches: list[dict[str, Any]] = field(default_factory=list)

    @property
    def gain(self) -> float:
        """How much the metric rises, or the mean score of matches above one half."""
        if self.matches:
            return mean_score(self.matches)[0] - 0.5
        return fmean(self.best) - fmean(self.default)

    @property
    def half_width(self) -> float:
        """Half the width of its 95% interval, over seeds; infinite for a single seed."""
        if self.matches:
            return mean_score(self.matches)[1]
        return difference(self.best, self.default)[1]

    def is_better(self, plan: TuningPlan) -> bool:
        """Whether the interval says that the best settings are better."""
        gain = self.gain if plan.maximizes else -self.gain
        return gain - self.half_width > 0

    def text(self, plan: TuningPlan) -> str:
        """Return the result as a sentence."""
        seeds = len(self.matches) or len(self.best)
        width = self.half_width
        interval = "" if width == float("inf") else f" ± {width:.4g}"
        if plan.by_matches:
            what = f"took {self.gain + 0.5:.1%}" + (f" ± {width:.1%}" if interval else "")
            what += f" of the points from the recipe as it is, {plan.games} games for each seed"
        else:
            what = (
                f"have {plan.metric} {fmean(self.best):.4g}, the recipe as it is "
                f"{fmean(self.default):.4g}: a difference of {self.gain:+.4g}{interval}"
            )
        verdict = (
            "They are better."
            if self.is_better(plan)
            else "That does not show that they are better."
        )
        noun = "seed" if seeds == 1 else "seeds"
        return f"Trained anew with {seeds} other {noun}, the best settings {what}. {verdict}"

    def as_dict(self, plan: TuningPlan) -> dict[str, Any]:
        """Return plain values."""
        width = self.half_width
        return {
            "trial": self.trial,
            "default": self.default,
            "best": self.best,
            "matches": self.matches,
            "gain": self.gain,
            "half_width": None if width == float("inf") else width,
            "better": self.is_better(plan),
        }


def confirm(
    folder: TuningFolder,
    runner: TrialRunner,
    trial: int,
    settings: dict[str, Plain],
    seeds: int,
    executor: Executor,
    watch: WatchRuns,
) -> Confirmation:
    """Train with other seeds, and compare; runs and games that are there are not repeated."""
    plan = folder.plan
    place = folder.path / "confirm"
    tasks: list[TrialTask] = []
    for seed in range(1, seeds + 1):
        for name, changes in (("default", {}), (f"{trial:04}", settings)):
            recipe = plan.confirming_recipe(seed, changes)
            tasks.append(TrialTask(-1, recipe, place / f"{name}-{seed}", plan.length))
    total = len(tasks) + (seeds if plan.by_matches else 0)
    values = _run_all(partial(_train, runner), tasks, executor, lambda done: watch(done, total))
    if not plan.by_matches:
        return Confirmation(trial, default=values[::2], best=values[1::2])
    pairs = [
        (place / f"{trial:04}-{seed}", place / f"default-{seed}", seed)
        for seed in range(1, seeds + 1)
    ]
    played = _run_all(
        partial(_play, plan, folder.path),
        pairs,
        executor,
        lambda done: watch(len(tasks) + done, total),
    )
    return Confirmation(trial, matches=played)


def _run_all(
    function: TaskFunction[Any, Any],
    items: list[Any],
    executor: Executor,
    watch: Callable[[int], None],
) -> list[Any]:
    """Return the results of all items in order; the first error is raised."""
    results: dict[int, Any] = {}
    with executor.pool(function) as pool:
        try:
            for event in run_with_retry(pool, items):
                if isinstance(event, TaskProgress):
                    continue
                if event.error is not None:
                    raise event.error
                results[event.index] = event.result
                watch(len(results))
        except KeyboardInterrupt:
            pool.interrupt(SAVE_SECONDS)
            raise
    return [results[number] for number in range(len(items))]


def _train(runner: TrialRunner, task: TrialTask, channel: TaskChannel) -> float | None:
    return runner.trained(task, channel)


def _play(
    plan: TuningPlan, tuning: Path, pair: tuple[Path, Path, int], report: ReportProgress
) -> dict[str, Any]:
    best, default, seed = pair
    return compare(plan, (best, default), match_file(tuning, f"confirm-{best.name}"), seed)
