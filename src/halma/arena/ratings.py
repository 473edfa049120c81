"""Ratings of several agents: the Plackett-Luce model on the Elo scale.

A game ranks its sides: each place is won by one of the sides that are left, with a probability
proportional to its agent's strength. Sides that share a place count as an equal part of a win each,
and sides without points are behind those with points, in no order. With two sides this is the
Bradley-Terry model with a draw as half a win for both, so a rating difference means what the Elo
difference of a match of two means: the odds that one side is placed before the other.

Intervals come from the sandwich estimator: the Fisher information of the model and the variance of
sets, mostly the observed one, so that draws and games with a common opening narrow them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any

from halma.arena.tally import Placing, Tally
from halma.errors import HalmaError
from halma.statistics import student_t

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float64]]

#: Elo points per unit of the natural logarithm of odds
_SCALE = 400 / math.log(10)


@dataclass(frozen=True)
class Rating:
    """An agent's Elo rating with its 95% interval, where every match has two sets or more."""

    agent: str
    elo: float
    interval: tuple[float, float] | None

    @property
    def half_width(self) -> str:
        """Half the width of the interval, as text."""
        return "-" if self.interval is None else f"{(self.interval[1] - self.interval[0]) / 2:.0f}"


def rate(
    agents: Sequence[str],
    matches: Mapping[tuple[int, ...], Tally],
    anchor: str,
    anchor_elo: float = 0.0,
) -> list[Rating]:
    """Rate agents by matches, each given with the indices of its agents.

    The anchor's rating is given, and all intervals are relative to it. In every match each agent
    has one drawn game added, against all others of it alike, so that all ratings are finite.
    """
    import numpy as np

    if anchor not in agents:
        raise HalmaError(f"'{anchor}' does not take part, so it cannot be the anchor.")
    free = [index for index, name in enumerate(agents) if name != anchor]
    ranked = [_Ranked(tally, players, len(agents)) for players, tally in matches.items()]
    strength = np.zeros(len(agents))
    for _ in range(200):
        gradient = np.sum([one.gradients(strength).sum(axis=0) for one in ranked], axis=0)
        information = np.sum([one.information(strength) for one in ranked], axis=0)
        step = np.linalg.solve(information[np.ix_(free, free)], gradient[free])
        # The likelihood is concave; clipped Newton steps do not overshoot its maximum.
        strength[free] += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-10:
            break
    values = [anchor_elo + _SCALE * float(one) for one in strength]
    if any(len(tally.sets) < 2 for tally in matches.values()):
        return [Rating(name, value, None) for name, value in zip(agents, values, strict=True)]
    noise = np.sum([one.noise(strength) for one in ranked], axis=0)
    inverse = np.linalg.inv(information[np.ix_(free, free)])
    errors = np.zeros(len(agents))
    errors[free] = np.sqrt(np.diag(inverse @ noise[np.ix_(free, free)] @ inverse))
    quantile = student_t(sum(one.degrees for one in ranked))
    halves = [quantile * _SCALE * float(error) for error in errors]
    return [
        Rating(name, value, (value - half, value + half))
        for name, value, half in zip(agents, values, halves, strict=True)
    ]


def places(placing: Placing) -> Iterator[list[int]]:
    """Yield the agents of each place, best first, one entry for each side; the rest is in no order.

    Sides without points have no place, unless nobody has points: then all share the first.
    """
    ordered = sorted(placing, key=lambda side: -side[1])
    for score, group in groupby(ordered, key=lambda side: side[1]):
        if score > 0 or score == ordered[0][1]:
            yield [agent for agent, _ in group]


class _Ranked:
    """The places of a match as choices of the model, in arrays.

    A row is a place of a game: `won` is the part of it that each agent has, `left` the number of
    sides for which it was still open, both of shape (places, agents of the tournament).
    """

    def __init__(self, tally: Tally, players: Sequence[int], agents: int) -> None:
        import numpy as np

        won: list[Array] = []
        left: list[Array] = []
        sets: list[int] = []
        for number, placing in enumerate(tally.placings):
            open_to = _counts([players[who] for who, _ in placing], agents)
            for group in places(placing):
                sharing = _counts([players[who] for who in group], agents)
                won.append(sharing / len(group))
                left.append(open_to)
                sets.append(number // tally.plan.set_size)
                open_to = open_to - sharing
        self._agents, self._sets, self._set_of = len(players), len(tally.sets), np.array(sets, int)
        # The drawn games are rows of no set.
        for one, other in combinations(players, 2):
            row = _counts([one, other], agents) / (len(players) - 1)
            won.append(row / 2)
            left.append(row)
        self._won, self._left = np.array(won), np.array(left)

    def _chances(self, strength: Array) -> Array:
        """Return each agent's chance of each place; a row adds up to what there is to win."""
        import numpy as np

        odds = self._left * np.exp(strength - strength.max())
        chances: Array = (
            odds / odds.sum(axis=1, keepdims=True) * self._won.sum(axis=1, keepdims=True)
        )
        return chances

    def gradients(self, strength: Array) -> Array:
        """Return the gradient of the log-likelihood of each row."""
        return self._won - self._chances(strength)

    def information(self, strength: Array) -> Array:
        """Return the Fisher information of all rows: (agents, agents)."""
        return self._information(strength, slice(None))

    def _information(self, strength: Array, rows: slice) -> Array:
        import numpy as np

        chances, total = self._chances(strength)[rows], self._won[rows].sum(axis=1, keepdims=True)
        information: Array = np.diag(chances.sum(axis=0)) - (chances / total).T @ chances
        return information

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the variance below."""
        return self._sets + self._agents - 1

    def noise(self, strength: Array) -> Array:
        """Return the variance of the gradient between sets: (agents, agents).

        As many sets are added as there are agents, which vary as the model has it: a few sets may
        all be alike by chance.
        """
        import numpy as np

        played = slice(len(self._set_of))
        scores = np.zeros((self._sets, len(strength)))
        np.add.at(scores, self._set_of, self.gradients(strength)[played])
        scores -= scores.mean(axis=0)
        added = self._information(strength, played) * self._agents / self._sets
        variance: Array = (scores.T @ scores + added) * self._sets / self.degrees
        return variance


def _counts(players: Sequence[int], agents: int) -> Array:
    """Return how often each agent is listed."""
    import numpy as np

    counts: Array = np.bincount(players, minlength=agents).astype(np.float64)
    return counts
