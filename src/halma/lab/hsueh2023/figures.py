"""The panels of hsueh2023's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import AXES, FPU, VARIANTS
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle

#: Makes the panels of a figure of the runs of some variants.
Panels = Callable[[Sequence[VariantRuns]], list[PlotPanel]]
#: Makes the lines of one variant.
Lines = Callable[[VariantRuns], list[PlotLine]]

WIN_RATE = PlotStyle("", "WR_p", percent=True, ylim=(0.0, 0.55), level=0.5)
#: WR_p by iteration.
CURVES = replace(WIN_RATE, xlabel="iteration", marked=False, shared_legend=True)
ERRORS = {"err_p": "ERR_p", "mae_v": "MAE_v"}
UPDATED = {f"updated_{times}": f"≥ {times}" for times in (1, 4, 16)}


def win_rate_style(axis: str, **more: Any) -> PlotStyle:
    """Return the style of WR_p along an axis."""
    return _along(axis, WIN_RATE, **more)


def style_along(axis: str, ylabel: str, **more: Any) -> PlotStyle:
    """Return the style of some other quantity along an axis."""
    return _along(axis, PlotStyle("", ylabel), **more)


def _along(axis: str, style: PlotStyle, **more: Any) -> PlotStyle:
    chosen = AXES[axis]
    return replace(
        style,
        xlabel=chosen.symbol,
        xscale=chosen.scale,
        xticks=[x for x in chosen.values if x not in chosen.unmarked],
        write_tick=chosen.write,
        **more,
    )


def by_variant(lines: Lines) -> Panels:
    """Make a panel for each variant; six are arranged as in the paper, EinStein on the left."""

    def panels(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
        return [PlotPanel(one.name, lines(one)) for one in arranged(runs)]

    return panels


def arranged(runs: Sequence[VariantRuns]) -> list[VariantRuns]:
    """Return all variants in pairs, EinStein and dark chess; fewer as they come."""
    if len(runs) < len(VARIANTS):
        return list(runs)
    names = list(VARIANTS)
    ordered = sorted(runs, key=lambda one: names.index(one.variant))
    half = len(ordered) // 2
    return [one for pair in zip(ordered[:half], ordered[half:], strict=True) for one in pair]


def curve(runs: VariantRuns, label: Any, name: str, rank: float = 0.0) -> PlotLine:
    """Return WR_p of a run by iteration."""
    graded = runs.graded(label)
    x, y = [entry["iteration"] for entry in graded], [entry["wr_p"] for entry in graded]
    return PlotLine(name, x, y, rank=rank)


def curves(axis: str, only: Sequence[float] | None = None) -> Panels:
    """WR_p by iteration, a line for each value of an axis (figures 7, 14, 17)."""
    return by_variant(
        lambda runs: [
            curve(runs, x, AXES[axis].write(x), rank=x)
            for x in runs.labels
            if only is None or x in only
        ]
    )


def last_line(
    runs: VariantRuns, name: str, labels: Sequence[Any], x: Sequence[float] | None = None
) -> PlotLine:
    """Return the last WR_p of graded runs with its intervals."""
    last = [runs.last(label) or {} for label in labels]
    y, low, high = ([entry[key] for entry in last] for key in ("wr_p", "wr_p_low", "wr_p_high"))
    return PlotLine(name, labels if x is None else x, y, low, high)


def last_and_highest(runs: VariantRuns) -> list[PlotLine]:
    """Last WR_p with its interval, and the highest during training (figures 8, 11, 15)."""
    labels = [x for x in runs.labels if not isinstance(x, str)]
    highest = [runs.highest(x) for x in labels]
    return [last_line(runs, "last", labels), PlotLine("max", labels, highest)]


def by_fpu(runs: VariantRuns, *prefix: Any) -> list[PlotLine]:
    """Last WR_p, a line for each first-play urgency; labels are (*prefix, urgency, x)."""
    lines = []
    for fpu, name in FPU.items():
        labels = sorted(label for label in runs.labels if label[:-1] == (*prefix, fpu))
        lines.append(last_line(runs, name, labels, [label[-1] for label in labels]))
    return lines


def metrics_lines(keys: Mapping[str, str]) -> Panels:
    """Some of the last metrics, each a line (figures 9, 10, 12, 13, 18, 19)."""
    return by_variant(
        lambda runs: [
            PlotLine(name, runs.labels, list(runs.values(key=key).values()))
            for key, name in keys.items()
        ]
    )
