"""A lookup table beside the exact solution, position by position."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from halma import _core
from halma.games import Move, Position
from halma.networks.lookup_table import LookupTable
from halma.solve import Solution

#: Least numbers of updates by which positions are grouped.
LEVELS = (1, 4, 16)
#: Steps from 0 to 1 in which values are counted.
BINS = 50
#: Most positions of a cloud that are kept one by one.
FEW = 1500
#: Positions whose moves are examined: those updated most often.
SAMPLE = 2000
#: Rows read together.
_PORTION = 1 << 20

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass
class Cloud:
    """Learned and exact values of the positions updated at least `at_least` times."""

    at_least: int
    positions: int = 0
    total_error: float = 0.0
    #: positions by step of the exact value and step of the learned one: (BINS, BINS)
    counts: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros((BINS, BINS), dtype=np.int64)
    )
    #: exact and learned value of each, where there are few
    points: list[tuple[float, float]] | None = field(default_factory=list)

    def add(self, exact: Floats, learned: Floats) -> None:
        """Count some positions."""
        self.positions += len(exact)
        self.total_error += float(np.abs(exact - learned).sum())
        step = np.clip((exact * BINS).astype(np.int64), 0, BINS - 1) * BINS
        step += np.clip((learned * BINS).astype(np.int64), 0, BINS - 1)
        self.counts += np.bincount(step, minlength=BINS * BINS).reshape(BINS, BINS)
        if self.positions > FEW:
            self.points = None
        elif self.points is not None:
            self.points += zip(exact.tolist(), learned.tolist(), strict=True)

    @property
    def mean_error(self) -> float | None:
        """Mean absolute error of the values; None without positions."""
        return self.total_error / self.positions if self.positions else None


@dataclass(frozen=True)
class ComparedMove:
    """A legal move with the table's probability and its exact value."""

    move: Move
    probability: float
    value: float
    is_best: bool


@dataclass(frozen=True)
class ComparedPosition:
    """A position with the table's value, the exact one, and its moves, most probable first."""

    position: Position
    updates: int
    #: values for the player to move
    learned: float
    exact: float
    moves: list[ComparedMove]

    @property
    def error(self) -> float:
        """The absolute error of the value."""
        return abs(self.learned - self.exact)

    @property
    def loss(self) -> float:
        """The value that the most probable move loses."""
        return self.exact - self.moves[0].value


@dataclass(frozen=True)
class TableErrors:
    """The errors of a table, and where they are largest."""

    iteration: int
    #: number of reachable positions
    positions: int
    clouds: tuple[Cloud, ...]
    #: least number of updates of `worst_values`
    level: int
    worst_values: list[ComparedPosition]
    #: positions whose most probable move was examined, and how many of those moves lose value
    sample: int
    wrong: int
    worst_moves: list[ComparedPosition]


def find_errors(table: LookupTable, solution: Solution, worst: int = 6) -> TableErrors:
    """Compare a table with the exact solution in all positions."""
    clouds = tuple(Cloud(at_least) for at_least in LEVELS)
    largest = [_Top(worst) for _ in LEVELS]
    most_updated = _Top(SAMPLE)
    for first in range(0, len(table), _PORTION):
        part = first, min(len(table), first + _PORTION)
        rows, updates, learned = np.arange(*part), table.updates(*part), table.values(*part)
        exact = solution.values_at(table.indices(*part).astype(np.int64))
        for cloud, top in zip(clouds, largest, strict=True):
            chosen = updates >= cloud.at_least
            cloud.add(exact[chosen], learned[chosen])
            top.add(np.abs(learned - exact)[chosen], rows[chosen])
        most_updated.add(updates[updates > 0], rows[updates > 0])
    # Of the levels that have positions, the highest says most: those values should be right.
    level = max((i for i, cloud in enumerate(clouds) if cloud.positions), default=0)
    sample = [_compared_position(table, solution, row) for row in most_updated.rows]
    wrong = [position for position in sample if position.loss > _core.VALUE_TOLERANCE]
    return TableErrors(
        table.iteration,
        len(table),
        clouds,
        LEVELS[level],
        [_compared_position(table, solution, row) for row in largest[level].rows],
        len(sample),
        len(wrong),
        sorted(wrong, key=lambda position: -position.loss)[:worst],
    )


def _compared_position(table: LookupTable, solution: Solution, row: int) -> ComparedPosition:
    position = Position(table.game, table.game.core.unindex(int(table.indices(row, row + 1)[0])))
    moves = solution.moves(position)
    top = max(move.value for move in moves)
    least = top - _core.VALUE_TOLERANCE
    errors = [
        ComparedMove(move.move, float(probability), move.value, move.value > least)
        for move, probability in zip(moves, table.policy(position), strict=True)
    ]
    return ComparedPosition(
        position,
        int(table.updates(row, row + 1)[0]),
        table.value(position),
        top,
        sorted(errors, key=lambda move: -move.probability),
    )


class _Top:
    """The rows with the highest scores; of equal ones, the first."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._scores: Floats = np.zeros(0)
        self._rows: Rows = np.zeros(0, dtype=np.int64)

    def add(self, scores: npt.NDArray[np.generic], rows: Rows) -> None:
        both = np.concatenate([self._scores, scores.astype(np.float64)])
        # Rows come in their order, so a stable sort leaves the first of equals in front.
        order = np.argsort(-both, kind="stable")[: self._number]
        self._scores, self._rows = both[order], np.concatenate([self._rows, rows])[order]

    @property
    def rows(self) -> list[int]:
        return [int(row) for row in self._rows]
