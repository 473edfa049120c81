"""Ratings of several agents: the Bradley-Terry model on the Elo scale.

A draw counts as half a win for both, so the expected score is the same function of the
rating difference as in a match of two, and draws need no model of their own. Intervals
come from the sandwich estimator: the Fisher information of the model and the observed
variance of the scores of sets, so that draws and paired games narrow them.
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
    """An agent's Elo rating with its 95% interval, where every pairing has two sets or more."""

    agent: str
    elo: float
    interval: tuple[float, float] | None

    @property
    def half_width(self) -> str:
        """Half the width of the interval, as text."""
        return "-" if self.interval is None else f"{(self.interval[1] - self.interval[0]) / 2:.0f}"


def rate(
    agents: list[str],
    pairings: Mapping[tuple[int, int], Tally],
    anchor: str,
    anchor_elo: float = 0.0,
) -> list[Rating]:
    """Rate agents by their pairings; the tally of (i, j) has i as its first agent.

    The anchor's rating is given, and all intervals are relative to it. One drawn game is
    added to every pairing, so that all ratings are finite. Wins are counted as in `Tally`.
    """
    import numpy as np

    if anchor not in agents:
        raise HalmaError(f"'{anchor}' does not take part, so it cannot be the anchor.")
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
        # The likelihood is concave; clipped Newton steps do not overshoot its maximum.
        strength[free] += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-10:
            break
    values = [anchor_elo + _SCALE * float(one) for one in strength]
    if any(len(tally.sets) < 2 for tally in pairings.values()):
        return [Rating(name, value, None) for name, value in zip(agents, values, strict=True)]
    noise = np.zeros_like(information)
    for (i, j), tally in pairings.items():
        noise[np.ix_((i, j), (i, j))] += _variance(tally) * np.array([[1, -1], [-1, 1]])
    inverse = np.linalg.inv(information[np.ix_(free, free)])
    errors = np.zeros(len(agents))
    errors[free] = np.sqrt(np.diag(inverse @ noise[np.ix_(free, free)] @ inverse))
    halves = [Z * _SCALE * float(error) for error in errors]
    return [
        Rating(name, value, (value - half, value + half))
        for name, value, half in zip(agents, values, halves, strict=True)
    ]


def _variance(tally: Tally) -> float:
    """Return the variance of the first agent's number of wins plus half its draws."""
    scores = [one.wins + one.draws / 2 for one in tally.sets]
    estimate = proportion(scores, [one.games for one in tally.sets])
    return (estimate.error * tally.games) ** 2
