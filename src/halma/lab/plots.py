"""Figures of papers, drawn with matplotlib: panels of lines, panels of histograms.

matplotlib is imported when a figure is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halma.files import atomic_write
from halma.machine import require

#: Okabe and Ito's colours, which colour-blind people can distinguish; markers repeat the coding.
_LINE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
#: Two hues that differ in lightness as well.
_BAR_COLOURS = ("#1b6ca8", "#d1495b")
_MARKERS = "osD^vPX*<>hdp"
_DASHES = ("-", "--", "-.", ":")


_drawing: ContextVar[bool] = ContextVar("drawing", default=True)


@contextmanager
def no_images() -> Iterator[None]:
    """Draw nothing, where only the texts of pages are wanted."""
    token = _drawing.set(False)
    try:
        yield
    finally:
        _drawing.reset(token)


@dataclass(frozen=True)
class PlotLine:
    """Points of one line; `low` and `high` are the ends of their intervals."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    #: sorts the lines of all panels; lines of equal rank keep the order in which they come
    rank: float = 0.0


@dataclass(frozen=True)
class PlotStyle:
    """Axes, legend and size of the panels of a figure."""

    xlabel: str
    ylabel: str
    #: at most
    columns: int = 2
    #: "linear", or the base of a logarithm
    xscale: str | int = "linear"
    yscale: str | int = "linear"
    #: where the x axis has ticks, and how they are written
    xticks: Sequence[float] | None = None
    write_tick: Callable[[float], str] = "{:,g}".format
    percent: bool = False
    #: where the y axis begins, and how far it goes at least
    ylim: tuple[float, float] | None = None
    #: a dashed horizontal line
    level: float | None = None
    #: lines are steps of one quantity, so that colours form a scale
    ordered: bool = False
    #: mark every point
    marked: bool = True
    #: title of the legend
    legend: str | None = None
    #: one legend below all panels, where they have the same lines
    shared_legend: bool = False
    #: the same y axis for all panels
    sharey: bool = False
    #: inches of one panel
    size: tuple[float, float] = (4.6, 2.9)


@dataclass(frozen=True)
class PlotPanel:
    """One of the coordinate systems of a figure."""

    title: str
    lines: Sequence[PlotLine]
    #: where it differs from that of the figure
    style: PlotStyle | None = None


def plot_lines(path: Path, panels: Sequence[PlotPanel], style: PlotStyle) -> None:
    """Draw panels of lines, row by row. A line has the same colour in every panel."""
    if not _drawing.get():
        return
    columns = max(1, min(style.columns, len(panels)))
    figure, axes = subplots(len(panels), columns, style.size, style.sharey)
    names = line_names(panels)
    handles: dict[str, Any] = {}
    for ax, panel in zip(axes, panels, strict=True):
        _draw_panel(ax, panel, panel.style or style, names)
        if not style.shared_legend and any(len(line.x) for line in panel.lines):
            own = panel.style or style
            ax.legend(frameon=False, fontsize="x-small", title=own.legend, title_fontsize="x-small")
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    if style.shared_legend and handles:
        shown = {name: handles[name] for name in names if name in handles}
        figure.legend(
            shown.values(),
            shown,
            title=style.legend,
            loc="outside lower center",
            ncols=min(len(shown), 3 * columns),
            frameon=False,
            fontsize="small",
        )
    save_figure(figure, path, dpi=100)


def line_names(panels: Sequence[PlotPanel]) -> list[str]:
    """Return the names of the lines of all panels, in the order of their ranks."""
    ranks: dict[str, float] = {}
    for panel in panels:
        for line in panel.lines:
            ranks.setdefault(line.name, line.rank)
    return sorted(ranks, key=lambda name: ranks[name])


def plot_histograms(
    path: Path, panels: Sequence[tuple[str, Mapping[str, Sequence[int]]]], xlabel: str, ylabel: str
) -> None:
    """Draw how often each integer occurs, two series side by side in each panel.

    All panels have the same axes.
    """
    if not _drawing.get():
        return
    figure, axes = subplots(len(panels), 2, (4.5, 3.2), sharey=True)
    every = [value for _, series in panels for values in series.values() for value in values]
    least, most = min(every), max(every)
    for ax, (title, series) in zip(axes, panels, strict=True):
        ax.spines[["top", "right"]].set_visible(False)
        width = 0.8 / len(series)
        for i, (colour, (name, values)) in enumerate(
            zip(_BAR_COLOURS, series.items(), strict=True)
        ):
            numbers = range(min(values), max(values) + 1)
            places = [n + (i - (len(series) - 1) / 2) * width for n in numbers]
            heights = [list(values).count(n) for n in numbers]
            mean = sum(values) / len(values)
            ax.bar(places, heights, width, color=colour, label=f"{name}: mean {mean:.1f}")
            ax.axvline(mean, color=colour, linestyle="--", linewidth=1)
        ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set(xlabel=xlabel, xlim=(least - 1, most + 1))
        ax.set_title(title, fontsize="medium")
        ax.legend(fontsize="small", framealpha=0.9, edgecolor="none")
    axes[0].set_ylim(0, axes[0].get_ylim()[1] * 1.3)  # shared by all; room for the legend
    for ax in axes[::2]:
        ax.set_ylabel(ylabel)
    save_figure(figure, path, dpi=120)


def _draw_panel(ax: Any, panel: PlotPanel, style: PlotStyle, names: Sequence[str]) -> None:
    from matplotlib import ticker

    lines = [line for line in panel.lines if len(line.x)]
    ax.set_title(panel.title, fontsize="medium")
    if not lines:
        ax.text(0.5, 0.5, "not run yet", ha="center", transform=ax.transAxes, color="0.5")
        ax.set_axis_off()
        return
    if style.level is not None:
        ax.axhline(style.level, color="0.6", linestyle="--", linewidth=0.8, zorder=0)
    for line in lines:
        _draw_line(ax, line, names.index(line.name), len(names), style)
    ax.set(xlabel=style.xlabel, ylabel=style.ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="0.92", linewidth=0.6, zorder=0)
    for scale, set_scale in ((style.xscale, ax.set_xscale), (style.yscale, ax.set_yscale)):
        if isinstance(scale, int):
            set_scale("log", base=scale)
    if style.xticks is None:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    else:
        shown = [tick for tick in style.xticks if any(tick in line.x for line in lines)]
        ax.set_xticks(shown, [style.write_tick(tick) for tick in shown])
        ax.minorticks_off()
        ax.tick_params(axis="x", labelrotation=45 if len(shown) > 7 else 0, labelsize="small")
    if style.percent:
        ax.yaxis.set_major_formatter(ticker.PercentFormatter(1.0))
    elif max(y for line in lines for y in line.y) >= 1000:
        ax.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    if style.ylim is not None:
        ax.set_ylim(style.ylim[0], max(ax.get_ylim()[1], style.ylim[1]))


def _draw_line(ax: Any, line: PlotLine, number: int, total: int, style: PlotStyle) -> None:
    """Draw line `number` of the `total` that the figure has."""
    import matplotlib

    colour: Any = _LINE_COLOURS[number % len(_LINE_COLOURS)]
    if style.ordered:
        # Light yellow is hard to see on white, so the end of the colour map is left out.
        colour = matplotlib.colormaps["viridis"](0.82 * number / max(total - 1, 1))
    if line.low is not None and line.high is not None:
        below = [max(0.0, y - low) for y, low in zip(line.y, line.low, strict=True)]
        above = [max(0.0, high - y) for y, high in zip(line.y, line.high, strict=True)]
        ax.errorbar(
            line.x, line.y, yerr=[below, above], color=colour, fmt="none", capsize=2, elinewidth=1
        )
    ax.plot(
        line.x,
        line.y,
        label=line.name,
        color=colour,
        marker=_MARKERS[number % len(_MARKERS)] if style.marked else None,
        linestyle=_DASHES[number % len(_DASHES)],
        markersize=4,
        linewidth=1.4,
    )


def save_figure(figure: Any, path: Path, dpi: int) -> None:
    """Write a figure as PNG."""
    with atomic_write(path) as file:
        figure.savefig(file, format="png", dpi=dpi)


def subplots(
    number: int, columns: int, size: tuple[float, float], sharey: bool
) -> tuple[Any, Sequence[Any]]:
    """Return a figure and its coordinate systems, row by row."""
    require("matplotlib")
    from matplotlib.figure import Figure

    rows = -(-number // columns)
    figure = Figure((size[0] * columns, size[1] * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=sharey).flat
    for ax in axes[number:]:
        ax.remove()
    return figure, list(axes[:number])
