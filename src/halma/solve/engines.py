"""The core's solvers, made alike: one step at a time, with checkpoints between steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

from halma import _core
from halma.games import Game
from halma.solve.solution import (
    ChanceSolution,
    EndgameSolution,
    RetrogradeSolution,
    Solution,
    worth,
)
from halma.storage import Arrays, LazyArray, Writable


class Engine(ABC):
    """A solver at work on one variant. Nothing is allocated before it is asked to work."""

    #: the class of what comes out
    solution: type[Solution]
    #: whether a solution is of use without its distances
    distances_optional = False

    def __init__(self, game: Game, threads: int, pieces: int | None = None) -> None:
        self.game = game
        self.threads = threads
        self.pieces = pieces
        #: positions seen to so far
        self.done = 0

    @staticmethod
    @abstractmethod
    def suits(game: Game, pieces: int | None) -> bool:
        """Tell whether this engine solves such games, or their endings with few pieces."""

    @property
    @abstractmethod
    def total(self) -> int:
        """What `done` is at the end."""

    @property
    @abstractmethod
    def bytes_needed(self) -> int:
        """Memory for the whole run."""

    @property
    def bytes_on_disk(self) -> int:
        """Room for a checkpoint and, beside it, for the next one or the table."""
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
        """Solve the next layer; the interpreter is free meanwhile."""

    @abstractmethod
    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        """Return all there is to know between two steps."""

    @abstractmethod
    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        """Go back to a checkpoint."""

    @abstractmethod
    def finish(self) -> tuple[Writable, dict[str, Any]]:
        """Return the arrays of the solution and what can be told of it."""


class ChanceEngine(Engine):
    """Games with dice or face-down pieces."""

    solution = ChanceSolution

    @cached_property
    def _core(self) -> _core.Expectimax:
        return _core.Expectimax(self.game.core, self.threads)

    @staticmethod
    def suits(game: Game, pieces: int | None) -> bool:
        """Tell whether the core knows stages for such games."""
        return pieces is None and _core.Expectimax.supports(game.core)

    @property
    def total(self) -> int:
        """What `done` is at the end."""
        return self._core.decisions

    @property
    def bytes_needed(self) -> int:
        """Memory for values, distances and what can be reached."""
        return _core.Expectimax.bytes_needed(self.game.core)

    @property
    def exact(self) -> bool:
        """Whether doubles can count up to the denominator of the values."""
        return self._core.exact

    @property
    def finished(self) -> bool:
        """Whether the last stage is solved."""
        return self._core.finished

    def step(self) -> None:
        """Solve the next stage."""
        self.done += self._core.step()

    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        """Return values and distances so far, and how far that is."""
        arrays: Arrays = {"values": self._core.values(), "distances": self._core.distances()}
        return arrays, {"stage": self._core.stage, "done": self.done}

    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        """Go back to a checkpoint."""
        self._core.restore(about["stage"], arrays["values"], arrays["distances"])
        self.done = about["done"]

    def finish(self) -> tuple[Writable, dict[str, Any]]:
        """Return the arrays of the solution and what can be told of it."""
        arrays: dict[str, Any] = {
            "values": self._core.values(),
            "distances": self._core.distances(),
        }
        table = _core.ExpectimaxTable(
            self.game.core, arrays["values"], arrays["distances"], threads=self.threads
        )
        arrays["reachable"] = table.reachable()
        start = ChanceSolution(self.game, arrays, {}).start_value()
        counts = table.count(arrays["reachable"])
        return arrays, {**counts, "illegal": 0, "start_value": start}


class RetrogradeEngine(Engine):
    """Deterministic games for two with a dense index."""

    solution = RetrogradeSolution
    distances_optional = True

    @cached_property
    def _core(self) -> Any:
        return _core.Retrograde(self.game.core, self.threads)

    @staticmethod
    def suits(game: Game, pieces: int | None) -> bool:
        """Tell whether the core can take moves of such games back."""
        retrograde = getattr(_core, "Retrograde", None)
        return pieces is None and retrograde is not None and bool(retrograde.supports(game.core))

    @property
    def total(self) -> int:
        """What `done` is at the end; draws and illegal positions are seen to last."""
        return self.game.core.index_size

    @property
    def bytes_needed(self) -> int:
        """Memory for the run; the table is made part by part at its end."""
        return int(_core.Retrograde.bytes_needed(self.game.core))

    @property
    def bytes_on_disk(self) -> int:
        """Room for a checkpoint, which is smaller than memory, and for values and distances."""
        return self.bytes_needed + self.total + self.total // 4

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

    def finish(self) -> tuple[Writable, dict[str, Any]]:
        """Return the arrays of the solution and what can be told of it."""
        solved, size = self._core, self.total

        def values(first: int, number: int) -> Any:
            return solved.values(4 * first, min(4 * number, size - 4 * first))

        arrays = {
            "values": LazyArray((size + 3) // 4, values),
            "distances": LazyArray(size, solved.distances),
        }
        core = self.game.core
        code, plies = solved.probe(core.index(core.initial()))
        about = {
            "positions": size,
            **solved.counts(),
            # Won positions are at odd distances.
            "longest_win": max((d for d in range(1, len(solved.layers), 2)), default=0),
            "start_value": worth(code),
            "start_plies": plies,
        }
        return arrays, about


class EndgameEngine(Engine):
    """Positions with few pieces, one material after the other."""

    solution = EndgameSolution

    def __init__(self, game: Game, threads: int, pieces: int | None = None) -> None:
        super().__init__(game, threads, pieces)
        assert pieces is not None
        self._pieces = pieces

    @cached_property
    def _core(self) -> _core.Endgames:
        return _core.Endgames(self.game.core, self._pieces, self.threads)

    @staticmethod
    def suits(game: Game, pieces: int | None) -> bool:
        """Tell whether there are endings of so many pieces."""
        return pieces is not None and _core.Endgames.supports(game.core)

    @property
    def total(self) -> int:
        """What `done` is at the end."""
        return _core.Endgames.bytes_needed(self.game.core, self._pieces)

    @property
    def bytes_needed(self) -> int:
        """Memory for all tables; the work on the largest needs its size twice more."""
        return 3 * self.total

    @property
    def finished(self) -> bool:
        """Whether every slice is solved."""
        return self.done >= self.total

    def step(self) -> None:
        """Solve the next slice and its mirror image."""
        self.done += self._core.step() or self.total

    def checkpoint(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the tables of the slices that are solved."""
        tables = {str(i): self._core.table(i) for i in range(len(self._core.slices))}
        return {key: table for key, table in tables.items() if table.size}, {"done": self.done}

    def resume(self, arrays: Arrays, about: dict[str, Any]) -> None:
        """Go back to a checkpoint."""
        for key, table in arrays.items():
            self._core.restore(int(key), table)
        self.done = about["done"]

    def finish(self) -> tuple[Writable, dict[str, Any]]:
        """Return all tables, and their counts added up."""
        counts = [self._core.counts(i) for i in range(len(self._core.slices))]
        sums = {key: sum(c[key] for c in counts) for key in ("wins", "draws", "losses", "illegal")}
        positions = sums["wins"] + sums["draws"] + sums["losses"]
        longest = max(c["longest_win"] for c in counts)
        about = {"pieces": self.pieces, "positions": positions, **sums, "longest_win": longest}
        # What the start is worth nobody knows, as far as endings go.
        return self.checkpoint()[0], {**about, "start_value": None}


ENGINES: tuple[type[Engine], ...] = (ChanceEngine, RetrogradeEngine, EndgameEngine)
