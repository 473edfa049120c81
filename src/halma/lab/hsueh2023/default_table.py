"""How the runs of the default setting ended, as a table of all seeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import ALL_VARIANTS, Planner
from halma.lab.hsueh2023.training import TrainingExperiment
from halma.lab.report import ReportSection

_COLUMNS = (
    "variant",
    "seed",
    "iterations",
    "WR_p (95% interval)",
    "ERR_p",
    "MAE_v",
    "updated ≥ 1",
    "≥ 4",
    "≥ 16",
    "seconds",
)


def table_row(runs: VariantRuns, seed: int) -> Sequence[str]:
    """Return the last grades of a run; an unfinished one has those of where it is."""
    last = runs.last(seed) or {}
    iterations = runs.planner.run(runs.variant).settings.iterations
    reached = f"{last['iteration']:,}"
    return (
        runs.variant,
        str(seed),
        reached if last["iteration"] == iterations else f"{reached} of {iterations:,}",
        f"{last['wr_p']:.2%} ({last['wr_p_low']:.2%} to {last['wr_p_high']:.2%})",
        f"{last['err_p']:.4f}",
        f"{last['mae_v']:.4f}",
        *(f"{last[f'updated_{times}']:,}" for times in (1, 4, 16)),
        f"{runs.metrics[seed][-1]['seconds']:,.0f}",
    )


class DefaultTable(TrainingExperiment):
    """The runs of figure 25, row by row."""

    def sections(self, folder: Path, runs: Sequence[VariantRuns]) -> list[ReportSection]:
        """Return a row for every run that was graded."""
        ordered = sorted(runs, key=lambda one: one.variant)
        rows = [table_row(one, seed) for one in ordered for seed in one.labels]
        text = "" if rows else "Not run yet."
        return [ReportSection(self.title, text, rows, columns=_COLUMNS)]


EXPERIMENTS = (
    DefaultTable(
        name="default",
        title="The default setting: how its runs ended",
        variants=ALL_VARIANTS,
        plan=Planner.trials,
    ),
)
