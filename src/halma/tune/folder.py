"""The folder of a tuning: one plan, one writer.

tuning.json   what is tuned: recipe, keys with ranges, metric, budget, seed
study.sqlite3 Optuna's study, which the process that tunes has open and no worker
trials/       a run directory for every trial
matches/      games between trials, where those decide
confirm/      runs with other seeds, of the recipe as it is and of the best settings
best.toml     the best settings, a recipe
report.html   everything on one page; its pictures are in figures/
lock          held by the process that tunes
"""

from __future__ import annotations

import json
import logging
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import halma
from halma.errors import RunError, StoreError, error_text
from halma.files import TEMPORARY, make_folder, replace_file, take_lock
from halma.learn.run import read_description
from halma.learn.settings import write_value
from halma.machine import require
from halma.structure import fields, whole
from halma.tune.plan import TuningPlan

if TYPE_CHECKING:
    from optuna import Study
    from optuna.pruners import BasePruner
    from optuna.trial import FrozenTrial, Trial

#: Counts up when the files of a tuning change their meaning.
FORMAT = 1
PLAN, DATABASE, BEST, REPORT = "tuning.json", "study.sqlite3", "best.toml", "report.html"
_LOCK = "lock"
_STUDY = "halma"
_LARGEST_PLAN = 1 << 20
_STRUCTURE = fields({"format": whole(1), "plan": fields({"settings": fields({})})})
#: Trials that end before any is pruned.
STARTUP_TRIALS = 5
#: Seconds to wait for another program that writes to the study.
_PATIENCE = 60


class TuningFolder:
    """A folder that this process has locked: `with TuningFolder(path, plan) as folder`.

    Entering creates the folder, or checks that it is one of the same plan.
    """

    def __init__(self, path: Path, plan: TuningPlan) -> None:
        self.path, self.plan = path, plan
        self._lock: BinaryIO | None = None

    def __enter__(self) -> TuningFolder:
        self._check()
        make_folder(self.path)
        try:
            self._lock = take_lock(self.path / _LOCK)
        except BlockingIOError:
            raise RunError(f"'{self.path}' is in use: another process is tuning in it.") from None
        try:
            self._check()
            if not (self.path / PLAN).exists():
                about = {"format": FORMAT, "halma": halma.__version__, "plan": self.plan.identity}
                replace_file(self.path / PLAN, json.dumps(about, indent=2) + "\n")
            self.study = open_study(self.path, self.plan.direction)
            self.study.pruner = _make_pruner(self.plan)
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._lock is not None:
            self._lock.close()

    def _check(self) -> None:
        """Refuse a folder that holds another tuning or something else."""
        if self.path.exists() and not self.path.is_dir():
            raise RunError(f"'{self.path}' is a file, not the folder of a tuning.")
        found = sorted(entry.name for entry in self.path.iterdir()) if self.path.exists() else []
        if PLAN not in found:
            others = [name for name in found if name != _LOCK and not name.endswith(TEMPORARY)]
            if others:
                raise RunError(
                    f"'{self.path}' is not the folder of a tuning, but holds '{others[0]}': "
                    "choose another one with --out."
                )
            return
        if difference := _difference(_read_plan(self.path), self.plan.identity):
            raise RunError(
                f"'{self.path}' belongs to another tuning: {difference}. "
                "Choose another folder with --out."
            )

    def run(self, number: int) -> Path:
        """Return the run directory of a trial."""
        return run_folder(self.path, number)

    @property
    def trials(self) -> list[FrozenTrial]:
        """All trials so far."""
        return self.study.get_trials(deepcopy=False)

    def describe(self, number: int, **attributes: Any) -> None:
        """Keep attributes of a trial, those that are not None."""
        trial = open_trial(self.study, number)
        for name, value in attributes.items():
            if value is not None:
                trial.set_user_attr(name, value)


def run_folder(tuning: Path, number: int) -> Path:
    """Return the run directory of a trial."""
    return tuning / "trials" / f"{number:04}"


def match_file(tuning: Path, name: str) -> Path:
    """Return the file that keeps the games of a match."""
    return tuning / "matches" / f"{name}.db"


@contextmanager
def study_errors(path: Path) -> Iterator[None]:
    """Turn errors of the database into a sentence."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, RuntimeError) as error:
        raise StoreError(f"'{path / DATABASE}' cannot be used: {error_text(error)}.") from None


def open_study(path: Path, direction: str | None = None) -> Study:
    """Return the study of a tuning's folder; with a direction, a new one if there is none."""
    require("optuna")
    import optuna
    from optuna.study import StudyDirection
    from sqlalchemy import URL

    optuna.logging.set_verbosity(logging.ERROR)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    _check_database(path / DATABASE)
    url = URL.create("sqlite", database=str(path / DATABASE)).render_as_string()
    with study_errors(path):
        storage = optuna.storages.RDBStorage(
            url, engine_kwargs={"connect_args": {"timeout": _PATIENCE}}
        )
        if direction is None:
            return optuna.load_study(study_name=_STUDY, storage=storage)
        return optuna.create_study(
            study_name=_STUDY,
            storage=storage,
            direction=StudyDirection[direction.upper()],
            load_if_exists=True,
        )


def open_trial(study: Study, number: int) -> Trial:
    """Return a trial of a study, to report to or to go on with."""
    import optuna

    return optuna.trial.Trial(study, study.get_trials(deepcopy=False)[number]._trial_id)


def _make_pruner(plan: TuningPlan) -> BasePruner:
    """Return Optuna's rule that ends trials early."""
    from optuna import pruners

    if plan.sampler == "pbt" or plan.pruner == "none":
        return pruners.NopPruner()
    if plan.pruner == "halving":
        return pruners.SuccessiveHalvingPruner()
    return pruners.MedianPruner(n_startup_trials=STARTUP_TRIALS)


def _check_database(path: Path) -> None:
    """Refuse a file that is no undamaged database."""
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as database:
            found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        found = str(error)
    if found != "ok":
        raise StoreError(f"'{path}' is damaged: {' '.join(str(found).split())}.")


def _read_plan(path: Path) -> dict[str, Any]:
    """Return the plan of a tuning's folder."""
    found = read_description(path / PLAN, _LARGEST_PLAN, _STRUCTURE)
    if found["format"] != FORMAT:
        raise RunError(f"'{path}' belongs to another version of halma.")
    plan: dict[str, Any] = found["plan"]
    return plan


def _difference(there: dict[str, Any], here: dict[str, Any]) -> str:
    """Return a clause about the first thing in which two plans differ."""
    for key in dict.fromkeys([*here, *there]):
        old, new = there.get(key), here.get(key)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            return _difference(old, new)
        return f"'{key}' is {_shown(old)} there and {_shown(new)} here"
    return ""


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    return write_value(value) if isinstance(value, str | int | float) else str(value)[:60]
