"""Where a call of `halma reproduce` keeps its work, and how much it runs."""

from __future__ import annotations

import json
import os
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from halma import __version__
from halma.errors import HalmaError
from halma.executors import Executor
from halma.files import make_folder, read_file, replace_file
from halma.lab.jobs import Job, run_jobs
from halma.lab.kept import KeptRuns
from halma.lab.packing import unpacked
from halma.lab.run_store import RunStore
from halma.structure import Check, fields, map_of, parse_json, real, text

_MOST_BYTES = 1 << 28
_SECONDS = map_of(real(0))
_STRUCTURE = fields(
    {"settings": fields({}), "measured": fields({})},
    {"seconds": _SECONDS, "revisions": map_of(text(40))},
)


class MeasurementFile(UserDict[str, Any]):
    """A JSON file of plain values by name, all measured with the same settings.

    Every new measurement replaces the file atomically; tuples are kept as lists. A file that
    belongs to other settings is started afresh. Without settings it is only read, whatever its
    own are.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._path, self._only_read = path, settings is None
        #: what all measurements have in common
        self.settings = dict(settings or {})
        #: seconds that each measurement took, by its name
        self.seconds: dict[str, float] = {}
        self._revisions: dict[str, str] = {}
        if not path.exists():
            return
        content = read_file(path, _MOST_BYTES)
        try:
            found = parse_json(content)
        except ValueError:
            found = None
        if _STRUCTURE(found):
            raise HalmaError(f"'{path}' is not a file of measurements.")
        if settings is None or found["settings"] == self.settings:
            self.settings = found["settings"]
            self.data = {name: unpacked(value) for name, value in found["measured"].items()}
            self.seconds = found.get("seconds", {})
            self._revisions = found.get("revisions", {})

    def revision(self, name: str) -> str:
        """Return the revision of halma that made a kept measurement; empty if it is not known."""
        return self._revisions.get(name, str(self.settings.get("revision", "")))

    def read(self, name: str, check: Check) -> Any:
        """Return a measurement after checking what it is; None where there is none."""
        if name not in self:
            return None
        if fault := check(self[name]):
            raise HalmaError(f"'{self._path}' is damaged: it has a '{name}' that {fault}.")
        return self[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if self._only_read:
            raise HalmaError(f"'{self._path}' is only read.")
        super().__setitem__(name, json.loads(json.dumps(value)))
        content = {"settings": self.settings, "measured": self.data, "seconds": self.seconds}
        replace_file(self._path, json.dumps(content, separators=(",", ":")))


@dataclass
class Workspace:
    """A folder with training runs, measurements and pages, and the options of a call."""

    folder: Path
    #: prints a line for the user
    note: Callable[[str], None]
    #: the paper's own settings instead of a reduction that takes minutes
    full: bool = False
    seed: int = 0
    #: a number of processes, or where jobs run
    workers: int | Executor = field(default_factory=lambda: os.cpu_count() or 1)
    #: where networks are trained: cpu, cuda or auto
    device: str = "cpu"
    #: threads of a training run
    threads: int = 1
    #: directories of training runs made elsewhere
    adopt: Sequence[Path] = ()
    #: run only jobs whose names have all of these parts, such as "simulations=6"
    only: Sequence[str] = ()
    #: train runs that are not finished; if not, what there is of them is measured
    train: bool = True
    #: run nothing; make the pages of what there is
    draw_only: bool = False
    #: a folder of kept summaries, from which pages are made without runs
    kept: Path | None = None

    @property
    def scale(self) -> str:
        """The name of how much is run."""
        return "full" if self.full else "quick"

    @cached_property
    def runs(self) -> RunStore:
        """The training runs; quick and full ones of all experiments are in one folder."""
        if self.kept is not None:
            return KeptRuns(self.kept, train=False)
        folder, train = self.folder / "runs", self.train and not self.draw_only
        return RunStore(folder, self.adopt, self.device, self.threads, train=train)

    @cached_property
    def pages(self) -> Path:
        """The folder of the pages and their images."""
        folder = self.folder / self.scale
        make_folder(folder)
        return folder

    @cached_property
    def measurements(self) -> MeasurementFile:
        """What was measured other than training runs, by the names of the jobs."""
        if self.kept is not None:
            return MeasurementFile(self.kept / f"{self.scale}.json")
        settings = {"seed": self.seed, "version": __version__}
        return MeasurementFile(self.pages / "measured.json", settings)

    def run_all(self, find_jobs: Callable[[], Iterable[Job]]) -> dict[str, str]:
        """Run jobs until no new ones are found; return the errors of those that failed, by name.

        `find_jobs` is called again after its jobs have ended, as some depend on the results of
        others.
        """
        tried: set[str] = set()
        failed: dict[str, str] = {}
        while not self.draw_only:
            jobs = {job.name: job for job in find_jobs() if self._is_wanted(job, tried)}
            if not jobs:
                break
            tried |= jobs.keys()
            if isinstance(self.workers, Executor):
                self.workers.check_shared(self.folder)
            failed |= run_jobs(jobs.values(), self.workers, self._keep)
        return failed

    def _is_wanted(self, job: Job, tried: set[str]) -> bool:
        done = job.name in tried or job.name in self.measurements
        return not done and set(self.only) <= set(job.name.split(","))

    def _keep(self, name: str, result: Any, seconds: float) -> None:
        # A training run returns nothing: its directory is the result.
        if result is not None:
            self.measurements.seconds[name] = round(seconds, 2)
            self.measurements[name] = result
