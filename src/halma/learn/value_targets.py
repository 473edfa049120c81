"""Value targets of training samples: results, TD(lambda) returns, and search values.

TD(lambda) over a game whose decisions have the search values e_0 ... e_n (pluska2022, section 2):
the return after the last decision is the game's result, and before decision i it is

    t_i = lambda * t_(i+1) + (1 - lambda) * e_i

for one and the same player. With lambda 1 every target is the result, with 0 the search value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halma.selfplay import FinishedGames
from halma.selfplay.games import Array


@dataclass(frozen=True)
class ValueTargets:
    """What values are trained on: returns for a lambda, mixed with the search value itself."""

    td_lambda: float = 1.0
    search_weight: float = 0.0

    def __call__(self, games: FinishedGames) -> Array:
        """Return the target of every row, the mover's score first: float32 (rows, players).

        Decisions without a search value, such as random moves, leave a return as it is. A search
        tells the mover's value; with two players it tells the other's too, with more only the
        mover's part of a return changes.
        """
        if self.td_lambda == 1 and self.search_weight == 0:
            return games.outcomes
        targets = self._returns(games)
        if self.search_weight:
            values = mover_first_values(games)
            weight = np.where(np.isnan(values), 0, self.search_weight)
            targets = (1 - weight) * targets + weight * np.nan_to_num(values)
        return targets.astype(np.float32)

    def _returns(self, games: FinishedGames) -> Array:
        """Return the TD(lambda) return of every row, the mover's first: (rows, players)."""
        values = mover_first_values(games)
        weight = np.where(np.isnan(values), 0, 1 - self.td_lambda)
        values = np.nan_to_num(values)
        returns = np.empty_like(values)
        scores = games.scores.astype(np.float64)  # the returns so far, by player
        first, end = games.row_offsets[:-1], games.row_offsets[1:]
        # All games at once, from their last decisions back.
        for back in range(1, 1 + int((end - first).max(initial=0))):
            some = np.flatnonzero(end - back >= first)
            rows = end[some] - back
            turns = _turns(games, rows)
            own = np.take_along_axis(scores[some], turns, 1)
            returns[rows] = own + weight[rows] * (values[rows] - own)
            np.put_along_axis(own, turns, returns[rows], 1)
            scores[some] = own
        return returns


def mover_first_values(games: FinishedGames) -> Array:
    """Return what searches say about every player, the mover first: float64 (rows, players).

    NaN where they say nothing.
    """
    players = games.scores.shape[1]
    values = np.full((len(games.values), players), np.nan)
    values[:, 0] = games.values
    if players == 2:
        values[:, 1] = 1 - values[:, 0]
    return values


def _turns(games: FinishedGames, rows: Array) -> Array:
    """Return the players of some rows in turn, from the mover on: (rows, players)."""
    players = games.scores.shape[1]
    turns: Array = (games.movers[rows].astype(np.int64)[:, None] + np.arange(players)) % players
    return turns
