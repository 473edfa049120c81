"""The runs of a figure on one variant, and how the paper's statements are compared with them.

A full run is compared with the paper's words: close to 50% means at least 48%. A reduced run has
not learned everything it could, so it is compared with the best run of its variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import Any

from halma.lab.hsueh2023.settings import FPU, VARIANTS, Planner
from halma.lab.report import Claim
from halma.learn.reports.events import Metrics

#: The metric that every iteration has that was graded.
_GRADE = "wr_p"
#: Distance of a stated number from our interval up to which it agrees, and is near.
NEAR, FAR = 0.015, 0.05
#: The least WR_p that is close to 50%.
CLOSE_TO_HALF = 0.48
_CLOSE_TO_BEST = 0.85
#: Stands where there is nothing to compare.
NO_RUN = "no finished run"

#: What the paper says of the runs on one variant.
Claims = Iterator[Claim]


@dataclass(frozen=True)
class VariantRuns:
    """Runs by label: a value of the axis, or a tuple of what else they differ in."""

    variant: str
    planner: Planner
    #: one entry for each iteration so far
    metrics: Mapping[Any, Sequence[Metrics]]
    #: labels of runs that have not reached their last iteration
    unfinished: frozenset[Any] = frozenset()

    @property
    def name(self) -> str:
        """The paper's name of the variant."""
        return VARIANTS[self.variant]

    @property
    def full(self) -> bool:
        """Whether the runs have the paper's own settings."""
        return self.planner.full

    def finished(self) -> VariantRuns:
        """Return the same without the metrics of unfinished runs."""
        kept = {x: () if x in self.unfinished else runs for x, runs in self.metrics.items()}
        return replace(self, metrics=kept)

    def graded(self, label: Any) -> list[Metrics]:
        """Return the metrics of the iterations that were graded."""
        return [x for x in self.metrics.get(label, ()) if x.get(_GRADE) is not None]

    def last(self, label: Any) -> Metrics | None:
        """Return the last graded metrics of a run, if there are any."""
        graded = self.graded(label)
        return graded[-1] if graded else None

    @property
    def labels(self) -> list[Any]:
        """The labels of the runs that were graded."""
        return [label for label in self.metrics if self.last(label)]

    def value(self, label: Any, key: str = "wr_p") -> float | None:
        """Return one of a run's last metrics."""
        last = self.last(label)
        return None if last is None else float(last[key])

    def values(self, labels: Iterable[Any] | None = None, key: str = "wr_p") -> dict[Any, float]:
        """Return one of the last metrics of the runs that were graded, by label."""
        wanted = self.labels if labels is None else labels
        return {x: value for x in wanted if (value := self.value(x, key)) is not None}

    def by_fpu(self, x: float, *prefix: str) -> dict[str, float]:
        """Return the last WR_p by first-play urgency; labels are (*prefix, urgency, x)."""
        values = self.values((*prefix, fpu, x) for fpu in FPU)
        return {label[-2]: value for label, value in values.items()}

    def highest(self, label: Any) -> float:
        """Return the highest WR_p during a run."""
        return max(float(entry["wr_p"]) for entry in self.graded(label))

    def mean(self, label: Any) -> float:
        """Return the mean WR_p over a run: the faster it learns, the higher."""
        return fmean(entry["wr_p"] for entry in self.graded(label))

    def early_mean(self, label: Any) -> float:
        """Return the mean WR_p of the first half of a run."""
        graded = self.graded(label)
        return fmean(entry["wr_p"] for entry in graded[: max(1, len(graded) // 2)])

    def mean_games(self, label: Any) -> float:
        """Return the mean number of games of an iteration."""
        return fmean(entry["games"] for entry in self.metrics[label])

    def with_interval(self, label: Any) -> str:
        """Write the last WR_p of a run with its interval."""
        last = self.last(label)
        if last is None:
            return NO_RUN
        value, low, high = (percent(last[key]) for key in ("wr_p", "wr_p_low", "wr_p_high"))
        return f"{value} ({low} to {high})"

    def stated(self, label: Any, what: str, paper: float, about: str = "") -> Claim:
        """Return the claim of a WR_p that the paper states as a number."""
        last = self.last(label)
        remark = "" if last is None else verdict(paper, last["wr_p_low"], last["wr_p_high"])
        return Claim(what, f"{about}{percent(paper)}", self.with_interval(label), remark)

    def is_close(self, values: Iterable[float]) -> bool:
        """Whether WR_p is close to 50%, or in reduced runs to the best of the variant."""
        lowest = min(values, default=0.0)
        if self.full:
            return lowest >= CLOSE_TO_HALF
        return lowest > 0 and lowest >= _CLOSE_TO_BEST * max(self.values().values())

    def all_close(self, labels: Iterable[Any], what: str, paper: str) -> Claim:
        """Return the claim that WR_p of several runs is close to 50%."""
        values = self.values(labels).values()
        # One run shows nothing of several.
        shown = len(values) > 1
        return Claim(what, paper, span(values), agree(self.is_close(values)) if shown else "")


def percent(value: float) -> str:
    """Write a share as the paper does."""
    return f"{100 * value:.2f}%"


def short(value: float) -> str:
    """Write a count or an error."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.4f}"


def span(values: Iterable[float], write: Callable[[float], str] = percent) -> str:
    """Write the lowest and the highest of some values."""
    listed = list(values)
    if not listed:
        return NO_RUN
    low, high = write(min(listed)), write(max(listed))
    return low if low == high else f"{low} to {high}"


def listed(
    values: Mapping[Any, float],
    write: Callable[[float], str] = short,
    write_label: Callable[[Any], str] = str,
) -> str:
    """Write values with their labels."""
    return ", ".join(f"{write_label(x)}: {write(value)}" for x, value in values.items()) or NO_RUN


def listed_by_fpu(values: Mapping[str, float]) -> str:
    """Write WR_p with the initial W/N that led to it."""
    return listed(values, percent, FPU.__getitem__)


def verdict(paper: float, low: float, high: float) -> str:
    """Return whether a number of the paper lies in an interval of ours, or near it."""
    apart = max(0.0, low - paper, paper - high)
    if apart <= NEAR:
        return "agrees"
    return "differs, but is near" if apart <= FAR else "differs"


def agree(agrees: bool) -> str:
    """Return the remark on a statement that is true or not."""
    return "agrees" if agrees else "differs"


def reduced_remark(remark: str) -> str:
    """Return the remark on a reduced run, which can agree in shape at most."""
    remark = remark.replace("differs", "in a reduced run it differs", 1)
    return remark.replace("agrees", "the shape agrees", 1)


def trend(
    word: str,
    values: Mapping[Any, float],
    what: str,
    paper: str,
    *writers: Callable[[Any], str],
    tolerance: float = 0.05,
) -> Claim:
    """Return the claim that values are "rising" or "falling"; `writers` are those of `listed`.

    Relative steps back of at most `tolerance` do not count.
    """
    given = list(values.values())[:: -1 if word == "falling" else 1]
    steps = all(after >= before * (1 - tolerance) for before, after in pairwise(given))
    remark = agree(steps and given[-1] > given[0]) if len(given) > 1 else ""
    return Claim(what, paper, listed(values, *writers), remark)
