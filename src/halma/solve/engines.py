"""The core's solvers, made alike: one step at a time, with checkpoints between steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

from halma import _core
from halma.games import Game
from halma.solve.solution import ChanceSolution, RetrogradeSolution, Solution
from halma.solve.table import Arrays


class Engine(ABC):
    """A solver at work on one variant. Nothing is allocated before it is asked to work."""

    #: the class of what comes out
    solution: type[Solution]

    def __init__(self, game: Game, threads: int) -> None:
        self.game = game
        self.threads = threads
        #: positions seen to so far
        self.done = 0

    @staticmethod
    @abstractmethod
    def suits(game: Game) -> bool:
        """Tell whether this engine solves such games."""

    @property
    @abstractmethod
    def total(self) -> int:
        """What `done` is at the end."""

    @property
    @abstractmethod
    def bytes_needed(self) -> int:
        """Memory for the whole run."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether everything is solved."""

    @abstractmethod
    def step(self) -> None:
        """Solve the next layer; the interpreter is free meanwhile."""

    @abstractmethod
    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        """Return all there is to know between two steps."""

    @abstractmethod
    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        """Go back to a checkpoint."""

    @abstractmethod
    def finish(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the arrays of the solution and what can be counted of it."""


class ChanceEngine(Engine):
    """Games with dice or face-down pieces."""

    solution = ChanceSolution

    @cached_property
    def _core(self) -> _core.Expectimax:
        return _core.Expectimax(self.game.core, self.threads)

    @staticmethod
    def suits(game: Game) -> bool:
        """Tell whether the core knows stages for such games."""
        return _core.Expectimax.solves(game.core)

    @property
    def total(self) -> int:
        """What `done` is at the end."""
        return self._core.decisions

    @property
    def bytes_needed(self) -> int:
        """Memory for values, distances and what can be reached."""
        return _core.Expectimax.bytes_needed(self.game.core)

    @property
    def finished(self) -> bool:
        """Whether the last stage is solved."""
        return self._core.finished

    def step(self) -> None:
        """Solve the next stage."""
        self.done += self._core.step()

    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        """Return values and distances so far, and how far that is."""
        arrays = {"values": self._core.values(), "distances": self._core.distances()}
        return arrays, {"stage": self._core.stage, "done": self.done}

    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        """Go back to a checkpoint."""
        self._core.restore(about["stage"], arrays["values"], arrays["distances"])
        self.done = about["done"]

    def finish(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the arrays of the solution and what can be counted of it."""
        arrays: dict[str, Any] = {
            "values": self._core.values(),
            "distances": self._core.distances(),
        }
        table = _core.ExpectimaxTable(
            self.game.core, arrays["values"], arrays["distances"], threads=self.threads
        )
        arrays["reachable"] = table.reachable()
        return arrays, {**table.count(arrays["reachable"]), "illegal": 0}


class RetrogradeEngine(Engine):
    """Deterministic games for two with a dense index."""

    solution = RetrogradeSolution

    @cached_property
    def _core(self) -> Any:
        return _core.Retrograde(self.game.core, self.threads)

    @staticmethod
    def suits(game: Game) -> bool:
        """Tell whether the core can take moves of such games back."""
        retrograde = getattr(_core, "Retrograde", None)
        return retrograde is not None and bool(retrograde.solves(game.core))

    @property
    def total(self) -> int:
        """What `done` is at the end; draws and illegal positions are seen to last."""
        return self.game.core.index_size

    @property
    def bytes_needed(self) -> int:
        """Memory for the whole run."""
        return int(_core.Retrograde.bytes_needed(self.game.core))

    @property
    def finished(self) -> bool:
        """Whether no layer is left."""
        return bool(self._core.finished)

    def step(self) -> None:
        """Resolve the positions that are one ply further from the end."""
        self._core.step()
        self.done = self.total if self._core.finished else int(self._core.resolved)

    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        """Return all there is to know between two layers."""
        state = self._core.state()
        numbers = {key: value for key, value in state.items() if not hasattr(value, "dtype")}
        arrays = {key: value for key, value in state.items() if hasattr(value, "dtype")}
        return arrays, {"state": numbers, "done": self.done}

    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        """Go back to a checkpoint."""
        self._core.restore({**about["state"], **arrays})
        self.done = about["done"]

    def finish(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the arrays of the solution and what can be counted of it."""
        solved = self._core
        arrays = {"values": solved.values(), "distances": solved.distances()}
        counts = dict(solved.counts())
        longest = _longest_win(arrays)
        return arrays, {"positions": self.total, **counts, "longest_win": longest}


def _longest_win(arrays: Arrays) -> int:
    """Return the longest distance of a won position, a portion at a time."""
    import numpy as np

    longest, portion = 0, 1 << 22
    distances = arrays["distances"]
    for start in range(0, len(distances), portion):
        packed = arrays["values"][start // 4 : (start + portion) // 4]
        codes = np.stack([packed >> (2 * i) & 3 for i in range(4)], axis=1).ravel()
        part = distances[start : start + portion]
        won = part[codes[: len(part)] == 1]
        longest = max(longest, int(won.max(initial=0)))
    return longest


ENGINES: tuple[type[Engine], ...] = (ChanceEngine, RetrogradeEngine)
