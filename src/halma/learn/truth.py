"""How far a learnt table is from the truth: WR_p, ERR_p and MAE_v of hsueh2023, section IV."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from halma.errors import RunError
from halma.games import Game, Position
from halma.solve import Solution
from halma.statistics import Z

Floats = npt.NDArray[np.floating[Any]]


def decisions_near_start(game: Game, plies: int) -> list[Position]:
    """Return all positions with a move to make, at most so many moves from the start.

    Positions that are equal are listed once, in the order in which they come up.
    """
    found: dict[bytes, Position] = {}
    level = _decisions(game.start())
    for _ in range(plies + 1):
        new = {position.state: position for position in level if position.state not in found}
        found |= new
        level = _one_move_on(new)
    return list(found.values())


def _one_move_on(positions: Mapping[bytes, Position]) -> Iterator[Position]:
    for position in positions.values():
        for move in position.legal_moves:
            yield from _decisions(position.play(move))


def _decisions(position: Position) -> Iterator[Position]:
    """Yield what chance can make of a position, as far as there is something to decide."""
    if position.is_chance:
        for outcome in position.outcomes:
            yield from _decisions(position.resolve(outcome))
    elif not position.is_terminal:
        yield position


class TestPositions:
    """Positions with their exact values, ready to be compared with a table's rows."""

    __test__ = False  # whatever pytest makes of the name

    def __init__(
        self, solution: Solution, positions: list[Position], row: Callable[[bytes], int | None]
    ) -> None:
        game = solution.game
        shape = len(positions), game.actions
        self.rows = np.array([row(position.state) for position in positions], dtype=np.int64)
        self.legal = np.zeros(shape, dtype=bool)
        #: how much less than the best a move is worth
        self.losses = np.zeros(shape)
        self.values = np.zeros(len(positions))
        for i, position in enumerate(positions):
            moves = solution.moves(position)
            best = max(move.value for move in moves)
            self.values[i] = best
            for move in moves:
                action = game.core.action(position.state, move.move.value)
                self.legal[i, action] = True
                self.losses[i, action] = best - move.value

    def policy_error(self, logits: Floats) -> float:
        """Return ERR_p, equation (10): what a move drawn from the policy loses on average.

        `logits` has a row for every row of the table.
        """
        chosen = np.where(self.legal, logits[self.rows].astype(np.float64), -np.inf)
        chosen = np.exp(chosen - chosen.max(axis=1, keepdims=True))
        policy = chosen / chosen.sum(axis=1, keepdims=True)
        return float((policy * self.losses).sum(axis=1).mean())

    def value_error(self, value_logits: Floats) -> float:
        """Return MAE_v, equation (11): how far values are from the exact ones on average."""
        learnt = 1.0 / (1.0 + np.exp(-value_logits[self.rows].astype(np.float64)))
        return float(np.abs(self.values - learnt).mean())


class Watched(TypedDict):
    """What a table knows of a position."""

    position: str
    #: for the player to move, between 0 and 1
    value: float
    #: move -> probability
    policy: dict[str, float]


class WatchedPositions:
    """Positions whose entries in a table are looked at again and again."""

    def __init__(
        self, game: Game, positions: list[Position], row: Callable[[bytes], int | None]
    ) -> None:
        self._places: list[tuple[str, int, dict[str, int]]] = []
        for position in positions:
            found = row(position.state)
            if found is None:
                raise RunError(
                    f"No game of '{game.name}' gets to {position.text!r}, so it cannot be watched."
                )
            columns = {
                move.text: 1 + game.core.action(position.state, move.value)
                for move in position.legal_moves
            }
            self._places.append((position.text, found, columns))

    def read(self, table: Floats) -> list[Watched]:
        """Return what a table says; its first column has the logits of values."""
        found: list[Watched] = []
        for text, row, columns in self._places:
            entry = table[row].astype(np.float64)
            chosen = entry[list(columns.values())]
            weights = np.exp(chosen - chosen.max())
            policy = (weights / weights.sum()).tolist()
            found.append(
                {
                    "position": text,
                    "value": float(1.0 / (1.0 + np.exp(-entry[0]))),
                    "policy": dict(zip(columns, policy, strict=True)),
                }
            )
        return found


@dataclass(frozen=True)
class Score:
    """How a match went for one side of it."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games it had."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins and half of the draws."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """The part of all points."""
        return self.points / self.games

    @property
    def variance(self) -> float:
        """The variance of one game's points."""
        return (self.wins + self.draws / 4) / self.games - self.share**2


@dataclass(frozen=True)
class WinRate:
    """WR_p: the share of points against the optimal player, each side counting half."""

    first: Score
    second: Score

    @classmethod
    def of(cls, match: Mapping[str, Mapping[str, int]]) -> WinRate:
        """Read what the core's match returns."""
        return cls(Score(**match["first"]), Score(**match["second"]))

    @property
    def value(self) -> float:
        """The mean of both sides' shares."""
        return (self.first.share + self.second.share) / 2

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies with 95% confidence."""
        errors = [side.variance / side.games for side in (self.first, self.second)]
        reach = Z * math.sqrt(sum(errors)) / 2
        return max(0.0, self.value - reach), min(1.0, self.value + reach)
