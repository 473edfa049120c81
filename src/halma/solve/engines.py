"""The core's solvers behind one interface: a step at a time, with checkpoints between steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

from halma import _core
from halma.games import Game
from halma.solve.solution import (
    EndgameSolution,
    ExpectimaxSolution,
    RetrogradeSolution,
    Solution,
    expectimax_arrays,
    slice_arrays,
)
from halma.solve.tables import ArrayLayout, Arrays, LazyArray, Writable
from halma.structure import ArrayKind, Check, fields, list_of, real, whole

_COMMON: dict[str, Check] = {"done": whole(), "seconds": real(0)}


class Engine(ABC):
    """A solver of one variant. Nothing is allocated before the first step."""

    #: the class of the result
    solution: type[Solution]
    #: whether distances may be left out of the table
    distances_optional = False

    def __init__(self, game: Game, threads: int, pieces: int) -> None:
        self.game = game
        self.threads = threads
        #: the most pieces of endgames; 0 for the whole game
        self.pieces = pieces
        #: positions solved so far
        self.done = 0

    @staticmethod
    @abstractmethod
    def supports(game: Game, pieces: int | None) -> bool:
        """Whether this engine solves the game, or with `pieces` its endgames."""

    @property
    def total(self) -> int:
        """`done` at the end."""
        return self.entries

    @property
    def entries(self) -> int:
        """Entries of the table."""
        return self.game.core.index_size

    @property
    @abstractmethod
    def bytes_needed(self) -> int:
        """Memory needed."""

    @property
    def bytes_on_disk(self) -> int:
        """Disk space needed for a checkpoint and, beside it, the next one or the table."""
        return 2 * self.bytes_needed

    @property
    def exact(self) -> bool:
        """Whether values will be exact fractions."""
        return True

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether everything is solved."""

    @abstractmethod
    def step(self) -> None:
        """Solve the next part; the interpreter lock is released meanwhile."""

    @abstractmethod
    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the state between two steps: arrays, and numbers for JSON."""

    @abstractmethod
    def layout(self) -> ArrayLayout:
        """Return what the file of a checkpoint must be like."""

    @abstractmethod
    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        """Continue from a checkpoint, or raise a `ValueError` if it is of no such analysis."""

    @abstractmethod
    def finish(self) -> tuple[Writable, dict[str, Any]]:
        """Return the arrays of the solution and its statistics."""


class ExpectimaxEngine(Engine):
    """Games with chance, stage by stage."""

    solution = ExpectimaxSolution

    @cached_property
    def _core(self) -> _core.Expectimax:
        return _core.Expectimax(self.game.core, self.threads)

    @staticmethod
    def supports(game: Game, pieces: int | None) -> bool:
        return pieces is None and _core.Expectimax.supports(game.core)

    @property
    def total(self) -> int:
        return self._core.decisions

    @property
    def bytes_needed(self) -> int:
        """Memory for values, distances and the set of reachable positions."""
        return _core.Expectimax.bytes_needed(self.game.core)

    @property
    def exact(self) -> bool:
        return self._core.exact

    @property
    def finished(self) -> bool:
        return self._core.finished

    def step(self) -> None:
        self.done += self._core.step()

    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        return self._arrays(), {"stage": self._core.stage, "done": self.done}

    def layout(self) -> ArrayLayout:
        about = fields({**_COMMON, "stage": whole(0, self._core.stages)})
        return ArrayLayout(about, lambda about, names: expectimax_arrays(self.game))

    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        self._core.restore(about["stage"], arrays["values"], arrays["distances"])
        self.done = about["done"]

    def finish(self) -> tuple[Writable, dict[str, Any]]:
        arrays = self._arrays()
        solution = ExpectimaxSolution(self.game, arrays, {})
        reachable = solution.core.reachable()
        counts = solution.core.count(reachable)
        about = {**counts, "illegal": 0, "start_value": solution.start_value()}
        return {**arrays, "reachable": reachable}, about

    def _arrays(self) -> Arrays:
        return {"values": self._core.values(), "distances": self._core.distances()}


class RetrogradeEngine(Engine):
    """Games without chance for two players with a dense index, from the end backward."""

    solution = RetrogradeSolution
    distances_optional = True

    @cached_property
    def _core(self) -> _core.Retrograde:
        return _core.Retrograde(self.game.core, self.threads)

    @staticmethod
    def supports(game: Game, pieces: int | None) -> bool:
        return pieces is None and _core.Retrograde.supports(game.core)

    @property
    def bytes_needed(self) -> int:
        """Memory for the analysis; the table is computed chunk by chunk at its end."""
        return _core.Retrograde.bytes_needed(self.game.core)

    @property
    def bytes_on_disk(self) -> int:
        """Disk space for a checkpoint, which is smaller than memory, and for the table."""
        return self.bytes_needed + self.total + self.total // 4

    @property
    def finished(self) -> bool:
        return self._core.finished

    def step(self) -> None:
        """Solve the positions that are one ply further from the end."""
        self._core.step()
        # Draws and illegal positions are known last.
        self.done = self.total if self._core.finished else self._core.resolved

    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        state = self._core.state()
        numbers = {key: value for key, value in state.items() if not hasattr(value, "dtype")}
        arrays = {key: value for key, value in state.items() if hasattr(value, "dtype")}
        return arrays, {"state": numbers, "done": self.done}

    def layout(self) -> ArrayLayout:
        state = fields({"open": whole(0, 255), "layers": list_of(whole()), "illegal": whole()})
        arrays = {
            "cells": ArrayKind("uint8", ("cells",)),
            "frontier": ArrayKind("uint64", ("words",)),
        }
        return ArrayLayout(fields({**_COMMON, "state": state}), lambda about, names: arrays)

    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        self._core.restore({**about["state"], **arrays})
        self.done = about["done"]

    def finish(self) -> tuple[Writable, dict[str, Any]]:
        """Return values, four a byte, and distances, and the statistics."""
        solver, size = self._core, self.total

        def values(first: int, number: int) -> Any:
            return solver.values(4 * first, min(4 * number, size - 4 * first))

        arrays = {
            "values": LazyArray((size + 3) // 4, values),
            "distances": LazyArray(size, solver.distances),
        }
        core = self.game.core
        start_value, start_plies = solver.probe(core.index(core.initial()))
        about = {
            "positions": size,
            **solver.counts(),
            # Won positions are at odd distances.
            "longest_win": max(range(1, len(solver.layers), 2), default=0),
            "start_value": start_value,
            "start_plies": start_plies,
        }
        return arrays, about


class EndgameEngine(Engine):
    """Positions with few pieces, one material after the other."""

    solution = EndgameSolution

    @cached_property
    def _core(self) -> _core.Endgames:
        return _core.Endgames(self.game.core, self.pieces, self.threads)

    @staticmethod
    def supports(game: Game, pieces: int | None) -> bool:
        return pieces is not None and _core.Endgames.supports(game.core)

    @property
    def entries(self) -> int:
        return _core.Endgames.bytes_needed(self.game.core, self.pieces)

    @property
    def bytes_needed(self) -> int:
        """Memory for all tables; solving the largest takes its size twice more."""
        return 3 * self.total

    @property
    def finished(self) -> bool:
        return self.done >= self.total

    def step(self) -> None:
        """Solve the next slice and its mirror image."""
        self.done += self._core.step() or self.total

    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        tables = {str(i): self._core.table(i) for i in range(len(self._core.slices))}
        return {key: table for key, table in tables.items() if table.size}, {"done": self.done}

    def layout(self) -> ArrayLayout:
        def arrays(about: dict[str, Any], names: list[str]) -> dict[str, ArrayKind]:
            # Slices that were not solved yet are missing.
            wanted = slice_arrays(self._core).items()
            return {name: kind for name, kind in wanted if name in names}

        return ArrayLayout(fields(_COMMON), arrays)

    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        for key, table in arrays.items():
            self._core.restore(int(key), table)
        self.done = sum(table.size for table in arrays.values())

    def finish(self) -> tuple[Writable, dict[str, Any]]:
        counts = [self._core.counts(i) for i in range(len(self._core.slices))]
        sums = {key: sum(c[key] for c in counts) for key in ("wins", "draws", "losses", "illegal")}
        positions = sums["wins"] + sums["draws"] + sums["losses"]
        longest = max(c["longest_win"] for c in counts)
        about = {"pieces": self.pieces, "positions": positions, **sums, "longest_win": longest}
        # The start has too many pieces to be in the tables.
        return self.checkpoint()[0], {**about, "start_value": None}


ENGINES: tuple[type[Engine], ...] = (ExpectimaxEngine, RetrogradeEngine, EndgameEngine)


def engine_for(game: Game, threads: int = 2, pieces: int | None = None) -> Engine | None:
    """Return a solver for a variant, or for its endgames up to `pieces`, if there is one."""
    return next((e(game, threads, pieces or 0) for e in ENGINES if e.supports(game, pieces)), None)
