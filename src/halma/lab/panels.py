"""Panels of lines with error bars, in rows and columns. matplotlib is imported when drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halma.errors import HalmaError

#: Okabe and Ito's colours, which colour-blind people can tell apart; markers say it again.
_CATEGORIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_MARKERS = "osD^vPX*<>hdp"
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Line:
    """Points that belong together; `low` and `high` are the ends of their intervals."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    #: where it stands among the lines of all panels; as they come if left out
    rank: float = 0.0


@dataclass(frozen=True)
class Panel:
    """One picture among others."""

    title: str
    lines: Sequence[Line]
    #: where it differs from the others
    look: Look | None = None


@dataclass(frozen=True)
class Look:
    """What the panels of a figure share."""

    xlabel: str
    ylabel: str
    columns: int = 2
    #: "linear", or the base of a logarithm
    xscale: str | int = "linear"
    yscale: str | int = "linear"
    #: where the x axis has ticks, and how they are written
    xticks: Sequence[float] | None = None
    write_tick: Callable[[float], str] = field(default=lambda value: f"{value:,g}")
    percent: bool = False
    #: where the y axis begins, and how far it goes at least
    ylim: tuple[float, float] | None = None
    #: a dashed line across
    level: float | None = None
    #: lines are steps of one quantity, not things of different kinds
    ordered: bool = False
    #: points are few enough to be marked
    marked: bool = True
    legend: str | None = None
    #: one legend below all panels, where they have the same lines
    shared_legend: bool = False
    sharey: bool = False
    #: inches of one panel
    size: tuple[float, float] = (4.6, 2.9)


def draw_panels(path: Path, panels: Sequence[Panel | None], look: Look) -> None:
    """Draw panels row by row; None leaves a gap."""
    pyplot = _pyplot()
    rows = (len(panels) + look.columns - 1) // look.columns
    figure, axes = pyplot.subplots(
        rows,
        look.columns,
        figsize=(look.size[0] * look.columns, look.size[1] * rows),
        squeeze=False,
        sharey=look.sharey,
        layout="constrained",
    )
    for ax in axes.flat[len(panels) :]:
        ax.remove()
    names = _names(panels)
    handles: dict[str, Any] = {}
    for ax, panel in zip(axes.flat, panels, strict=False):
        if panel is None:
            ax.remove()
            continue
        _draw(ax, panel, panel.look or look, names)
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    if look.shared_legend and handles:
        shown = [name for name in names if name in handles]
        figure.legend(
            [handles[name] for name in shown],
            shown,
            title=look.legend,
            loc="outside lower center",
            ncols=min(len(shown), 4 * look.columns),
            frameon=False,
            fontsize="small",
        )
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def _names(panels: Sequence[Panel | None]) -> list[str]:
    """Return the names of all lines in order; the same name looks the same in every panel."""
    ranks: dict[str, float] = {}
    for panel in panels:
        for line in panel.lines if panel is not None else ():
            ranks.setdefault(line.name, line.rank)
    return sorted(ranks, key=lambda name: ranks[name])


def _draw(ax: Any, panel: Panel, look: Look, names: Sequence[str]) -> None:
    from matplotlib import ticker

    lines = [line for line in panel.lines if len(line.x)]
    if not lines:
        ax.text(0.5, 0.5, "not run yet", ha="center", transform=ax.transAxes, color="0.5")
        ax.set_axis_off()
        ax.set_title(panel.title, fontsize="medium")
        return
    if look.level is not None:
        ax.axhline(look.level, color="0.6", linestyle="--", linewidth=0.8, zorder=0)
    for line in lines:
        colour, marker, dashes = _style(names.index(line.name), len(names), look)
        if line.low is not None and line.high is not None:
            ax.errorbar(
                line.x,
                line.y,
                yerr=[
                    [max(0.0, y - low) for y, low in zip(line.y, line.low, strict=True)],
                    [max(0.0, high - y) for y, high in zip(line.y, line.high, strict=True)],
                ],
                color=colour,
                fmt="none",
                capsize=2,
                elinewidth=1,
            )
        ax.plot(
            line.x,
            line.y,
            label=line.name,
            color=colour,
            marker=marker if look.marked else None,
            linestyle=dashes,
            markersize=4,
            linewidth=1.4,
        )
    ax.set_title(panel.title, fontsize="medium")
    ax.set_xlabel(look.xlabel)
    ax.set_ylabel(look.ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="0.92", linewidth=0.6, zorder=0)
    for scale, axis in ((look.xscale, ax.set_xscale), (look.yscale, ax.set_yscale)):
        if isinstance(scale, int):
            axis("log", base=scale)
    if look.xticks is None:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    else:
        shown = [tick for tick in look.xticks if any(tick in line.x for line in lines)]
        ax.set_xticks(shown, [look.write_tick(tick) for tick in shown])
        ax.minorticks_off()
        ax.tick_params(axis="x", labelrotation=45 if len(shown) > 7 else 0, labelsize="small")
    if look.percent:
        ax.yaxis.set_major_formatter(ticker.PercentFormatter(1.0, decimals=0))
    elif max(y for line in lines for y in line.y) >= 1000:
        ax.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    if look.ylim is not None:
        ax.set_ylim(look.ylim[0], max(ax.get_ylim()[1], look.ylim[1]))
    if not look.shared_legend:
        ax.legend(frameon=False, fontsize="x-small", title=look.legend, title_fontsize="x-small")


def _style(number: int, total: int, look: Look) -> tuple[Any, str, str]:
    """Return colour, marker and dashes of a line."""
    marker = _MARKERS[number % len(_MARKERS)]
    if not look.ordered:
        dashes = _DASHES[number % 4]
        return _CATEGORIES[number % len(_CATEGORIES)], marker, dashes
    import matplotlib

    # Light yellow is hard to see on white, so the map's last part is left out.
    place = 0.82 * number / max(total - 1, 1)
    return matplotlib.colormaps["viridis"](place), marker, _DASHES[number % 4]


def _pyplot() -> Any:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise HalmaError('Reports need matplotlib: pip install "halma[reports]".') from None
    return pyplot
