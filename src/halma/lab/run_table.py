"""How training runs ended, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from halma.errors import HalmaError
from halma.lab.runs import find_runs
from halma.learn import load, read_metrics
from halma.learn.run import RECIPE

_HEADS = (
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


def run_rows(places: Iterable[Path]) -> list[dict[str, Any]]:
    """Return a row for each run in some directories: its settings and its last grades.

    A run that is not finished has the grades of where it is.
    """
    rows = []
    for place in places:
        found = find_runs(place)
        if not found:
            raise HalmaError(f"There is no run in '{place}'.")
        for run in found:
            recipe = load(str(run / RECIPE))
            metrics = read_metrics(run)
            graded = [line for line in metrics if line["wr_p"] is not None]
            if graded:
                rows.append(
                    {
                        "run": str(run),
                        "variant": recipe.game.name,
                        "seed": recipe.settings.seed,
                        "iterations": recipe.settings.iterations,
                        "seconds": metrics[-1]["seconds"],
                        **{key: graded[-1][key] for key in ("iteration", *_GRADES)},
                    }
                )
    return sorted(rows, key=lambda row: (row["variant"], row["seed"], row["run"]))


_GRADES = (
    "wr_p",
    "wr_p_low",
    "wr_p_high",
    "err_p",
    "mae_v",
    "updated_1",
    "updated_4",
    "updated_16",
)


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as a table in Markdown."""
    lines = [f"| {' | '.join(_HEADS)} |", "|---" * len(_HEADS) + "|"]
    for row in rows:
        finished = row["iteration"] == row["iterations"]
        reached = f"{row['iteration']:,}"
        cells = (
            row["variant"],
            str(row["seed"]),
            reached if finished else f"{reached} of {row['iterations']:,}",
            f"{row['wr_p']:.2%} ({row['wr_p_low']:.2%} to {row['wr_p_high']:.2%})",
            f"{row['err_p']:.4f}",
            f"{row['mae_v']:.4f}",
            *(f"{row[f'updated_{times}']:,}" for times in (1, 4, 16)),
            f"{row['seconds']:,.0f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
