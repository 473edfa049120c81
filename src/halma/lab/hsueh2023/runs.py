"""The metrics of an experiment's runs on one variant, by the labels of its figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from halma.lab.hsueh2023.settings import VARIANTS, Planner
from halma.lab.run_store import Metrics


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
        kept = {
            label: [] if label in self.unfinished else metrics
            for label, metrics in self.metrics.items()
        }
        return replace(self, metrics=kept)

    def graded(self, label: Any) -> list[Metrics]:
        """Return the metrics of the iterations that were graded."""
        return [entry for entry in self.metrics.get(label, ()) if entry["wr_p"] is not None]

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
