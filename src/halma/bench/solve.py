"""`halma bench solve`: how fast variants are solved, and solutions looked up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from halma.bench.harness import Report, Row, Settings, Work, rates
from halma.errors import HalmaError
from halma.games import Game, game
from halma.solve import solve
from halma.solve.tables import open_table, table_path


@dataclass(frozen=True)
class Task:
    """Something to solve."""

    variant: str
    #: where only endings are solved
    pieces: int | None = None

    def __str__(self) -> str:
        return self.variant if self.pieces is None else f"{self.variant}, {self.pieces} pieces"


@dataclass(frozen=True)
class Figures:
    """What solving took."""

    #: from beginning to end
    seconds: float
    #: of all processors, for each entry of the table: what else runs matters little to this
    per_entry: float
    #: memory of the whole process; 0 where it is not known
    peak: int = 0


#: a task, seconds it may take, and bytes
QUICK_SOLVES = ((Task("ewn-3x3-3"), 0.5), (Task("cdc-2x4-PPPP"), 1.0))
LONG_SOLVES = (
    (Task("cdc-2x4-GGCC"), 20.0, None),
    (Task("rhombus-7x7-3"), 180.0, 1e9),
    (Task("draughts-8x8", 4), 60.0, None),
)
#: A small and a large variant of a family; time per entry may grow by half. Below some
#: hundred thousand entries it is mostly threads that are waited for.
FAMILIES = (
    (Task("ewn-3x3-3"), Task("ewn-3x3-4")),
    (Task("cdc-2x4-PPPP"), Task("cdc-2x4-KGCP")),
    (Task("rhombus-4x4-3"), Task("rhombus-7x7-3")),
    (Task("draughts-8x8", 3), Task("draughts-8x8", 4)),
)
LOOKUPS = (("ewn-3x3-3", 5e6), ("cdc-2x4-PPPP", 5e6), ("rhombus-5x5-3", 5e6))
_STATES = 1_000_000
#: What a quick run measures at all: the settings' rounds last a tenth of a second there.
_QUICK_SECONDS = 0.5


def measure_solve(settings: Settings, seed: int, note: Callable[[str], None]) -> Report:
    """Measure everything, telling `note` how it goes."""
    report = Report()
    full = settings.seconds >= _QUICK_SECONDS
    known: dict[Task, Figures] = {}

    def add(row: Row) -> None:
        report.rows.append(row)
        note(f"{row.name}: {row.value:,.4g} {row.unit}")

    for task, goal in QUICK_SOLVES:
        known[task] = _best(task, settings.rounds)
        add(Row(f"{task} solved", known[task].seconds, "s", goal, at_most=True))
    for task, goal, memory in LONG_SOLVES if full else ():
        try:
            known[task] = _by_command(task)
        except HalmaError as error:
            report.notes.append(str(error))
            continue
        add(Row(f"{task} solved", known[task].seconds, "s", goal, at_most=True))
        if memory is not None and known[task].peak:
            add(Row(f"{task} memory", known[task].peak, "bytes", memory, at_most=True))
    for small, large in FAMILIES if full else ():
        for task, rounds in ((small, settings.rounds), (large, 1)):
            known[task] = known.get(task) or _best(task, rounds)
        growth = known[large].per_entry / known[small].per_entry
        add(Row(f"{large} growth", growth, "times", 1.5, at_most=True))
    for name, rate in LOOKUPS:
        with TemporaryDirectory() as folder:
            best = rates({"halma": _lookups(game(name), Path(folder), seed)}, settings)["halma"]
        add(Row(f"{name} look-ups", best, "positions/s", rate))
    return report


def _best(task: Task, rounds: int) -> Figures:
    """Solve without the table's way to the disk, some times."""
    tries = [_once(task) for _ in range(rounds)]
    return Figures(min(t.seconds for t in tries), min(t.per_entry for t in tries))


def _once(task: Task) -> Figures:
    started, worked = time.perf_counter(), time.process_time()
    about = solve(game(task.variant), keep=False, pieces=task.pieces).about
    worked = time.process_time() - worked
    return Figures(time.perf_counter() - started, worked / _entries(about))


def _entries(about: dict[str, Any]) -> int:
    """Return how many there are; endings have no index that goes through all of them."""
    return int(about["index_size"] or about["positions"])


def _by_command(task: Task) -> Figures:
    """Solve as a person would, in a process of its own, table and checkpoints included."""
    command = [sys.executable, "-m", "halma.cli", "solve", task.variant, "--json"]
    if task.pieces is not None:
        command += ["--pieces", str(task.pieces)]
    started, before = time.perf_counter(), os.times()
    with TemporaryDirectory() as folder:
        ran = subprocess.run([*command, "--out", folder], capture_output=True, text=True)
    if ran.returncode:
        raise HalmaError(ran.stderr.strip())
    about = json.loads(ran.stdout)
    seconds, after = time.perf_counter() - started, os.times()
    worked = after.children_user + after.children_system
    worked -= before.children_user + before.children_system
    return Figures(seconds, worked / _entries(about), about["peak_bytes"])


def _lookups(variant: Game, folder: Path, seed: int) -> Work:
    """Values of positions from random games, out of a mapped file."""
    solve(variant, folder)
    solution = open_table(table_path(variant, folder), variant)
    states = variant.core.sample_states(variant.core.initial(), _STATES, seed)
    states = np.random.default_rng(seed).permutation(states)

    def look_up(times: int) -> float:
        for _ in range(times):
            solution.look_up_many(states)
        return float(times * len(states))

    return look_up
