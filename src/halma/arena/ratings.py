"""Ratings for a pool: Bradley and Terry's model on the Elo scale.

A draw is half a win for both. That makes an agent's expected score the same function of
the rating difference as in a match of two, and it needs no model of how often games are
drawn. How certain a rating is follows from the Fisher information of the model and from
how much the scores of sets really vary (the sandwich estimator), so that draws and paired
games narrow the interval as they should.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from halma.arena.tally import Tally
from halma.errors import HalmaError
from halma.statistics import Z, proportion

#: Elo points per unit of the natural logarithm of odds
_SCALE = 400 / math.log(10)


@dataclass(frozen=True)
class Rating:
    """An agent's place in a pool."""

    agent: str
    elo: float
    interval: tuple[float, float]


def rate(
    agents: list[str],
    pairings: Mapping[tuple[int, int], Tally],
    anchor: str,
    anchor_elo: float = 0.0,
) -> list[Rating]:
    """Rate agents by their pairings, which hold the tally of (i, j) from i's side.

    The anchor's rating is given, and all intervals are relative to it. Every pairing
    gets one drawn game more than was played, so that nobody is infinitely strong. At
    tables for more than two, winning is what `Tally` says.
    """
    import numpy as np

    if anchor not in agents:
        raise HalmaError(f"'{anchor}' is not in the pool, so it cannot be its anchor.")
    fixed = agents.index(anchor)
    free = [index for index in range(len(agents)) if index != fixed]
    strength = np.zeros(len(agents))
    for _ in range(200):
        gradient = np.zeros(len(agents))
        information = np.zeros((len(agents), len(agents)))
        for (i, j), tally in pairings.items():
            games = tally.games + 1
            score = tally.all.wins + tally.all.draws / 2 + 0.5
            expected = 1 / (1 + np.exp(strength[j] - strength[i]))
            gradient[i] += score - games * expected
            gradient[j] -= score - games * expected
            weight = games * expected * (1 - expected)
            information[np.ix_((i, j), (i, j))] += weight * np.array([[1, -1], [-1, 1]])
        step = np.linalg.solve(information[np.ix_(free, free)], gradient[free])
        # The likelihood is concave; short steps keep Newton's method from leaping past it.
        strength[free] += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-10:
            break
    noise = np.zeros_like(information)
    for (i, j), tally in pairings.items():
        noise[np.ix_((i, j), (i, j))] += _variance(tally) * np.array([[1, -1], [-1, 1]])
    inverse = np.linalg.inv(information[np.ix_(free, free)])
    errors = np.zeros(len(agents))
    errors[free] = np.sqrt(np.diag(inverse @ noise[np.ix_(free, free)] @ inverse))
    ratings = []
    for index, name in enumerate(agents):
        value = anchor_elo + _SCALE * float(strength[index])
        reach = Z * _SCALE * float(errors[index])
        ratings.append(Rating(name, value, (value - reach, value + reach)))
    return ratings


def _variance(tally: Tally) -> float:
    """Return the variance of the first agent's wins plus half its draws."""
    scores = [one.wins + one.draws / 2 for one in tally.sets]
    estimate = proportion(scores, [one.games for one in tally.sets])
    return (estimate.error * tally.games) ** 2
