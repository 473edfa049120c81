"""The sequential probability ratio test (SPRT) between two Elo differences.

This is the generalised test for scores of sets: under each hypothesis, the distribution of
scores is the maximum-likelihood one among those with the hypothesis' mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from halma.errors import OptionError
from halma.names import Option, resolve, split
from halma.statistics import expected_score

#: count of a pair's score that was never observed
_UNSEEN = 1e-3
_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Sprt:
    """A test of the hypotheses that the Elo difference is `elo0` or `elo1`."""

    elo0: float = 0.0
    elo1: float = 10.0
    #: probability of accepting elo1 where elo0 is true, and of the opposite error
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which elo0 and elo1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def accepted(self, set_scores: Mapping[float, int]) -> str | None:
        """Return `elo0` or `elo1` once one of them is accepted."""
        lower, upper = self.bounds
        ratio = log_likelihood_ratio(set_scores, self.elo0, self.elo1)
        return "elo0" if ratio <= lower else "elo1" if ratio >= upper else None

    def as_dict(self, set_scores: Mapping[float, int]) -> dict[str, Any]:
        """Return hypotheses, bounds and state of the test for JSON."""
        lower, upper = self.bounds
        return {
            **asdict(self),
            "lower": lower,
            "upper": upper,
            "llr": log_likelihood_ratio(set_scores, self.elo0, self.elo1),
            "accepted": self.accepted(set_scores),
        }


_OPTIONS = (
    Option("elo0", Sprt.elo0, "", low=-2000, high=2000, decimal=True),
    Option("elo1", Sprt.elo1, "", low=-2000, high=2000, decimal=True),
    Option("alpha", Sprt.alpha, "", low=0.001, high=0.499, decimal=True),
    Option("beta", Sprt.beta, "", low=0.001, high=0.499, decimal=True),
)


def parse_sprt(text: str) -> Sprt:
    """Read `elo0=0,elo1=10,alpha=0.05,beta=0.05`; these are the defaults."""
    _, given = split(f"sprt:{text}")
    values = resolve("sprt", given, _OPTIONS)
    test = Sprt(**{key: float(value) for key, value in values.items()})
    if test.elo0 >= test.elo1:
        raise OptionError("An SPRT needs elo0 < elo1.")
    return test


def log_likelihood_ratio(set_scores: Mapping[float, int], elo0: float, elo1: float) -> float:
    """Return the log-likelihood ratio of `elo1` over `elo0`, given the scores of sets."""
    if not sum(set_scores.values()):
        return 0.0
    counts = dict.fromkeys(_SCORES, _UNSEEN)
    counts.update({value: float(count) for value, count in set_scores.items() if count})
    tilt0 = _tilt(counts, expected_score(elo0))
    tilt1 = _tilt(counts, expected_score(elo1))
    return sum(
        count
        * (
            math.log1p(tilt0 * (value - expected_score(elo0)))
            - math.log1p(tilt1 * (value - expected_score(elo1)))
        )
        for value, count in counts.items()
    )


def _tilt(counts: Mapping[float, float], mean: float) -> float:
    """Return t for which weights count / (1 + t (value - mean)) have this mean.

    These weights are the maximum-likelihood distribution with the mean. The sum below falls
    from plus to minus infinity between its poles, so bisection finds its root.
    """
    low, high = -1 / (max(counts) - mean), 1 / (mean - min(counts))
    for _ in range(60):
        middle = (low + high) / 2
        total = sum(
            count * (value - mean) / (1 + middle * (value - mean))
            for value, count in counts.items()
        )
        if total > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
