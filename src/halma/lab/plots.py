"""The two kinds of pictures the reports need. matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halma.errors import HalmaError

# Two hues that differ in lightness too, and their weaker companions.
COLOURS = ("#1b6ca8", "#d1495b", "#edae49", "#7fb2d6")


def _subplots(number: int) -> tuple[Any, Sequence[Any]]:
    """Return a figure and its panels, two in a row."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise HalmaError('Reports need matplotlib: pip install "halma[reports]".') from None
    rows = (number + 1) // 2
    figure, axes = pyplot.subplots(
        rows, 2, figsize=(9, 3.2 * rows), squeeze=False, sharey=True, layout="constrained"
    )
    panels = list(axes.flat)
    for ax in panels:
        ax.spines[["top", "right"]].set_visible(False)
    for ax in panels[number:]:
        ax.remove()
    return figure, panels[:number]


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def draw_lines(
    path: Path,
    panels: Sequence[tuple[str, Mapping[str, Sequence[float]]]],
    xlabel: str,
    ylabel: str,
    log: bool = False,
) -> None:
    """Draw named series over 1, 2, 3, ..., one panel beside the other."""
    figure, axes = _subplots(len(panels))
    for ax, (title, series) in zip(axes, panels, strict=True):
        for colour, (name, values) in zip(COLOURS, series.items(), strict=False):
            ax.plot(range(1, len(values) + 1), values, label=name, color=colour, linewidth=1.5)
        ax.set_title(title)
        ax.set_xlabel(xlabel)
        if log:
            ax.set_yscale("log")
        ax.legend(frameon=False)
    for ax in axes[::2]:
        ax.set_ylabel(ylabel)
    _save(figure, path)


def draw_histograms(
    path: Path,
    panels: Sequence[tuple[str, Mapping[str, Sequence[int]]]],
    xlabel: str,
    ylabel: str,
) -> None:
    """Draw how often each whole number came up, series side by side in each panel."""
    figure, axes = _subplots(len(panels))
    for ax, (title, series) in zip(axes, panels, strict=True):
        width = 0.8 / len(series)
        for i, (colour, (name, values)) in enumerate(zip(COLOURS, series.items(), strict=False)):
            numbers = range(min(values), max(values) + 1)
            places = [n + (i - (len(series) - 1) / 2) * width for n in numbers]
            heights = [list(values).count(n) for n in numbers]
            mean = sum(values) / len(values)
            ax.bar(places, heights, width, color=colour, label=f"{name}: mean {mean:.1f}")
            ax.axvline(mean, color=colour, linestyle="--", linewidth=1)
        ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_title(title)
        ax.set_xlabel(xlabel)
        ax.legend(frameon=False, fontsize="small")
    axes[0].set_ylim(0, axes[0].get_ylim()[1] * 1.3)  # shared by all; room for the legend
    for ax in axes[::2]:
        ax.set_ylabel(ylabel)
    _save(figure, path)
