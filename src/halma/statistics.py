"""Interval estimates of scores, ratios and means, and the Elo scale.

The games of a set share their opening and their dice, so they are not independent; sets
are. Scores of matches are therefore estimated from the scores of sets. For pairs of games
that is the variance of the pentanomial distribution.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev, variance

#: quantile of the normal distribution for a two-sided 95% interval
Z = NormalDist().inv_cdf(0.975)
#: the same of Student's t distribution, for 1 to 10 degrees of freedom
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


@dataclass(frozen=True)
class Proportion:
    """A proportion estimated from sets."""

    #: the observed proportion
    value: float
    #: centre and standard error of the interval; see `proportion`
    centre: float
    #: infinite where the sets say nothing about it
    error: float

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval; None where the error is not known."""
        if math.isinf(self.error):
            return None
        half = Z * self.error
        return max(0.0, self.centre - half), min(1.0, self.centre + half)


def proportion(
    won: Sequence[float], total: Sequence[float], sides: int = 2, held: int = 1
) -> Proportion:
    """Estimate the proportion of all points that an agent scores with `held` of several sides.

    `won` and `total` have a number for each set. The interval is that of a ratio of means
    after adding one imaginary set for each side, won entirely by it: Agresti and Coull's
    correction, without which equal scores in all sets would give an interval of length 0.
    One set says nothing of how sets vary.
    """
    if not sum(total):
        return Proportion(held / sides, held / sides, math.inf)
    if len(total) < 2:
        value = sum(won) / sum(total)
        return Proportion(value, value, math.inf)
    usual = fmean(total)
    all_won = [*won] + [usual] * held + [0.0] * (sides - held)
    all_total = [*total] + [usual] * sides
    sets = len(all_total)
    centre, error = _ratio(all_won, all_total)
    return Proportion(sum(won) / sum(total), centre, error * math.sqrt(sets / (sets - 1)))


def wilson_interval(share: float, number: float) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share of `number` independent trials."""
    centre = share + Z**2 / (2 * number)
    half = Z * math.sqrt(share * (1 - share) / number + Z**2 / (4 * number**2))
    scale = 1 + Z**2 / number
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def clustered_interval(hits: Sequence[int], totals: Sequence[int]) -> tuple[float, float] | None:
    """Return the 95% interval of a share of trials that come in clusters, such as moves of games.

    `hits` and `totals` have a number for each cluster; clusters are independent, their trials are
    not. It is Wilson's interval for the effective number of trials: as many independent ones would
    have the variance that is observed between clusters. Where no trial differs from another, that
    number is taken to be the number of clusters. One cluster says nothing: None.
    """
    clusters, trials = len(totals), sum(totals)
    if clusters < 2:
        return None
    share, error = _ratio(hits, totals)
    variance = error**2 * clusters / (clusters - 1)
    if not 0 < share < 1:
        return wilson_interval(share, clusters)
    effective = share * (1 - share) / variance if variance else trials
    return wilson_interval(share, min(trials, effective))


def clustered_mean(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[float, float]:
    """Return the mean of values that come in clusters, and half the width of its 95% interval.

    `clusters` has the cluster of each value, such as the moves of a game: games that are equal are
    one observation, however often they were played. One cluster says nothing: infinite.
    """
    sums: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums.setdefault(cluster, []).append(value)
    number = len(sums)
    mean, error = _ratio([sum(own) for own in sums.values()], [len(own) for own in sums.values()])
    if number < 2:
        return mean, math.inf
    return mean, student_t(number - 1) * error * math.sqrt(number / (number - 1))


def ratio_of_sums(values: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """Return sum(values) / sum(weights) and half the width of its 95% interval."""
    ratio, error = _ratio(values, weights)
    return ratio, Z * error


def _ratio(values: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """Return the ratio of two sums and its standard error."""
    total = sum(weights)
    ratio = sum(values) / total
    squares = sum((v - ratio * w) ** 2 for v, w in zip(values, weights, strict=True))
    return ratio, math.sqrt(squares) / total


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean; infinite for fewer than two values."""
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def student_t(degrees: int) -> float:
    """Return the quantile of Student's t distribution for a two-sided 95% interval."""
    if degrees <= len(_T):
        return _T[degrees - 1]
    # The first terms of the Cornish-Fisher expansion; exact to 0.001 here.
    terms = (
        Z,
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
    )
    return sum(term / float(degrees) ** power for power, term in enumerate(terms))


def half_width(values: Sequence[float]) -> float:
    """Return half the width of the 95% interval of a mean of few values."""
    return student_t(len(values) - 1) * standard_error(values) if len(values) > 1 else math.inf


def difference(ours: Sequence[float], base: Sequence[float]) -> tuple[float, float]:
    """Return the difference of two means, and half the width of its 95% interval.

    The interval is Student's for two samples with equal variances.
    """
    gain = fmean(ours) - fmean(base)
    if len(ours) < 2 or len(base) < 2:
        return gain, math.inf
    degrees = len(ours) + len(base) - 2
    pooled = ((len(ours) - 1) * variance(ours) + (len(base) - 1) * variance(base)) / degrees
    return gain, student_t(degrees) * math.sqrt(pooled * (1 / len(ours) + 1 / len(base)))


def elo(score: float, games: int, sides: int = 2, held: int = 1) -> float:
    """Return the Elo difference at which a score is expected: 400 log10 of the odds.

    With more than two sides these are the odds of one side against the average of the others;
    `held` of them scored together. A score closer to 0 or 1 than half a game is taken for half
    a game, so that the result is finite.
    """
    least = 0.5 / max(games, 1)
    score = min(max(score, least), 1 - least)
    return 400 * math.log10((sides - held) / held * score / (1 - score))


def elo_interval(
    estimate: Proportion, games: int, sides: int = 2, held: int = 1
) -> tuple[float, float] | None:
    """Return the Elo differences at the ends of a score's interval, where it has one."""
    if estimate.interval is None:
        return None
    low, high = estimate.interval
    return elo(low, games, sides, held), elo(high, games, sides, held)


def expected_score(difference: float) -> float:
    """Return the score that two players with this Elo difference can expect."""
    return 1 / (1 + 10 ** (-difference / 400))


def likelihood_of_superiority(estimate: Proportion, sides: int = 2, held: int = 1) -> float | None:
    """Return the probability that the true score is above an equal share, where it is known."""
    if math.isinf(estimate.error):
        return None
    return NormalDist().cdf((estimate.centre - held / sides) / estimate.error)
