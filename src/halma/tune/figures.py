"""Pictures of a tuning: history, importance, contours. matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines, save_figure, subplots
from halma.learn.settings import Plain
from halma.tune.plan import TuningPlan
from halma.tune.space import TunedKey

#: A trial's settings by key, and its value.
Point = tuple[Mapping[str, Plain], float]
#: Fewest trials that a contour is drawn from.
_LEAST = 6
_COLOUR, _BEST_COLOUR = "#0072b2", "#d55e00"


def draw_history(
    path: Path, plan: TuningPlan, values: Mapping[int, float], pruned: Mapping[int, float]
) -> None:
    """Draw the value of each trial, the last one of those that were pruned, and the best so far."""
    numbers = sorted(values)
    best: list[float] = []
    for number in numbers:
        value = values[number]
        best.append(value if not best or plan.is_better(value, best[-1]) else best[-1])
    figure, (ax,) = subplots(1, 1, (7, 3.2), False)
    ax.step(numbers, best, where="post", color=_BEST_COLOUR, label="best so far")
    ax.scatter(numbers, [values[n] for n in numbers], s=22, color=_COLOUR, label="trial", zorder=3)
    if pruned:
        ax.scatter(
            list(pruned), list(pruned.values()), s=22, marker="x", color="0.6", label="pruned"
        )
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(xlabel="trial", ylabel=plan.metric)
    ax.legend(frameon=False, fontsize="small")
    save_figure(figure, path, dpi=100)


def draw_members(path: Path, plan: TuningPlan, curves: Mapping[int, Mapping[int, float]]) -> None:
    """Draw the metric of each member of a population by iteration."""
    lines = [
        PlotLine(f"member {member}", list(curve), list(curve.values()), rank=member)
        for member, curve in curves.items()
    ]
    style = PlotStyle("iteration", plan.metric, columns=1, marked=False, size=(7, 3.6))
    plot_lines(path, [PlotPanel("", lines)], style)


def draw_importance(path: Path, importance: Mapping[str, float]) -> None:
    """Draw a bar for each setting, the most important one on top."""
    names = list(importance)[::-1]
    figure, (ax,) = subplots(1, 1, (7, 0.6 + 0.28 * len(names)), False)
    ax.barh(names, [importance[name] for name in names], color=_COLOUR)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(xlabel="share of the importance", xlim=(0, 1))
    save_figure(figure, path, dpi=100)


def draw_contours(
    path: Path,
    plan: TuningPlan,
    pairs: Sequence[tuple[TunedKey, TunedKey]],
    points: Sequence[Point],
) -> bool:
    """Draw the metric over pairs of settings, with the trials; return whether there were enough."""
    if not pairs or len(points) < _LEAST:
        return False
    figure, axes = subplots(len(pairs), min(2, len(pairs)), (4.8, 3.8), False)
    values = [value for _, value in points]
    for ax, (first, second) in zip(axes, pairs, strict=True):
        xs = _coordinates(ax, "x", first, [settings[first.key] for settings, _ in points])
        ys = _coordinates(ax, "y", second, [settings[second.key] for settings, _ in points])
        shown = _filled(ax, xs, ys, values, plan.maximizes)
        ax.scatter(xs, ys, c="white", edgecolors="black", s=16, linewidths=0.8, zorder=3)
        figure.colorbar(shown, ax=ax, label=plan.metric)
        ax.set(xlabel=first.key, ylabel=second.key)
    save_figure(figure, path, dpi=100)
    return True


def _filled(
    ax: Any, xs: Sequence[float], ys: Sequence[float], values: Sequence[float], maximizes: bool
) -> Any:
    """Draw filled contours; where the trials are on a line, coloured points."""
    colours = "viridis" if maximizes else "viridis_r"
    try:
        return ax.tricontourf(xs, ys, values, levels=10, cmap=colours)
    except (RuntimeError, ValueError):  # no triangle has an area
        return ax.scatter(xs, ys, c=values, cmap=colours, s=60)


def _coordinates(ax: Any, axis: str, key: TunedKey, values: Sequence[Plain]) -> list[float]:
    """Return the places of values on an axis, on the scale that they are tried on.

    Contours between points are linear, so a logarithmic axis has logarithms for coordinates.
    """
    import math

    if key.range.values:
        known = list(key.range.values)
        known += [value for value in values if value not in known]  # type: ignore[misc]
        texts = [value if isinstance(value, str) else f"{value}" for value in known]
        getattr(ax, f"set_{axis}ticks")(range(len(known)), texts)
        return [float(known.index(value)) for value in values]  # type: ignore[arg-type]
    numbers = [float(value) for value in values]  # type: ignore[arg-type]
    if not key.range.log or min(numbers) <= 0:
        return numbers
    from matplotlib import ticker

    write = ticker.FuncFormatter(lambda power, _: f"{10**power:.2g}")
    getattr(ax, f"{axis}axis").set_major_formatter(write)
    return [math.log10(number) for number in numbers]
