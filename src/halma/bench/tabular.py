"""`halma bench tabular`: how fast tabular AlphaZero learns, and in how much memory.

One iteration is played over and over: the table is put back in between, so that every round
does the same work, and what it has learnt can be compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from halma.bench.harness import Report, Row, Settings
from halma.bench.memory import training_bytes
from halma.errors import HalmaError
from halma.games import Game
from halma.learn.recipe import Recipe, load
from halma.learn.tabular import make_trainer
from halma.solve import solve
from halma.solve.solution import ChanceSolution
from halma.solve.tables import table_path

PAPER = "hsueh2023"
#: Where the paper's figures come from.
ABOUT_PAPER = "hsueh2023, its own figures, on a 3.7 GHz i9"


@dataclass(frozen=True)
class Iteration:
    """An iteration of a recipe: seconds it may take on one thread, and the paper's seconds."""

    recipe: str
    goal: float
    paper: float


ITERATIONS = (
    Iteration("hsueh2023/ewn-3x3-3", 1.5, 2.143),
    Iteration("hsueh2023/cdc-2x4-PPPP", 10.0, 18.418),
)
#: games of an iteration; a quick run plays a tenth of them and takes them ten times
GAMES = 1000
MATCH_GAMES = 10_000
MATCH_SECONDS = 1.0
#: times the throughput of one thread
TWO_THREADS = 1.8
#: recipe, bytes
MEMORY: tuple[tuple[str, float], ...] = (("hsueh2023/cdc-2x4-GGCC", 1.5e9),)
#: What a quick run measures at all: the settings' rounds last a tenth of a second there.
_QUICK_SECONDS = 0.5


def measure_tabular(settings: Settings, seed: int, note: Callable[[str], None]) -> Report:
    """Measure everything, telling `note` how it goes."""
    report = Report()

    def add(row: Row) -> None:
        report.rows.append(row)
        of_goal = "" if row.goal is None else f", {row.value / row.goal:.2f} times the goal"
        note(f"{row.name}: {row.value:,.4g} {row.unit}{of_goal}")

    for iteration in ITERATIONS:
        for row in _iteration_rows(iteration, settings, seed):
            add(row)
    if settings.seconds < _QUICK_SECONDS:
        report.notes.append("Memory is left out of a quick run.")
        return report
    for recipe, goal in MEMORY:
        try:
            taken = _memory(recipe)
        except HalmaError as error:
            report.notes.append(str(error))
            continue
        add(Row(f"{load(recipe).game.name} memory", taken / 1e9, "GB", goal / 1e9, at_most=True))
    return report


def _iteration_rows(iteration: Iteration, settings: Settings, seed: int) -> list[Row]:
    games = max(2, round(GAMES * min(1.0, settings.seconds)))
    recipe = load(iteration.recipe, {"seed": seed, "selfplay.games": games})
    again = _Again(recipe)
    best = {1: float("inf"), 2: float("inf")}
    match = float("inf")
    learnt: dict[int, bytes] = {}
    for _ in range(settings.rounds):
        for threads in best:
            best[threads] = min(best[threads], again.iterate(threads))
            learnt[threads] = again.learnt
        match = min(match, again.match(seed))
    name = recipe.game.name
    if learnt[1] != learnt[2]:
        raise HalmaError(f"With two threads '{name}' did not learn the same as with one.")
    seconds = best[1] * GAMES / games
    return [
        Row(
            f"{name} {GAMES:,} games",
            seconds,
            "s",
            iteration.goal,
            at_most=True,
            peer=PAPER,
            peer_value=iteration.paper,
            peer_unit="s",
        ),
        Row(f"{name} two threads", best[1] / best[2], "times", TWO_THREADS),
        Row(f"{name} WR_p", match, "s", MATCH_SECONDS, at_most=True),
    ]


class _Again:
    """The second iteration of a recipe, as often as one likes."""

    def __init__(self, recipe: Recipe) -> None:
        solution = solve(recipe.game, keep=False)
        assert isinstance(solution, ChanceSolution)
        self._truth = solution.arrays
        self._rate = recipe.settings.learning.rate
        self._trainer = make_trainer(recipe, threads=2)
        # After one iteration the window is as full as it will be, for two.
        self._trainer.iterate(self._rate, threads=2)
        self._table = self._trainer.table().copy()
        self._updates = self._trainer.updates().copy()
        self._recent = self._trainer.recent()

    def iterate(self, threads: int) -> float:
        """Play and learn; return the seconds that took."""
        trainer = self._trainer
        trainer.table()[:] = self._table
        trainer.updates()[:] = self._updates
        trainer.restore(1, self._recent)
        started = time.perf_counter()
        trainer.iterate(self._rate, threads)
        return time.perf_counter() - started

    @property
    def learnt(self) -> bytes:
        """What the last iteration came to."""
        return np.asarray(self._trainer.table()).tobytes() + self._trainer.recent()

    def match(self, seed: int) -> float:
        """Play WR_p's games on one thread; return the seconds that took."""
        started = time.perf_counter()
        values, distances = self._truth["values"], self._truth["distances"]
        self._trainer.match(values, distances, MATCH_GAMES, seed=seed, threads=1)
        return time.perf_counter() - started


def _memory(recipe: str) -> int:
    variant = load(recipe).game
    with TemporaryDirectory() as folder:
        return training_bytes(recipe, _table(variant, Path(folder)))


def _table(variant: Game, folder: Path) -> Path:
    """Return a file with the exact solution, made in a folder if there is none yet."""
    path = table_path(variant)
    if path.exists():
        return path
    solve(variant, folder)
    return table_path(variant, folder)
