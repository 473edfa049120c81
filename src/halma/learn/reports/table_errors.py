"""A learnt table beside the exact solution, position by position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from halma import _core
from halma.games import Move, Position
from halma.networks.lookup_table import LookupTable
from halma.solve import Solution

#: Positions are told apart by whether they were updated at least so often.
LEVELS = (1, 4, 16)
#: Steps from 0 to 1 in which values are counted.
BINS = 50
#: Where there are no more positions than this, they are kept one by one.
FEW = 1500
#: Moves are judged in so many positions, those that were updated most often.
SAMPLE = 2000
#: Rows looked at together: large tables are not copied.
_PORTION = 1 << 20

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cloud:
    """Learnt and exact values of the positions that were updated at least so often."""

    at_least: int
    positions: int
    #: how far learnt values are from exact ones on average; not a number without positions
    mean_error: float
    #: positions by steps of the exact value, then of the learnt one
    counts: npt.NDArray[np.int64]
    #: exact and learnt value of each, where there are few
    points: list[tuple[float, float]] | None


@dataclass(frozen=True)
class JudgedMove:
    """A legal move: how likely it is to the table, and what it is worth."""

    move: Move
    policy: float
    value: float
    #: whether no move is worth more
    best: bool


@dataclass(frozen=True)
class Judged:
    """A position as the table sees it, and as it is."""

    position: Position
    updates: int
    #: values for the player to move
    learnt: float
    true: float
    #: likeliest first
    moves: list[JudgedMove]

    @property
    def error(self) -> float:
        """How far the learnt value is off."""
        return abs(self.learnt - self.true)

    @property
    def loss(self) -> float:
        """What the likeliest move costs."""
        return self.true - self.moves[0].value


@dataclass(frozen=True)
class Judgement:
    """How far a table is from the truth, and where it is furthest."""

    iteration: int
    #: all that can be reached
    positions: int
    clouds: tuple[Cloud, ...]
    #: positions updated at least so often are looked at for the worst value
    level: int
    worst_values: list[Judged]
    #: positions looked at for the worst move
    sample: int
    #: of those, how many have a likeliest move that is not a best one
    wrong: int
    worst_moves: list[Judged]


def judge(table: LookupTable, solution: Solution, worst: int = 6) -> Judgement:
    """Compare a table with the truth in all positions."""
    tallies = [_Tally(at_least) for at_least in LEVELS]
    furthest = [_Top(worst) for _ in LEVELS]
    oftenest = _Top(SAMPLE)
    for rows, learnt, true, updates in _portions(table, solution):
        for tally, top in zip(tallies, furthest, strict=True):
            chosen = updates >= tally.at_least
            tally.add(true[chosen], learnt[chosen])
            top.add(np.abs(learnt - true)[chosen], rows[chosen])
        oftenest.add(updates[updates > 0], rows[updates > 0])
    clouds = tuple(tally.cloud() for tally in tallies)
    # A value that was never learnt says nothing; one that was learnt often should be right.
    last = max((i for i, cloud in enumerate(clouds) if cloud.positions), default=0)
    sample = [judged(table, solution, row) for row in oftenest.rows]
    wrong = [position for position in sample if position.loss > _core.VALUE_TOLERANCE]
    return Judgement(
        table.iteration,
        len(table),
        clouds,
        LEVELS[last],
        [judged(table, solution, row) for row in furthest[last].rows],
        len(sample),
        len(wrong),
        sorted(wrong, key=lambda position: -position.loss)[:worst],
    )


def judged(table: LookupTable, solution: Solution, row: int) -> Judged:
    """Return one position of a table beside the truth."""
    position = Position(table.game, table.game.core.unindex(int(table.indices(row, row + 1)[0])))
    moves = solution.moves(position)
    top = max(move.value for move in moves)
    seen = [
        JudgedMove(move.move, float(share), move.value, move.value > top - _core.VALUE_TOLERANCE)
        for move, share in zip(moves, table.policy(position), strict=True)
    ]
    return Judged(
        position,
        int(table.updates(row, row + 1)[0]),
        table.value(position),
        top,
        sorted(seen, key=lambda move: -move.policy),
    )


def _portions(
    table: LookupTable, solution: Solution
) -> Iterator[tuple[npt.NDArray[np.int64], Floats, Floats, npt.NDArray[np.uint32]]]:
    """Yield rows with their learnt and exact values and how often they were updated."""
    number = len(table)
    for first in range(0, number, _PORTION):
        last = min(number, first + _PORTION)
        true = solution.values_at(table.indices(first, last).astype(np.int64))
        yield np.arange(first, last), table.values(first, last), true, table.updates(first, last)


class _Tally:
    """Counts the values of one level."""

    def __init__(self, at_least: int) -> None:
        self.at_least = at_least
        self._positions = 0
        self._error = 0.0
        self._counts = np.zeros((BINS, BINS), dtype=np.int64)
        self._points: list[tuple[float, float]] = []

    def add(self, true: Floats, learnt: Floats) -> None:
        self._positions += len(true)
        self._error += float(np.abs(true - learnt).sum())
        step = np.clip((true * BINS).astype(np.int64), 0, BINS - 1) * BINS
        step += np.clip((learnt * BINS).astype(np.int64), 0, BINS - 1)
        self._counts += np.bincount(step, minlength=BINS * BINS).reshape(BINS, BINS)
        if self._positions <= FEW:
            self._points += zip(true.tolist(), learnt.tolist(), strict=True)

    def cloud(self) -> Cloud:
        few = self._positions <= FEW
        mean = self._error / self._positions if self._positions else float("nan")
        return Cloud(
            self.at_least, self._positions, mean, self._counts, self._points if few else None
        )


class _Top:
    """Keeps the rows with the highest scores; of equal ones, the first."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._scores: npt.NDArray[np.float64] = np.zeros(0)
        self._rows: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def add(self, scores: npt.NDArray[np.generic], rows: npt.NDArray[np.int64]) -> None:
        both = np.concatenate([self._scores, scores.astype(np.float64)])
        all_rows = np.concatenate([self._rows, rows])
        # Rows come in their order, so a stable sort leaves the first of equals in front.
        order = np.argsort(-both, kind="stable")[: self._number]
        self._scores, self._rows = both[order], all_rows[order]

    @property
    def rows(self) -> list[int]:
        return [int(row) for row in self._rows]
