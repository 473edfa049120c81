"""The five kinds of figures that the paper repeats for its axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from halma.lab.hsueh2023.figures import (
    CURVES,
    ERRORS,
    UPDATED,
    by_fpu,
    by_variant,
    curves,
    last_and_highest,
    metrics_lines,
    style_along,
    win_rate_style,
)
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import AXES, MAIN_VARIANTS, Planner
from halma.lab.hsueh2023.training import TrainingFigure
from halma.lab.report import Claim

#: kind -> title and caption, in which {} is the axis
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
        "last": (by_variant(last_and_highest), win_rate_style(axis)),
        "errors": (metrics_lines(ERRORS), style_along(axis, "error", ylim=(0.0, 0.0))),
        "updated": (metrics_lines(UPDATED), style_along(axis, "positions", ylim=(0.0, 0.0))),
        "fpu": (by_variant(by_fpu), win_rate_style(axis, legend="initial W/N")),
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
