"""What can be asked of a solved variant."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from halma import _core
from halma.errors import TableError
from halma.games import Game, Move, Position
from halma.interrupt import interruptible
from halma.storage import Arrays

#: Values that differ by less are the same; exact ones differ by far more.
TOLERANCE = 1e-12
_PORTION = 1 << 22
_THREADS = os.cpu_count() or 1
#: A check is done in about so many parts, to show how far it is and to be stopped between.
_CHECKS = 400

#: Told how much is done, and of how much.
Progress = Callable[[int, int], None]


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
    proven = True
    #: whether it is known how far the end is
    has_distances = True

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        self.game = game
        self.arrays = arrays
        self.about = about

    @property
    @abstractmethod
    def oracle(self) -> _core.Oracle:
        """What a search of this game may ask instead of searching."""

    @abstractmethod
    def value(self, position: Position) -> float:
        """Return the value for the player to move, also at chance and at the end."""

    @abstractmethod
    def distance(self, position: Position) -> int:
        """Return the distance as explained at `MoveValue`."""

    def moves(self, position: Position) -> list[MoveValue]:
        """Return every legal move with its value, in the order of `legal_moves`."""
        found = []
        for move in position.legal_moves:
            after = Position(self.game, self.game.core.play(position.state, move.value))
            value = self.value(after)
            if after.mover != position.mover:
                value = 1.0 - value
            hurry = value != 0.5 and self.has_distances
            found.append(MoveValue(move, value, self.distance(after) + 1 if hurry else 0))
        return found

    @abstractmethod
    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Return the values of decision states, one per row, for their movers."""

    def verify(self, progress: Progress = lambda done, total: None) -> int:
        """Return how many entries do not follow from those of their successors."""
        checks = self._checks()
        wrong = 0
        progress(0, len(checks))
        for done, check in enumerate(checks, start=1):
            wrong += interruptible(check)
            progress(done, len(checks))
        return wrong

    @abstractmethod
    def _checks(self) -> list[Callable[[], int]]:
        """Return the parts of `verify`, each of which counts what is wrong."""

    @abstractmethod
    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return values by index; not a number where there is no position to speak of."""

    def distances_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Return distances by index."""
        found: npt.NDArray[np.uint8] = self.arrays["distances"][indices]
        return found

    def portions(self) -> Iterator[npt.NDArray[np.int64]]:
        """Yield all indices, some millions at a time."""
        size = self.game.core.index_size
        for start in range(0, size, _PORTION):
            yield np.arange(start, min(size, start + _PORTION))

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

    def start_value(self) -> float | None:
        """Return the value of the start for the first player; set-ups count evenly."""
        start = self.game.start()
        value = self.value(start)
        return value if start.mover == 0 else 1.0 - value


class ChanceSolution(Solution):
    """A chance game, solved by `_core.Expectimax`."""

    kind = "solution by stages"

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        super().__init__(game, arrays, about)
        self.core = _core.ExpectimaxTable(
            game.core, arrays["values"], arrays["distances"], threads=_THREADS
        )

    @property
    def oracle(self) -> _core.Oracle:
        """What a search of this game may ask: everything."""
        return self.core

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

    def _checks(self) -> list[Callable[[], int]]:
        return [self.core.verify]

    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return values by index; not a number where no game can get to."""
        reached = self.arrays["reachable"][indices >> 6] >> (indices & 63).astype(np.uint64)
        found = self.arrays["values"][indices] / self.core.denominator
        found[(reached & np.uint64(1)) == 0] = np.nan
        return found


#: What two bits of a packed table mean.
_DRAW, _WIN, _LOSS, _ILLEGAL = range(4)
_WORTH = np.array([0.5, 1.0, 0.0, np.nan])


def worth(code: int) -> float:
    """Return the value that two bits of a packed table stand for."""
    return float(_WORTH[code])


class RetrogradeSolution(Solution):
    """A deterministic game, solved by `_core.Retrograde`."""

    kind = "solution by distance"

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        super().__init__(game, arrays, about)
        self.has_distances = "distances" in arrays

    @cached_property
    def oracle(self) -> _core.Oracle:
        """What a search of this game may ask: everything."""
        return _core.RetrogradeTable(
            self.game.core, self.arrays["values"], self.arrays.get("distances")
        )

    def value(self, position: Position) -> float:
        """Return the value for the player to move, also at the end."""
        if position.is_terminal:
            return position.result[position.mover]
        return worth(self._code(self.game.core.index(position.state)))

    def distance(self, position: Position) -> int:
        """Return the plies to the end, 0 for a draw or where they are not known."""
        if position.is_terminal or not self.has_distances:
            return 0
        return int(self.arrays["distances"][self.game.core.index(position.state)])

    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Return the values of decision states, one per row, for their movers."""
        return self.values_at(_core.index_many(self.game.core, states).astype(np.int64))

    def _checks(self) -> list[Callable[[], int]]:
        core, values, distances = (
            self.game.core,
            self.arrays["values"],
            self.arrays.get("distances"),
        )
        rows = int(_core.Retrograde.rows(core))
        step = -(-rows // _CHECKS)

        def check(first: int) -> Callable[[], int]:
            number = min(step, rows - first)
            return lambda: _core.Retrograde.verify(core, values, distances, _THREADS, first, number)

        return [check(first) for first in range(0, rows, step)]

    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return values by index; not a number where a position is illegal."""
        codes = self.arrays["values"][indices >> 2] >> (2 * (indices & 3)).astype(np.uint8) & 3
        found: npt.NDArray[np.float64] = _WORTH[codes]
        return found

    def _code(self, index: int) -> int:
        return int(self.arrays["values"][index >> 2]) >> 2 * (index & 3) & 3


class EndgameSolution(Solution):
    """Positions with few pieces, solved by what the game names as `endings`."""

    kind = "solution of endings"

    def __init__(self, game: Game, arrays: Arrays, about: dict[str, Any]) -> None:
        super().__init__(game, arrays, about)
        self.core = _core.Endgames(game.core, about["pieces"], _THREADS)
        for key, table in arrays.items():
            self.core.restore(int(key), table)

    @property
    def oracle(self) -> _core.Oracle:
        """What a search of this game may ask where few pieces are left."""
        return self.core

    def value(self, position: Position) -> float:
        """Return the value for the player to move, if there are few enough pieces."""
        if position.is_terminal:
            return position.result[position.mover]
        found = self._probe(position.state)
        return 0.5 if found == self.core.DRAW else float(found % 2)

    def distance(self, position: Position) -> int:
        """Return the plies to the end, 0 for a draw."""
        found = 0 if position.is_terminal else self._probe(position.state)
        return 0 if found == self.core.DRAW else found

    def look_up_many(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Return the values of decision states, one per row, for their movers."""
        cells = self.core.entries(states)
        if (cells == self.core.NONE).any():
            raise self._unknown()
        return np.where(cells == self.core.DRAW, 0.5, cells % 2)

    def _checks(self) -> list[Callable[[], int]]:
        return [partial(self.core.verify, int(key)) for key in self.arrays]

    def values_at(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Endings have no index that goes through all of them."""
        raise TableError(f"'{self.game.name}' is solved for few pieces only.")

    def start_value(self) -> float | None:
        """Nobody knows, as far as this table goes."""
        return None

    def _probe(self, state: bytes) -> int:
        found = self.core.entry(state)
        if found is None:
            raise self._unknown()
        return int(found)

    def _unknown(self) -> TableError:
        return TableError(
            f"A position of '{self.game.name}' with more than {self.about['pieces']} pieces is "
            "not in the table."
        )
