"""From scores of sets to shares with intervals and to Elo.

Games of a set share their opening and their dice, so they are not independent; sets are.
Everything here is therefore computed from the scores of sets. For pairs of games this is
the variance of the pentanomial distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

#: two-sided 95%
Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Share:
    """A part of a whole, estimated from sets."""

    #: what was observed
    value: float
    #: centre and standard error of the interval; see `share`
    centre: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies with 95% confidence."""
        reach = Z * self.error
        return max(0.0, self.centre - reach), min(1.0, self.centre + reach)


def share(won: Sequence[float], total: Sequence[float], parties: int = 2) -> Share:
    """Estimate which part of all points one of several parties gets.

    `won` and `total` have a number for each set. The interval is that of a ratio of
    means, after one imaginary set won entirely by each party. That is Agresti and
    Coull's correction; without it, scores that are all alike would leave no doubt at all.
    """
    if not sum(total):
        return Share(1 / parties, 1 / parties, math.inf)
    usual = sum(total) / len(total)
    all_won = [*won, usual] + [0.0] * (parties - 1)
    all_total = [*total] + [usual] * parties
    sets = len(all_total)
    centre = sum(all_won) / sum(all_total)
    spread = sum((w - centre * t) ** 2 for w, t in zip(all_won, all_total, strict=True))
    error = math.sqrt(spread * sets / (sets - 1)) / sum(all_total)
    return Share(sum(won) / sum(total), centre, error)


def elo(value: float, games: int, parties: int = 2) -> float:
    """Return the Elo difference that makes a share likely: 400 log10 of the odds.

    With more than two parties these are the odds against the average of the others. So
    many games cannot tell a share nearer to 0 or 1 than half a game from those, and no
    more is claimed.
    """
    least = 0.5 / max(games, 1)
    value = min(max(value, least), 1 - least)
    return 400 * math.log10((parties - 1) * value / (1 - value))


def elo_interval(estimate: Share, games: int, parties: int = 2) -> tuple[float, float]:
    """Return the Elo differences at the ends of a share's interval."""
    low, high = estimate.interval
    return elo(low, games, parties), elo(high, games, parties)


def score_of(difference: float) -> float:
    """Return the share of points that an Elo difference makes likely between two."""
    return 1 / (1 + 10 ** (-difference / 400))


def superiority(estimate: Share, parties: int = 2) -> float:
    """Return how likely it is that the true share is above an equal one."""
    return NormalDist().cdf((estimate.centre - 1 / parties) / estimate.error)
