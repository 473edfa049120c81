"""The four kinds of figures that the paper has for each axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from halma.lab.hsueh2023.figures import (
    CURVES,
    ERRORS,
    UPDATED,
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

ClaimsOf = Callable[[VariantRuns], Iterable[Claim]]


def curves_figure(
    name: str,
    title: str,
    axis: str,
    claims: ClaimsOf,
    only: Sequence[float] | None = None,
    **fields: Any,
) -> TrainingFigure:
    """WR_p during training, a curve for each value of the axis."""
    style = replace(CURVES, legend=AXES[axis].symbol, ordered=True)
    return _make(name, title, axis, claims, panels=curves(axis, only), style=style, **fields)


def win_rate_figure(
    name: str, title: str, axis: str, claims: ClaimsOf, **fields: Any
) -> TrainingFigure:
    """The last WR_p and the highest during training, along the axis."""
    return _make(
        name,
        title,
        axis,
        claims,
        panels=by_variant(last_and_highest),
        style=win_rate_style(axis),
        caption="Last WR_p with its 95% interval, and the highest during training, "
        f"by {AXES[axis].symbol}",
        **fields,
    )


def errors_figure(name: str, title: str, axis: str, claims: ClaimsOf) -> TrainingFigure:
    """The last ERR_p and MAE_v along the axis."""
    return _make(
        name,
        title,
        axis,
        claims,
        panels=metrics_lines(ERRORS),
        style=style_along(axis, "error", ylim=(0.0, 0.0)),
        caption=f"ERR_p and MAE_v of the last iteration, by {AXES[axis].symbol}",
    )


def updated_figure(name: str, title: str, axis: str, claims: ClaimsOf) -> TrainingFigure:
    """The number of positions that were updated, along the axis."""
    return _make(
        name,
        title,
        axis,
        claims,
        panels=metrics_lines(UPDATED),
        style=style_along(axis, "positions", ylim=(0.0, 0.0)),
        caption="Positions updated at least 1, 4 and 16 times during training, "
        f"by {AXES[axis].symbol}",
    )


def _make(name: str, title: str, axis: str, claims: ClaimsOf, **fields: Any) -> TrainingFigure:
    fields.setdefault("variants", MAIN_VARIANTS)
    fields.setdefault("plan", partial(Planner.along, axis=axis))
    return TrainingFigure(name=name, title=title, claims=claims, **fields)
