"""The panels of hsueh2023's figures, and the five kinds of figures that it repeats for its axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import AXES, FPU, MAIN_VARIANTS, VARIANTS, Planner
from halma.lab.hsueh2023.training import Panels, TrainingFigure
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle
from halma.lab.report import Claim

WIN_RATE = PlotStyle("", "WR_p", percent=True, ylim=(0.0, 0.55), level=0.5)
#: WR_p by iteration.
CURVES = replace(WIN_RATE, xlabel="iteration", marked=False, shared_legend=True)
_FROM_ZERO = PlotStyle("", "", ylim=(0.0, 0.0))
ERRORS = {"err_p": "ERR_p", "mae_v": "MAE_v"}
UPDATED = {f"updated_{times}": f"≥ {times}" for times in (1, 4, 16)}

#: kind of figure -> title and caption, in which {} is the axis
_WORDS = {
    "curves": ("training with different {}", "WR_p during training with different {}"),
    "last": (
        "last and highest WR_p with different {}",
        "Last WR_p with its 95% interval, and the highest during training, by {}",
    ),
    "errors": ("errors with different {}", "ERR_p and MAE_v of the last iteration, by {}"),
    "updated": (
        "positions updated with different {}",
        "Positions updated at least 1, 4 and 16 times during training, by {}",
    ),
    "fpu": (
        "first-play urgency and {}",
        "Last WR_p with its 95% interval, by {}, for four first-play urgencies",
    ),
}


def axis_figure(
    number: int,
    kind: str,
    axis: str,
    claims: Callable[[VariantRuns], Iterable[Claim]],
    **fields: Any,
) -> TrainingFigure:
    """Return a figure of the paper, by its number, its kind and its axis.

    Kinds are `curves` (WR_p during training), `last` (WR_p at the end), `errors`, `updated`
    (positions) and `fpu` (WR_p for each first-play urgency). `fields` are those in which the
    figure differs from the others of its kind.
    """
    symbol = AXES[axis].symbol
    title, caption = (words.format(symbol) for words in _WORDS[kind])
    panels, style = {
        "curves": (curves(axis), replace(CURVES, legend=symbol, ordered=True)),
        "last": (by_variant(last_and_highest), along(axis)),
        "errors": (metrics_lines(ERRORS), along(axis, _FROM_ZERO, ylabel="error")),
        "updated": (metrics_lines(UPDATED), along(axis, _FROM_ZERO, ylabel="positions")),
        "fpu": (by_variant(by_fpu), along(axis, legend="initial W/N")),
    }[kind]
    usual = {
        "name": f"fig{number}",
        "title": f"Figure {number}: {title}",
        "caption": caption,
        "variants": MAIN_VARIANTS,
        "plan": partial(Planner.by_fpu if kind == "fpu" else Planner.along, axis=axis),
        "panels": panels,
        "style": style,
    }
    return TrainingFigure(claims=claims, **{**usual, **fields})


def along(axis: str, style: PlotStyle = WIN_RATE, **more: Any) -> PlotStyle:
    """Return the style of a quantity along an axis."""
    chosen = AXES[axis]
    return replace(
        style,
        xlabel=chosen.symbol,
        xscale=chosen.scale,
        xticks=[x for x in chosen.values if x not in chosen.unmarked],
        write_tick=chosen.write,
        **more,
    )


def by_variant(lines: Callable[[VariantRuns], list[PlotLine]]) -> Panels:
    """Make a panel for each variant; six are arranged as in the paper, EinStein on the left."""
    return lambda runs: [PlotPanel(one.name, lines(one)) for one in arranged(runs)]


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
    x, y = ([entry[key] for entry in graded] for key in ("iteration", "wr_p"))
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


def last_line(runs: VariantRuns, name: str, labels: Sequence[Any]) -> PlotLine:
    """Return the last WR_p of graded runs with its intervals; x is the last part of a label."""
    x = [label[-1] if isinstance(label, tuple) else label for label in labels]
    keys = ("wr_p", "wr_p_low", "wr_p_high")
    y, low, high = (list(runs.values(labels, key).values()) for key in keys)
    return PlotLine(name, x, y, low, high)


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
        lines.append(last_line(runs, name, labels))
    return lines


def metrics_lines(keys: Mapping[str, str]) -> Panels:
    """Some of the last metrics, each a line (figures 9, 10, 12, 13, 18, 19)."""
    return by_variant(
        lambda runs: [
            PlotLine(name, runs.labels, list(runs.values(key=key).values()))
            for key, name in keys.items()
        ]
    )
