"""Solved variants: exact values of positions and moves, read from the arrays of a table."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from halma import _core
from halma.errors import TableError
from halma.games import Game, Move, Position
from halma.solve.tables import ArrayLayout, Arrays
from halma.structure import ArrayKind, Check, fields, optional, real, whole

#: Positions examined at a time.
_CHUNK = 1 << 22
_THREADS = os.cpu_count() or 1
#: Parts of a check of a retrograde table, to report progress and to stop between them.
_CHECKS = 400
#: The most pieces of endgame tables.
MAX_PIECES = 6

#: What `halma solve` reports.
_ABOUT: dict[str, Check] = {
    **dict.fromkeys(("positions", "wins", "draws", "losses", "illegal"), whole()),
    "longest_win": whole(0, 255),
    "start_value": optional(real(0, 1)),
}
_ABOUT_OPTIONAL = {"start_plies": whole(), "seconds": real(0), "bytes": whole(), "between": whole()}

#: Called with the work done so far and the total.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class MoveValue:
    """A legal move with its exact value for the player who makes it."""

    move: Move
    #: 1 for a win, 0.5 for a draw, 0 for a loss, or an average of those
    value: float
    #: plies to the end of a certain win or loss; otherwise plies to the next irreversible
    #: move, 0 for a draw
    distance: int

    def better_than(self, other: MoveValue) -> bool:
        """Whether a player prefers this move; see `core/exact_value.hpp`."""
        return _core.better(self.value, self.distance, other.value, other.distance)


class Solution(ABC):
    """Exact values of the positions of a variant, for the player to move in [0, 1].

    `about` is what `halma solve` reports.
    """

    #: kind of the file that holds such a solution
    kind: str
    #: whether distances are stored
    has_distances = True
    #: probed by searches of this game
    oracle: _core.Oracle

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        self.game = game
        self.arrays = arrays
        self.about = about

    @classmethod
    @abstractmethod
    def layout(cls, game: Game) -> ArrayLayout:
        """Return what a file that holds such a solution of a game must be like."""

    def probe(self, position: Position) -> tuple[float, int]:
        """Return value and distance for the player to move, also at chance and at the end."""
        if position.is_terminal:
            return position.result[position.mover], 0
        found = self.oracle.probe(self.game.core, position.state)
        if found is None:
            raise self._not_in_table()
        return found

    def value(self, position: Position) -> float:
        """Return the value for the player to move."""
        return self.probe(position)[0]

    def distance(self, position: Position) -> int:
        """Return the distance; see `MoveValue`."""
        return self.probe(position)[1]

    def moves(self, position: Position) -> list[MoveValue]:
        """Return every legal move with its value, in the order of `legal_moves`."""
        state = position.state
        return [
            MoveValue(Move(move, self.game.format_move(state, move)), value, distance)
            for move, value, distance in self.probe_moves(state)
        ]

    def probe_moves(self, state: bytes) -> list[tuple[int, float, int]]:
        """Return every legal move of a state with what `MoveValue` has of it."""
        core, found = self.game.core, []
        for move in core.legal(state):
            after = Position(self.game, core.play(state, move))
            value, distance = self.probe(after)
            if after.mover != core.mover(state):
                value = 1.0 - value
            counted = value != 0.5 and self.has_distances
            found.append((move, value, distance + 1 if counted else 0))
        return found

    def best_moves(self, position: Position) -> list[Move]:
        """Return the best moves: of equal values the quickest if ahead, the slowest if behind."""
        moves = self.moves(position)
        best = moves[0]
        for candidate in moves:
            if candidate.better_than(best):
                best = candidate
        return [candidate.move for candidate in moves if not best.better_than(candidate)]

    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Return the values of decision states (number, state size) for their movers: (number,)."""
        return self.values_at(_core.index_many(self.game.core, states).astype(np.int64))

    @abstractmethod
    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return values by index, same shape (number,); NaN where there is no position."""

    def distances_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Return distances by index, same shape (number,)."""
        found: npt.NDArray[np.uint8] = self.arrays["distances"][indices]
        return found

    def index_chunks(self) -> Iterator[npt.NDArray[np.int64]]:
        """Yield all indices, a few million at a time."""
        size = self.game.core.index_size
        for start in range(0, size, _CHUNK):
            yield np.arange(start, min(size, start + _CHUNK))

    def exact_arrays(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
        """Return values and distances by index, (index size,) each, as `_core.Expectimax` does."""
        if not self.has_distances:
            raise TableError(f"The table of '{self.game.name}' was written without distances.")
        indices = np.arange(self.game.core.index_size)
        return np.nan_to_num(self.values_at(indices)), self.distances_at(indices)

    def start_value(self) -> float | None:
        """Return the value of the start for the first player, averaged over random set-ups."""
        start = self.game.start()
        value = self.value(start)
        return value if start.mover == 0 else 1.0 - value

    def verify(self, progress: Progress = lambda done, total: None) -> int:
        """Return the number of entries that do not follow from those of their successors."""
        checks = self._checks()
        wrong = 0
        progress(0, len(checks))
        for done, check in enumerate(checks, start=1):
            wrong += check()
            progress(done, len(checks))
        return wrong

    @abstractmethod
    def _checks(self) -> list[Callable[[], int]]:
        """Return the parts of `verify`, each of which counts inconsistent entries."""

    def _not_in_table(self) -> TableError:
        return TableError(f"The table of '{self.game.name}' does not hold this position.")


def expectimax_arrays(game: Game) -> dict[str, ArrayKind]:
    """Return what the arrays of values and distances of a game with chance must be."""
    size, win = game.core.index_size, _core.Expectimax(game.core, 1).denominator
    # Values that are not exact fractions may be rounded up.
    values = ArrayKind("float64", (size,), 0, win * (1 + 1e-9))
    return {"values": values, "distances": ArrayKind("uint8", (size,))}


def slice_arrays(endgames: _core.Endgames) -> dict[str, ArrayKind]:
    """Return what the arrays of endgame tables must be, by the number of their slice."""
    numbers = range(len(endgames.slices))
    return {str(i): ArrayKind("uint8", (endgames.size(i),)) for i in numbers}


class ExpectimaxSolution(Solution):
    """A game solved by `_core.Expectimax`."""

    kind = "expectimax solution"

    @classmethod
    def layout(cls, game: Game) -> ArrayLayout:
        words = (game.core.index_size + 63) // 64
        arrays = {**expectimax_arrays(game), "reachable": ArrayKind("uint64", (words,))}
        return ArrayLayout(fields(_ABOUT, _ABOUT_OPTIONAL), lambda about, names: arrays)

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        super().__init__(game, arrays, about)
        self.core = _core.ExpectimaxTable(
            game.core, arrays["values"], arrays["distances"], threads=_THREADS
        )
        self.oracle = self.core

    @property
    def denominator(self) -> int | None:
        """A number that makes every value whole; None where values are rounded."""
        return int(self.core.denominator) if self.core.exact else None

    def probe_moves(self, state: bytes) -> list[tuple[int, float, int]]:
        denominator = self.core.denominator
        return [(move, value / denominator, plies) for move, value, plies in self.core.moves(state)]

    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        return self.core.look_up_many(states)

    def exact_arrays(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
        return self.arrays["values"], self.arrays["distances"]

    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return values by index; NaN where no game can get to."""
        reached = self.arrays["reachable"][indices >> 6] >> (indices & 63).astype(np.uint64)
        found = self.arrays["values"][indices] / self.core.denominator
        found[(reached & np.uint64(1)) == 0] = np.nan
        return found

    def _checks(self) -> list[Callable[[], int]]:
        return [self.core.verify]


class RetrogradeSolution(Solution):
    """A game without chance, solved by `_core.Retrograde`."""

    kind = "retrograde solution"

    @classmethod
    def layout(cls, game: Game) -> ArrayLayout:
        size = game.core.index_size
        lengths = {"values": (size + 3) // 4, "distances": size}

        def arrays(about: dict[str, Any], names: list[str]) -> dict[str, ArrayKind]:
            wanted = {"values", *names} & lengths.keys()
            return {name: ArrayKind("uint8", (lengths[name],)) for name in wanted}

        return ArrayLayout(fields(_ABOUT, _ABOUT_OPTIONAL), arrays)

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        super().__init__(game, arrays, about)
        self.has_distances = "distances" in arrays
        self.core = _core.RetrogradeTable(game.core, arrays["values"], arrays.get("distances"))
        self.oracle = self.core

    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return values by index; NaN where a position is illegal."""
        return self.core.values(indices)

    def _checks(self) -> list[Callable[[], int]]:
        core = self.game.core
        values, distances = self.arrays["values"], self.arrays.get("distances")
        rows, verify = _core.Retrograde.rows(core), partial(_core.Retrograde.verify, core)
        step = -(-rows // _CHECKS)
        return [
            partial(verify, values, distances, _THREADS, first, min(step, rows - first))
            for first in range(0, rows, step)
        ]


class EndgameSolution(Solution):
    """Endgame tables, solved by `_core.Endgames`: positions with few pieces only."""

    kind = "endgame tables"

    @classmethod
    def layout(cls, game: Game) -> ArrayLayout:
        def arrays(about: dict[str, Any], names: list[str]) -> dict[str, ArrayKind]:
            return slice_arrays(_core.Endgames(game.core, about["pieces"], 1))

        pieces = whole(2, MAX_PIECES)
        return ArrayLayout(fields({**_ABOUT, "pieces": pieces}, _ABOUT_OPTIONAL), arrays)

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        super().__init__(game, arrays, about)
        self.core = _core.Endgames(game.core, about["pieces"], _THREADS)
        for key, table in arrays.items():
            self.core.restore(int(key), table)
        self.oracle = self.core

    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        values = self.core.values(states)
        if np.isnan(values).any():
            raise self._not_in_table()
        return values

    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Raise a `TableError`: endgame tables have no index over all their positions."""
        raise TableError(f"'{self.game.name}' has endgame tables only.")

    def start_value(self) -> float | None:
        """Return None: the start has too many pieces."""
        return None

    def _checks(self) -> list[Callable[[], int]]:
        return [partial(self.core.verify, int(key)) for key in self.arrays]

    def _not_in_table(self) -> TableError:
        return TableError(
            f"A position of '{self.game.name}' with more than {self.about['pieces']} pieces is "
            "not in the table."
        )
