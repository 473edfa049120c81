"""`halma bench solve`: the speed of solving variants and of look-ups in a mapped table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from halma.bench.harness import Effort, Measurement, Work, measure_rate, repeated
from halma.errors import HalmaError
from halma.games import Game, game
from halma.solve import solve
from halma.solve.solver import open_table
from halma.solve.tables import table_path


@dataclass(frozen=True)
class SolveCase:
    """A variant to solve, or its endgames with at most this many pieces."""

    variant: str
    pieces: int | None = None

    def __str__(self) -> str:
        return self.variant if self.pieces is None else f"{self.variant}, {self.pieces} pieces"


@dataclass(frozen=True)
class SolveCost:
    """The cost of solving a case."""

    #: wall-clock time
    seconds: float
    #: processor time per entry of the table, which other load affects little
    per_entry: float
    #: peak memory of the process in bytes; 0 where it is not known
    peak: int = 0


#: case, goal in seconds
QUICK_SOLVES = ((SolveCase("ewn-3x3-3"), 0.5), (SolveCase("cdc-2x4-PPPP"), 1.0))
#: case, goal in seconds, goal in bytes
LONG_SOLVES = (
    (SolveCase("cdc-2x4-GGCC"), 20.0, None),
    (SolveCase("rhombus-7x7-3"), 180.0, 1e9),
    (SolveCase("draughts-8x8", 4), 60.0, None),
)
#: A small and a large variant of a family; time per entry may grow by half. Below some
#: hundred thousand entries, waiting for threads dominates.
FAMILIES = (
    (SolveCase("ewn-3x3-3"), SolveCase("ewn-3x3-4")),
    (SolveCase("cdc-2x4-PPPP"), SolveCase("cdc-2x4-KGCP")),
    (SolveCase("rhombus-4x4-3"), SolveCase("rhombus-7x7-3")),
    (SolveCase("draughts-8x8", 3), SolveCase("draughts-8x8", 4)),
)
LOOKUPS = (("ewn-3x3-3", 5e6), ("cdc-2x4-PPPP", 5e6), ("rhombus-5x5-3", 5e6))
_STATES = 1_000_000


def measure_solve(effort: Effort, seed: int) -> Iterator[Measurement | str]:
    """Measure solving, its growth from a small to a large variant, and look-ups."""
    costs: dict[SolveCase, SolveCost] = {}
    for case, goal in QUICK_SOLVES:
        costs[case] = _in_memory(case, effort.rounds)
        yield Measurement(f"{case} solved", costs[case].seconds, "s", goal, at_most=True)
    if effort.long:
        for case, goal, memory in LONG_SOLVES:
            try:
                costs[case] = _by_command(case)
            except HalmaError as error:
                yield str(error)
                continue
            yield Measurement(f"{case} solved", costs[case].seconds, "s", goal, at_most=True)
            if memory is not None and costs[case].peak:
                yield Measurement(f"{case} memory", costs[case].peak, "bytes", memory, at_most=True)
        for small, large in FAMILIES:
            for case, rounds in ((small, effort.rounds), (large, 1)):
                costs[case] = costs.get(case) or _in_memory(case, rounds)
            growth = costs[large].per_entry / costs[small].per_entry
            yield Measurement(f"{large} growth", growth, "times", 1.5, at_most=True)
    for name, goal in LOOKUPS:
        with TemporaryDirectory() as folder:
            work = _lookups(game(name), Path(folder), seed)
            yield measure_rate(f"{name} look-ups", "positions/s", effort, work, goal)


def _in_memory(case: SolveCase, rounds: int) -> SolveCost:
    """Solve several times without writing the table; return the least costs."""
    costs = []
    for _ in range(rounds):
        started, worked = time.perf_counter(), time.process_time()
        about = solve(game(case.variant), keep=False, pieces=case.pieces).about
        worked = time.process_time() - worked
        costs.append((time.perf_counter() - started, worked / _entries(about)))
    return SolveCost(*map(min, zip(*costs, strict=True)))


def _entries(about: dict[str, Any]) -> int:
    """Return the entries of a table; endgames have no index over all of them."""
    return int(about["index_size"] or about["positions"])


def _by_command(case: SolveCase) -> SolveCost:
    """Solve with `halma solve` in a process of its own, writing table and checkpoints."""
    command = [sys.executable, "-m", "halma.cli", "solve", case.variant, "--json"]
    if case.pieces is not None:
        command += ["--pieces", str(case.pieces)]
    started, before = time.perf_counter(), os.times()
    with TemporaryDirectory() as folder:
        ran = subprocess.run([*command, "--out", folder], capture_output=True, text=True)
    if ran.returncode:
        raise HalmaError(ran.stderr.strip().splitlines()[-1])
    about = json.loads(ran.stdout)
    seconds, after = time.perf_counter() - started, os.times()
    worked = after.children_user + after.children_system
    worked -= before.children_user + before.children_system
    return SolveCost(seconds, worked / _entries(about), about["peak_bytes"])


def _lookups(variant: Game, folder: Path, seed: int) -> Work:
    """Return work that looks up positions from random games in a mapped table."""
    solve(variant, folder)
    solution = open_table(table_path(variant, folder), variant)
    states = variant.core.sample_states(variant.core.initial(), _STATES, seed)
    states = np.random.default_rng(seed).permutation(states)
    return repeated(partial(solution.look_up_many, states), len(states))
