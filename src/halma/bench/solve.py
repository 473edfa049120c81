"""`halma bench solve`: how fast variants are solved, and solutions looked up."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from halma.bench.harness import Report, Row, Settings, Work, rates
from halma.errors import HalmaError
from halma.games import Game, game
from halma.solve import solve
from halma.solve.solver import open_table
from halma.solve.table import table_path

#: variant, pieces where only endings are solved, seconds it may take
QUICK_SOLVES: tuple[tuple[str, int | None, float], ...] = (
    ("ewn-3x3-3", None, 0.5),
    ("cdc-2x4-PPPP", None, 1.0),
)
LONG_SOLVES: tuple[tuple[str, int | None, float], ...] = (
    ("cdc-2x4-GGCC", None, 20.0),
    ("rhombus-7x7-3", None, 180.0),
    ("draughts-8x8", 4, 60.0),
)
LOOKUPS = (("ewn-3x3-3", 5e6), ("cdc-2x4-PPPP", 5e6))
#: a small and a large variant of a family; time per entry may grow by half
FAMILIES = (("ewn-3x3-3", "ewn-3x3-4"), ("cdc-2x4-PPPP", "cdc-2x4-GGCC"))
_STATES = 1_000_000
#: What a quick run measures at all: the settings' rounds last a tenth of a second there.
_QUICK_SECONDS = 0.5


def measure_solve(settings: Settings, seed: int, note: Callable[[str], None]) -> Report:
    """Measure everything, telling `note` how it goes."""
    report = Report()
    full = settings.seconds >= _QUICK_SECONDS

    def add(row: Row) -> None:
        report.rows.append(row)
        note(f"{row.name}: {row.value:,.4g} {row.unit}")

    for name, pieces, goal in QUICK_SOLVES + (LONG_SOLVES if full else ()):
        rounds = settings.rounds if goal <= 1 else 1
        try:
            seconds = min(_seconds(game(name), pieces) for _ in range(rounds))
        except HalmaError as error:
            report.notes.append(str(error))
            continue
        what = name if pieces is None else f"{name}, {pieces} pieces"
        add(Row(f"{what} solved", seconds, "s", goal, at_most=True))
    for small, large in FAMILIES if full else ():
        growth = _per_entry(game(large)) / _per_entry(game(small))
        add(Row(f"{large} growth", growth, "times", 1.5, at_most=True))
    for name, rate in LOOKUPS:
        with TemporaryDirectory() as folder:
            best = rates({"halma": _lookups(game(name), Path(folder), seed)}, settings)["halma"]
        add(Row(f"{name} look-ups", best, "positions/s", rate))
    return report


def _seconds(variant: Game, pieces: int | None = None) -> float:
    """Solve a variant without its table's way to the disk."""
    started = time.perf_counter()
    solve(variant, keep=False, pieces=pieces)
    return time.perf_counter() - started


def _per_entry(variant: Game) -> float:
    return min(_seconds(variant) for _ in range(2)) / variant.core.index_size


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
