"""ChartLine charts and scatter charts as SVG, for light and dark pages alike.

Text and axes take the colour of the page's text; the colours of series suit both backgrounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from halma.draw.canvas import Canvas, Point, decimal, outline
from halma.draw.palette import DEFAULT

#: Colours of series, in their order.
COLOURS = ("#3d7fc4", "#d8683a", "#3b9c7d", "#a56cc1")
#: The most points of a curve; longer series are averaged in equal parts.
MOST_POINTS = 300

_INK = "currentColor"
_FONT = 12.0
_WIDTH, _HEIGHT = 480.0, 270.0
_SIDE = 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 54.0, 14.0, 30.0, 40.0
_SHADES = 8


@dataclass(frozen=True)
class ChartLine:
    """A series of points, left to right, with an optional band of uncertainty."""

    title: str
    points: Sequence[Point]
    #: x, low, high
    band: Sequence[tuple[float, float, float]] = ()


@dataclass(frozen=True)
class ChartGuide:
    """A horizontal or vertical line with a label."""

    at: float
    text: str


@dataclass(frozen=True)
class _Axes:
    """The rectangle of a chart and the ranges of its axes."""

    left: float
    right: float
    top: float
    bottom: float
    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, x: float) -> float:
        low, high = self.x
        return self.left + (x - low) / (high - low) * (self.right - self.left)

    def up(self, y: float) -> float:
        low, high = self.y
        return self.bottom - (y - low) / (high - low) * (self.bottom - self.top)

    def point(self, x: float, y: float) -> Point:
        return self.across(x), self.up(y)


def line_chart(
    title: str,
    lines: Sequence[ChartLine],
    xlabel: str,
    write: Callable[[float], str] = "{:g}".format,
    level: ChartGuide | None = None,
    changes: Sequence[ChartGuide] = (),
    from_zero: bool = False,
) -> str:
    """Return a line chart; `level` is a horizontal guide, `changes` are vertical ones."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    ys += [y for line in lines for _, *both in line.band for y in both]
    # Room for the label above a level.
    ys += [level.at + 0.02 * abs(level.at)] if level is not None else []
    ys += [0.0] if from_zero else []
    steps = ticks(*_apart(ys))
    axes = _Axes(_LEFT, _WIDTH - _RIGHT, _TOP, _HEIGHT - _BOTTOM, _apart(xs), (steps[0], steps[-1]))
    canvas = Canvas(1.0, DEFAULT, "chart")
    _write_title(canvas, title, _LEFT)
    _draw_axes(canvas, axes, ticks(*axes.x, whole=True), steps, "{:,.0f}".format, write, xlabel)
    for guide in changes:
        _draw_upright(canvas, axes, guide, lines)
    if level is not None:
        _draw_level(canvas, axes, level)
    for colour, line in zip(COLOURS, lines, strict=False):
        if line.band:
            edge = [axes.point(x, low) for x, low, _ in line.band]
            edge += [axes.point(x, high) for x, _, high in reversed(line.band)]
            canvas.add("polygon", points=outline(edge), fill=colour, opacity=0.25)
        points = [axes.point(x, y) for x, y in line.points]
        if len(points) == 1:
            canvas.circle(points[0], 2.5, fill=colour)
        canvas.add(
            "polyline",
            points=outline(points),
            fill="none",
            stroke=colour,
            stroke_width=1.75,
            stroke_linejoin="round",
        )
    if len(lines) > 1:
        _write_legend(canvas, lines)
    return canvas.finish(_WIDTH, _HEIGHT, _WIDTH, title)


def scatter_chart(
    title: str,
    counts: Sequence[Sequence[int]],
    xlabel: str,
    ylabel: str,
    points: Sequence[Point] | None = None,
    colour: str = COLOURS[0],
) -> str:
    """Return a scatter chart of two numbers from 0 to 1, with the diagonal on which they agree.

    `counts[i][j]` is how often the first lies in bin i and the second in bin j; the colour is
    stronger the more, by logarithm. If `points` are given, they are drawn instead.
    """
    axes = _Axes(_LEFT, _LEFT + _SIDE, _TOP, _TOP + _SIDE, (0.0, 1.0), (0.0, 1.0))
    canvas = Canvas(1.0, DEFAULT, "chart")
    _write_title(canvas, title, _LEFT)
    steps = [i / 4 for i in range(5)]
    _draw_axes(canvas, axes, steps, steps, "{:g}".format, "{:g}".format, xlabel)
    with canvas.group(opacity=0.65, transform=f"rotate(-90 12 {decimal(axes.top + _SIDE / 2)})"):
        canvas.write((12.0, axes.top + _SIDE / 2), ylabel, _FONT, _INK)
    if points is None:
        _draw_counts(canvas, axes, counts, colour)
    else:
        with canvas.group(fill=colour, opacity=0.55):
            for x, y in points:
                canvas.circle(axes.point(x, y), 2.2)
    ends = outline([axes.point(0, 0), axes.point(1, 1)])
    canvas.add(
        "polyline", points=ends, stroke=_INK, fill="none", opacity=0.5, stroke_dasharray="4 4"
    )
    width, height = axes.right + _RIGHT, axes.bottom + _BOTTOM
    return canvas.finish(width, height, max(width, height), title)


def downsample(
    points: Sequence[tuple[float, ...]], most: int = MOST_POINTS
) -> list[tuple[float, ...]]:
    """Return at most `most` points, each the mean of an equal part of those given."""
    parts = min(most, len(points))
    if parts == len(points):
        return list(points)
    edges = [i * len(points) // parts for i in range(parts + 1)]
    return [
        tuple(sum(column) / (b - a) for column in zip(*points[a:b], strict=True))
        for a, b in pairwise(edges)
    ]


def ticks(low: float, high: float, about: int = 5, whole: bool = False) -> list[float]:
    """Return round numbers in equal steps whose first and last enclose the range.

    With `whole`, return only integers within the range.
    """
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * 0.999)
    if whole:
        step = max(1.0, math.ceil(step))
        first, last = math.ceil(low / step), math.floor(high / step)
    else:
        # Rounding errors must not add a step.
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _apart(values: Sequence[float]) -> tuple[float, float]:
    """Return the least and the greatest; if they are equal, an interval around them."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high > low:
        return low, high
    reach = abs(low) / 10 or 1.0
    return low - reach, high + reach


def _write_title(canvas: Canvas, title: str, left: float) -> None:
    canvas.write((left, 11.0), title, _FONT + 1, _INK, anchor="start", bold=True)


def _draw_axes(
    canvas: Canvas,
    axes: _Axes,
    xs: Sequence[float],
    ys: Sequence[float],
    write_x: Callable[[float], str],
    write_y: Callable[[float], str],
    xlabel: str,
) -> None:
    with canvas.group(stroke=_INK, opacity=0.14):
        for y in ys:
            canvas.add("line", x1=axes.left, x2=axes.right, y1=axes.up(y), y2=axes.up(y))
    with canvas.group(stroke=_INK, opacity=0.5):
        canvas.add("line", x1=axes.left, x2=axes.right, y1=axes.bottom, y2=axes.bottom)
    with canvas.group(opacity=0.75):
        for y in ys:
            canvas.write((axes.left - 7, axes.up(y)), write_y(y), _FONT, _INK, anchor="end")
        for x in xs:
            canvas.write((axes.across(x), axes.bottom + 12), write_x(x), _FONT, _INK)
    with canvas.group(opacity=0.65):
        canvas.write(((axes.left + axes.right) / 2, axes.bottom + 30), xlabel, _FONT, _INK)


def _draw_level(canvas: Canvas, axes: _Axes, level: ChartGuide) -> None:
    y = axes.up(level.at)
    canvas.add(
        "line",
        x1=axes.left,
        x2=axes.right,
        y1=y,
        y2=y,
        stroke=_INK,
        opacity=0.7,
        stroke_dasharray="5 4",
    )
    with canvas.group(opacity=0.75):
        canvas.write((axes.right, y - 9), level.text, _FONT - 1, _INK, anchor="end")


def _draw_upright(
    canvas: Canvas, axes: _Axes, guide: ChartGuide, lines: Sequence[ChartLine]
) -> None:
    """Draw a vertical guide, its label where no curve is in the way."""
    x = axes.across(guide.at)
    beside = (
        axes.up(y)
        for line in lines
        for at, y in line.points
        if -10 < axes.across(at) - x < 7 * len(guide.text)
    )
    low = all(y < axes.bottom - 20 for y in beside)
    with canvas.group(opacity=0.45):
        canvas.add(
            "line",
            x1=x,
            x2=x,
            y1=axes.top,
            y2=axes.bottom,
            stroke=_INK,
            stroke_dasharray="2 3",
        )
    with canvas.group(opacity=0.65):
        y = axes.bottom - 9 if low else axes.top + 9
        canvas.write((x + 4, y), guide.text, _FONT - 1, _INK, anchor="start")


def _write_legend(canvas: Canvas, lines: Sequence[ChartLine]) -> None:
    """Write the names of series right of the title, assuming letters of average width."""
    x = _WIDTH - _RIGHT
    for colour, line in reversed(list(zip(COLOURS, lines, strict=False))):
        x -= 6.2 * len(line.title)
        canvas.write((x, 11.0), line.title, _FONT - 1, _INK, anchor="start")
        x -= 14
        canvas.add("rect", x=x, y=7, width=10, height=8, rx=2, fill=colour)
        x -= 12


def _draw_counts(canvas: Canvas, axes: _Axes, counts: Sequence[Sequence[int]], colour: str) -> None:
    most = max((count for row in counts for count in row), default=0)
    shades: dict[int, list[str]] = {}
    wide = (axes.right - axes.left) / len(counts)
    for i, row in enumerate(counts):
        for j, count in enumerate(row):
            if not count:
                continue
            shade = math.ceil(_SHADES * math.log1p(count) / math.log1p(most))
            x, y = axes.left + i * wide, axes.bottom - (j + 1) * wide
            side = decimal(wide)
            path = f"M{decimal(x)} {decimal(y)}h{side}v{side}h-{side}z"
            shades.setdefault(shade, []).append(path)
    # One path for each shade keeps the file small.
    for shade in sorted(shades):
        opacity = 0.08 + 0.92 * shade / _SHADES
        canvas.add("path", d="".join(shades[shade]), fill=colour, opacity=opacity)
