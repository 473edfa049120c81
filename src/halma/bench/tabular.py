"""`halma bench tabular`: the speed and memory of tabular AlphaZero.

One iteration is repeated. The table is restored in between, so that every round does the
same work, and the tables learned with one and two threads can be compared.

`python -m halma.bench.tabular RECIPE TABLE` measures memory in a process of its own: it trains for
two iterations with an exact solution from a file, evaluates, saves and writes the report as any run
does, and prints its peak memory in bytes; pages of mapped files count too.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from halma.bench.harness import Effort, Measurement
from halma.errors import HalmaError
from halma.learn import train
from halma.learn.recipe import Recipe, load
from halma.learn.reports.page import HtmlReport
from halma.learn.tabular import make_trainer
from halma.machine import peak_bytes
from halma.solve import solve
from halma.solve.solution import ExpectimaxSolution
from halma.solve.solver import open_table
from halma.solve.tables import table_path

PAPER = "hsueh2023"
#: peer of this benchmark, instead of OpenSpiel
PEER = "hsueh2023, its own figures, on a 3.7 GHz i9"


#: recipe, goal for the seconds of an iteration on one thread, the paper's seconds
ITERATIONS = (
    ("hsueh2023/ewn-3x3-3", 1.5, 2.143),
    ("hsueh2023/cdc-2x4-PPPP", 10.0, 18.418),
)
#: games of an iteration; a quick run plays a tenth of them and multiplies the time by ten
GAMES = 1000
MATCH_GAMES = 10_000
MATCH_SECONDS = 1.0
#: goal for two threads, as a multiple of the throughput of one
TWO_THREADS = 1.8
#: recipe, goal in bytes
MEMORY: tuple[tuple[str, float], ...] = (("hsueh2023/cdc-2x4-GGCC", 1.5e9),)
#: changes that make a run short; the number of simulations does not affect memory
SHORT = {
    "iterations": 2,
    "search.simulations": 20,
    "truth.games": 1000,
    "checkpoints.keep": 1,
}


def measure_tabular(effort: Effort, seed: int) -> Iterator[Measurement | str]:
    """Measure an iteration, two threads, a match against perfect play, and memory."""
    for name, goal, paper in ITERATIONS:
        yield from _iteration(name, goal, paper, effort, seed)
    if not effort.long:
        yield "Memory is left out of a quick run."
        return
    for recipe, goal in MEMORY:
        try:
            taken = _memory(recipe) / 1e9
        except HalmaError as error:
            yield str(error)
            continue
        name = f"{load(recipe).game.name} memory"
        yield Measurement(name, taken, "GB", goal / 1e9, at_most=True)


def _iteration(
    name: str, goal: float, paper: float, effort: Effort, seed: int
) -> Iterator[Measurement]:
    games = max(2, round(GAMES * min(1.0, effort.seconds)))
    recipe = load(name, {"seed": seed, "selfplay.games": games})
    iteration = RepeatedIteration(recipe)
    best = {1: float("inf"), 2: float("inf")}
    match = float("inf")
    learned: dict[int, bytes] = {}
    for _ in range(effort.rounds):
        for threads in best:
            best[threads] = min(best[threads], iteration.run(threads))
            learned[threads] = iteration.learned
        match = min(match, iteration.match(seed))
    name = recipe.game.name
    if learned[1] != learned[2]:
        raise HalmaError(f"Two threads learned another table of '{name}' than one thread.")
    yield Measurement(
        f"{name} {GAMES:,} games",
        best[1] * GAMES / games,
        "s",
        goal,
        at_most=True,
        peer=PAPER,
        peer_value=paper,
        peer_unit="s",
    )
    yield Measurement(f"{name} two threads", best[1] / best[2], "times", TWO_THREADS)
    yield Measurement(f"{name} WR_p", match, "s", MATCH_SECONDS, at_most=True)


class RepeatedIteration:
    """The second iteration of a recipe, which can be run many times."""

    def __init__(self, recipe: Recipe) -> None:
        solution = solve(recipe.game, keep=False)
        assert isinstance(solution, ExpectimaxSolution)
        self._truth = solution.arrays
        self._rate = recipe.settings.learning.rate
        self._trainer = make_trainer(recipe, threads=2)
        # The replay buffer holds two iterations, so it is full from the second on.
        self._trainer.iterate(self._rate, threads=2)
        self._table = self._trainer.table().copy()
        self._updates = self._trainer.updates().copy()
        self._recent = self._trainer.replay_buffer()

    def run(self, threads: int) -> float:
        """Restore the state after the first iteration and run the second; return its seconds."""
        trainer = self._trainer
        trainer.table()[:] = self._table
        trainer.updates()[:] = self._updates
        trainer.restore(1, self._recent)
        started = time.perf_counter()
        trainer.iterate(self._rate, threads)
        return time.perf_counter() - started

    @property
    def learned(self) -> bytes:
        """Table and replay buffer after the last run."""
        return np.asarray(self._trainer.table()).tobytes() + self._trainer.replay_buffer()

    def match(self, seed: int) -> float:
        """Play the games of WR_p on one thread; return the seconds."""
        started = time.perf_counter()
        values, distances = self._truth["values"], self._truth["distances"]
        self._trainer.match(values, distances, MATCH_GAMES, seed=seed, threads=1)
        return time.perf_counter() - started


def _memory(recipe: str) -> int:
    """Return the peak memory of training; the exact solution is made if there is no table."""
    variant = load(recipe).game
    with TemporaryDirectory() as folder:
        path = table_path(variant)
        if not path.exists():
            solve(variant, Path(folder))
            path = table_path(variant, Path(folder))
        return training_bytes(recipe, path)


def training_bytes(recipe: str, table: Path) -> int:
    """Return the peak memory of training with an exact solution from a table."""
    command = [sys.executable, "-m", "halma.bench.tabular", recipe, str(table)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        errors = ran.stderr.strip().splitlines() or ["it printed no error"]
        raise HalmaError(f"The memory of '{recipe}' was not measured: {errors[-1]}")
    return int(ran.stdout)


def _train(recipe: Recipe, table: Path) -> None:
    solution = open_table(table, recipe.game)
    with TemporaryDirectory() as folder:
        out = Path(folder)
        train(recipe, out, [HtmlReport(out, solution=solution)], threads=2, solution=solution)


if __name__ == "__main__":
    _train(load(sys.argv[1], SHORT), Path(sys.argv[2]))
    print(peak_bytes())
