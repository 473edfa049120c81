"""Training runs: a directory for every distinct setting, shared by experiments."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from halma.executors import ReportProgress
from halma.lab.adoption import find_runs
from halma.lab.jobs import Job
from halma.lab.network_files import NetworkFile
from halma.learn import Recipe, load, read_metrics, train
from halma.learn.reports.events import Handler, Iteration, Metrics, Report
from halma.learn.run import CHECKPOINTS, META, MODEL, RECIPE, read_meta
from halma.learn.settings import Plain, write_value
from halma.networks import find_network, list_versions
from halma.tensors import list_iterations

#: Settings that decide what is kept of a run and how it is watched, not how it is trained.
_OBSERVING = ("checkpoints.", "archive.", "evaluation.")
#: Longer values are hashed in the name of a directory.
_LONGEST_VALUE = 24
#: Longer names end with a hash of all settings: file systems allow 255 bytes.
_LONGEST_NAME = 160
#: Seconds between two reports of progress.
_REPORT_SECONDS = 0.2


@cache
def base_recipe(name: str) -> Recipe:
    """Return a recipe of the package, loaded once: hundreds of runs are changes of a few."""
    return load(name)


def training_settings(recipe: Recipe) -> dict[str, Plain]:
    """Return the settings that two runs must share to be the same run."""
    return {key: value for key, value in recipe.flat.items() if not key.startswith(_OBSERVING)}


@lru_cache(maxsize=4096)
def run_name(recipe: Recipe) -> str:
    """Return the name of a run's directory: its recipe and the settings that differ from it."""
    base = base_recipe(recipe.name).flat
    parts = [recipe.name.rpartition("/")[2]]
    known = [key.rpartition(".")[2] for key in base]
    for key, value in training_settings(recipe).items():
        if value == base[key]:
            continue
        short = key.rpartition(".")[2]
        text = value if isinstance(value, str) else write_value(value)
        if len(text) > _LONGEST_VALUE or not re.fullmatch(r"[\w.+-]+", text):
            text = hashlib.sha256(text.encode()).hexdigest()[:8]
        parts.append(f"{short if known.count(short) == 1 else key}={text}")
    name = ",".join(parts)
    if len(name) <= _LONGEST_NAME:
        return name
    kept = name[: name.rindex(",", 0, _LONGEST_NAME)]
    return f"{kept},{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def full_run_name(recipe: Recipe) -> str:
    """Return the name of a run with the folder of its recipe: there is more than one 'best'."""
    folder, slash, _ = recipe.name.rpartition("/")
    return f"{folder}{slash}{run_name(recipe)}"


class _AdoptedRun(NamedTuple):
    """A run made elsewhere, in the order in which they are preferred."""

    has_network: bool
    iterations: int
    path: Path


class RunStore:
    """Run directories in one folder, and adopted ones elsewhere, which are only read."""

    def __init__(
        self,
        folder: Path,
        adopted: Sequence[Path] = (),
        device: str = "cpu",
        threads: int = 1,
        *,
        train: bool = True,
    ) -> None:
        self.folder = folder
        #: whether runs are trained to their end; if not, their networks are used as they are
        self.train = train
        #: where networks are trained, and with how many threads each
        self.device, self.threads = device, threads
        #: by settings
        self._adopted: dict[tuple[tuple[str, Plain], ...], _AdoptedRun] = {}
        for place in adopted:
            self._adopt(place)

    def _adopt(self, place: Path) -> None:
        """Adopt a run or all in a directory; of equal runs the longest of those with a network."""
        for run in find_runs(place, self.folder.with_name("adopted")):
            recipe = load(str(run / RECIPE))
            key = tuple(training_settings(recipe).items())
            iterations = len(read_metrics(run, recipe.method))
            found = _AdoptedRun((run / MODEL).exists(), iterations, run)
            # Metrics alone may have travelled beside a bundle, which is a little older then.
            if iterations and found > self._adopted.get(key, _AdoptedRun(False, 0, run)):
                self._adopted[key] = found

    def path(self, recipe: Recipe) -> Path:
        """Return the directory of a run: in the folder, unless an adopted run is longer."""
        ours = self.folder / run_name(recipe)
        found = self._adopted.get(tuple(training_settings(recipe).items()))
        if found is not None and found.iterations > len(read_metrics(ours, recipe.method)):
            return found.path
        return ours

    def is_adopted(self, recipe: Recipe) -> bool:
        """Whether a run was made elsewhere; it is taken as far as it got."""
        return self.path(recipe).parent != self.folder

    def metrics(self, recipe: Recipe) -> Sequence[Metrics]:
        """Return the metrics of a run, one entry for each of its iterations so far."""
        return read_metrics(self.path(recipe), recipe.method)

    def iterations(self, recipe: Recipe) -> int:
        """Return how many iterations of a run are done."""
        return len(self.metrics(recipe))

    def is_finished(self, recipe: Recipe) -> bool:
        """Whether a run has reached its last iteration."""
        return self.iterations(recipe) >= int(recipe.settings.iterations)

    def mean(self, recipe: Recipe, key: str) -> float | None:
        """Return the mean of a metric over all iterations; None where a run does not have it."""
        metrics = self.metrics(recipe)
        known = [float(entry[key]) for entry in metrics if entry.get(key) is not None]
        return fmean(known) if known and len(known) == len(metrics) else None

    def revision(self, recipe: Recipe) -> str:
        """Return the revision of halma that began a run, where it is known."""
        path = self.path(recipe)
        return str(read_meta(path)["revision"] or "") if (path / META).exists() else ""

    def versions(self, recipe: Recipe) -> dict[int, NetworkFile]:
        """Return the networks that a run has archived by iteration, once they can be used."""
        if not self._is_ready(recipe):
            return {}
        run = self.path(recipe)
        return {
            number: NetworkFile.at(find_network(str(run), str(number)))
            for number in list_versions(run)
        }

    def best(self, recipe: Recipe) -> NetworkFile | None:
        """Return the network that a run has found best, once it can be used."""
        file = self.path(recipe) / MODEL
        return NetworkFile.at(file) if self._is_ready(recipe) and file.exists() else None

    def promoted(self, recipe: Recipe) -> list[int]:
        """Return the iterations whose networks were best, from 0 on, which is before self-play."""
        best = {entry["best"] for entry in self.metrics(recipe) if "best" in entry}
        return sorted({0, *best}) if best else []

    def _is_ready(self, recipe: Recipe) -> bool:
        """Whether the networks of a run can be used: nothing here trains it any further."""
        return not self.train or self.is_finished(recipe) or self.is_adopted(recipe)

    def jobs(self, recipes: Iterable[Recipe], cost: Callable[[Recipe], float]) -> Iterator[Job]:
        """Yield jobs that train the runs that are not finished."""
        for recipe in recipes if self.train else ():
            path = self.folder / run_name(recipe)
            # A run that was killed after its last iteration has a checkpoint left to remove.
            if not self.is_finished(recipe) or list_iterations(path / CHECKPOINTS):
                done = len(read_metrics(path, recipe.method)) / recipe.settings.iterations
                where = self.device, self.threads
                yield Job(path.name, train_run, (recipe, path, *where), cost(recipe), done)


def train_run(
    recipe: Recipe, path: Path, device: str, threads: int, report: ReportProgress
) -> None:
    """Train a run."""
    handler = _ProgressHandler(recipe.settings.iterations, report)
    solution = _solution(recipe.name) if recipe.method == "tabular" else None
    train(recipe, path, [handler], threads=threads, device=device, solution=solution)


@lru_cache(maxsize=2)
def _solution(name: str) -> Any:
    """Return the solution that grades a recipe's runs, loaded once for many runs in a process."""
    from halma.learn.truth import find_solution

    return find_solution(load(name).game)


class _ProgressHandler(Handler):
    """Reports the fraction of the iterations that are done, a few times a second."""

    def __init__(self, iterations: int, report: ReportProgress) -> None:
        self._iterations = iterations
        self._report = report
        self._reported = 0.0

    def handle(self, report: Report) -> None:
        """Report progress after an iteration."""
        now = time.monotonic()
        if isinstance(report, Iteration) and now - self._reported > _REPORT_SECONDS:
            self._reported = now
            self._report(report.metrics["iteration"] / self._iterations)
