"""What can be asked of a solved variant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from halma import _core
from halma.games import Game, Move, Position
from halma.solve.table import Arrays

#: Values that differ by less are the same; exact ones differ by far more.
TOLERANCE = 1e-12


@dataclass(frozen=True)
class MoveValue:
    """A legal move, what it is worth to its player, and how far the end is."""

    move: Move
    #: 1 a win, 0 a loss
    value: float
    #: plies to the end where the end is certain; otherwise plies to the next move that
    #: cannot be taken back, 0 where nobody has to hurry
    distance: int


class Solution(ABC):
    """Exact values of every position of a variant, for the player to move in [0, 1].

    `about` is what `halma solve` reports. Every value is proven.
    """

    kind: str

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        self.game = game
        self.arrays = arrays
        self.about = about

    @abstractmethod
    def value(self, position: Position) -> float:
        """Return the value for the player to move, also at chance and at the end."""

    @abstractmethod
    def distance(self, position: Position) -> int:
        """Return the distance as explained at `MoveValue`."""

    @abstractmethod
    def moves(self, position: Position) -> list[MoveValue]:
        """Return every legal move with its value, in the order of `legal_moves`."""

    @abstractmethod
    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Return the values of decision states, one per row, for their movers."""

    @abstractmethod
    def verify(self) -> int:
        """Return how many entries do not follow from those of their successors."""

    @abstractmethod
    def position_numbers(self) -> npt.NDArray[np.bool_]:
        """Return which indices are positions that count, as truth values by index."""

    @abstractmethod
    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the values of positions by index."""

    def best_moves(self, position: Position) -> list[Move]:
        """Return the best moves, those only that make progress for a player who is ahead.

        Of winning moves these are the quickest, of losing ones the slowest.
        """
        moves = self.moves(position)
        best = max(m.value for m in moves)
        equal = [m for m in moves if m.value > best - TOLERANCE]
        if best > 0.5 + TOLERANCE:
            wanted = min(m.distance for m in equal)
        elif best < TOLERANCE:
            wanted = max(m.distance for m in equal)
        else:
            return [m.move for m in equal]
        return [m.move for m in equal if m.distance == wanted]

    def start_value(self) -> float:
        """Return the value of the start for the first player; set-ups count evenly."""
        start = self.game.start()
        value = self.value(start)
        return value if start.mover == 0 else 1.0 - value


class ChanceSolution(Solution):
    """A chance game, solved by `_core.Expectimax`."""

    kind = "solution by stages"

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any], threads: int = 2) -> None:
        super().__init__(game, arrays, about)
        self.core = _core.ExpectimaxTable(
            game.core, arrays["values"], arrays["distances"], threads=threads
        )

    @property
    def denominator(self) -> int | None:
        """What makes every value whole, where values are exact."""
        return int(self.core.denominator) if self.core.exact else None

    def value(self, position: Position) -> float:
        """Return the value for the player to move, also at chance and at the end."""
        return self.core.look_up(position.state)[0] / self.core.denominator

    def distance(self, position: Position) -> int:
        """Return the distance as explained at `MoveValue`."""
        return self.core.look_up(position.state)[1]

    def moves(self, position: Position) -> list[MoveValue]:
        """Return every legal move with its value, in the order of `legal_moves`."""
        state, whole = position.state, self.core.denominator
        return [
            MoveValue(Move(move, self.game.format_move(state, move)), value / whole, distance)
            for move, value, distance in self.core.moves(state)
        ]

    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Return the values of states, one per row, for their movers."""
        return self.core.look_up_many(states)

    def verify(self) -> int:
        """Return how many entries do not follow from those of their successors."""
        return self.core.verify()

    def position_numbers(self) -> npt.NDArray[np.bool_]:
        """Return which indices can be reached from the start."""
        bits = np.unpackbits(self.arrays["reachable"].view(np.uint8), bitorder="little")
        return bits[: self.game.core.index_size].view(np.bool_)

    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the values of positions by index."""
        found: npt.NDArray[np.float64] = self.arrays["values"][indices] / self.core.denominator
        return found


#: What two bits of a packed table mean.
_DRAW, _WIN, _LOSS, _ILLEGAL = range(4)
_WORTH = np.array([0.5, 1.0, 0.0, np.nan])


class RetrogradeSolution(Solution):
    """A deterministic game, solved by `_core.Retrograde`."""

    kind = "solution by distance"

    def value(self, position: Position) -> float:
        """Return the value for the player to move, also at the end."""
        if position.is_terminal:
            return position.result[position.mover]
        return float(_WORTH[self._code(self.game.core.index(position.state))])

    def distance(self, position: Position) -> int:
        """Return the plies to the end, 0 for a draw."""
        if position.is_terminal:
            return 0
        return int(self.arrays["distances"][self.game.core.index(position.state)])

    def moves(self, position: Position) -> list[MoveValue]:
        """Return every legal move with its value, in the order of `legal_moves`."""
        found = []
        for move in position.legal_moves:
            after = Position(self.game, self.game.core.play(position.state, move.value))
            value = self.value(after)
            if after.mover != position.mover:
                value = 1.0 - value
            found.append(MoveValue(move, value, 0 if value == 0.5 else self.distance(after) + 1))
        return found

    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Return the values of decision states, one per row, for their movers."""
        return self.values_at(_core.index_many(self.game.core, states).astype(np.int64))

    def verify(self) -> int:
        """Return how many entries do not follow from those of their successors."""
        retrograde: Any = _core.Retrograde
        return int(
            retrograde.verify(self.game.core, self.arrays["values"], self.arrays["distances"], 2)
        )

    def position_numbers(self) -> npt.NDArray[np.bool_]:
        """Return which indices are legal positions."""
        codes = np.stack([self.arrays["values"] >> (2 * i) & 3 for i in range(4)], axis=1)
        legal: npt.NDArray[np.bool_] = codes.ravel()[: self.game.core.index_size] != _ILLEGAL
        return legal

    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the values of positions by index."""
        codes = self.arrays["values"][indices >> 2] >> (2 * (indices & 3)).astype(np.uint8) & 3
        return _WORTH[codes]

    def _code(self, index: int) -> int:
        return int(self.arrays["values"][index >> 2]) >> 2 * (index & 3) & 3
