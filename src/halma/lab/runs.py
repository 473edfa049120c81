"""A store of training runs: a directory for every distinct setting, shared by experiments."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from halma.errors import HalmaError
from halma.lab.jobs import Job, run_jobs
from halma.learn import Recipe, load, read_metrics
from halma.learn.reports.events import Iteration, Report, Started
from halma.learn.run import RECIPE
from halma.learn.settings import Plain, write_value
from halma.processes import ReportProgress

#: a line of metrics.jsonl
Metrics = dict[str, Any]
#: tells how much work a run is
Cost = Callable[[Recipe], float]

#: Settings that say how a run is kept, not what it learns.
_KEEPING = "checkpoints."
#: The longest part of a file's name that is written out.
_LONGEST_VALUE = 24


@cache
def base_recipe(name: str) -> Recipe:
    """Return one of the package's recipes; hundreds of runs extend the same few."""
    return load(name)


def learnt_settings(recipe: Recipe) -> dict[str, Plain]:
    """Return the settings that two runs must share to be the same run."""
    return {key: value for key, value in recipe.flat.items() if not key.startswith(_KEEPING)}


def run_name(recipe: Recipe) -> str:
    """Return the name of a run's directory: its recipe, and what it changes in it."""
    base = base_recipe(recipe.name).flat
    parts = [recipe.name.rpartition("/")[2]]
    known = [key.rpartition(".")[2] for key in base]
    for key, value in learnt_settings(recipe).items():
        if value == base[key]:
            continue
        short = key.rpartition(".")[2]
        text = value if isinstance(value, str) else write_value(value)
        if len(text) > _LONGEST_VALUE or not re.fullmatch(r"[\w.+-]+", text):
            text = hashlib.sha256(text.encode()).hexdigest()[:8]
        parts.append(f"{short if known.count(short) == 1 else key}={text}")
    return ",".join(parts)


class Store:
    """Run directories under one folder, and finished ones elsewhere that are only read."""

    def __init__(self, folder: Path, adopted: Sequence[Path] = ()) -> None:
        self.folder = folder
        self._adopted: dict[tuple[tuple[str, Plain], ...], tuple[Path, int]] = {}
        for place in adopted:
            self._adopt(place)

    def _adopt(self, place: Path) -> None:
        """Note all runs in a directory, or the one it is; the longest of equal ones counts."""
        runs = find_runs(place)
        if not runs:
            raise HalmaError(f"There is no run in '{place}' to adopt.")
        for run in runs:
            found = learnt_settings(load(str(run / RECIPE)))
            key = tuple(found.items())
            length = len(read_metrics(run))
            if length > self._adopted.get(key, (run, 0))[1]:
                self._adopted[key] = run, length

    def path(self, recipe: Recipe) -> Path:
        """Return where a run is, or would be: one of ours, unless an adopted one is longer."""
        ours = self.folder / run_name(recipe)
        found = self._adopted.get(tuple(learnt_settings(recipe).items()))
        if found is not None and found[1] > len(read_metrics(ours)):
            return found[0]
        return ours

    def metrics(self, recipe: Recipe) -> list[Metrics]:
        """Return the metrics of a run as far as it got."""
        return read_metrics(self.path(recipe))

    def is_finished(self, recipe: Recipe) -> bool:
        """Whether a run has reached its last iteration."""
        return bool(len(self.metrics(recipe)) >= recipe.settings.iterations)

    def train_all(self, recipes: Iterable[Recipe], workers: int, cost: Cost) -> dict[str, str]:
        """Train every run that is not finished; return what went wrong, by the run's name."""
        tasks = []
        for recipe in dict.fromkeys(recipes):
            if self.is_finished(recipe):
                continue
            path = self.folder / run_name(recipe)
            done = len(read_metrics(path)) / recipe.settings.iterations
            tasks.append(Job(path.name, train_run, (recipe, path), cost(recipe), done))
        return run_jobs(tasks, workers, "runs")


def find_runs(place: Path) -> list[Path]:
    """Return the run directories in a directory, or itself if it is one."""
    if (place / RECIPE).is_file():
        return [place]
    return sorted(path.parent for path in place.glob(f"*/{RECIPE}"))


def train_run(recipe: Recipe, path: Path, tell: ReportProgress) -> None:
    """Train one run of the store on one thread."""
    teller = _Teller(recipe.settings.iterations, tell)
    if recipe.method == "tabular":
        from halma.learn import tabular

        tabular.train(recipe, path, [teller], 1, _solution(recipe.name))
    else:
        from halma.learn import methods

        methods.train(recipe, path, [teller], 1, device="cpu")


@lru_cache(maxsize=2)
def _solution(name: str) -> Any:
    """Return the solution that runs of a recipe are graded by; a process needs it many times."""
    from halma.learn.tabular import find_solution

    return find_solution(load(name))


class _Teller:
    """Says how far a run is, but not too often."""

    def __init__(self, iterations: int, tell: ReportProgress) -> None:
        self._iterations = iterations
        self._tell = tell
        self._told_at = 0.0

    def handle(self, report: Report) -> None:
        """Say it where an iteration is over."""
        if isinstance(report, Started):
            done = report.done
        elif isinstance(report, Iteration):
            done = report.metrics["iteration"]
        else:
            return
        now = time.monotonic()
        if now - self._told_at > 0.2:
            self._told_at = now
            self._tell(done / self._iterations)

    def close(self) -> None:
        """Nothing to do."""
