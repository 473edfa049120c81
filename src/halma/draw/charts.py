"""Line charts and scatter charts as SVG, for light and dark pages alike.

Text and axes take the colour of the page's text; the colours of series suit both backgrounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from halma.draw.canvas import Canvas, Point, decimal, outline, stroke
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
#: Height of a row of the legend beneath the title, and widths of a letter of the title and of it.
_ROW, _TITLE_LETTER, _LEGEND_LETTER = 16.0, 7.5, 6.2
#: Around the name of a series: its colour, and the distance to the next.
_SWATCH, _GAP = 14.0, 12.0
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


class _Chart(Canvas):
    """A canvas with the rectangle of a chart, the ranges of its axes, and a legend."""

    def __init__(
        self,
        title: str,
        size: Point,
        x: tuple[float, float],
        y: tuple[float, float],
        lines: Sequence[ChartLine] = (),
    ) -> None:
        super().__init__(1.0, DEFAULT, "chart")
        self.title, self.x, self.y = title, x, y
        self.left, self.right = _LEFT, size[0] - _RIGHT
        self.write((_LEFT, 11.0), title, _FONT + 1, _INK, anchor="start", bold=True)
        # The rectangle keeps its height; what is above it grows.
        rows = self._draw_legend(lines)
        self.top = _TOP + _ROW * rows
        self.bottom = size[1] - _BOTTOM + _ROW * rows
        self.size = size[0], size[1] + _ROW * rows

    def across(self, x: float) -> float:
        low, high = self.x
        return self.left + (x - low) / (high - low) * (self.right - self.left)

    def up(self, y: float) -> float:
        low, high = self.y
        return self.bottom - (y - low) / (high - low) * (self.bottom - self.top)

    def point(self, x: float, y: float) -> Point:
        return self.across(x), self.up(y)

    def line(self, start: Point, end: Point, opacity: float, dashes: str | None = None) -> None:
        (x1, y1), (x2, y2) = start, end
        self.add(
            "line",
            x1=x1,
            x2=x2,
            y1=y1,
            y2=y2,
            stroke=_INK,
            opacity=opacity,
            stroke_dasharray=dashes,
        )

    def draw_axes(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        write_x: Callable[[float], str],
        write_y: Callable[[float], str],
        xlabel: str,
    ) -> None:
        for y in ys:
            self.line((self.left, self.up(y)), (self.right, self.up(y)), 0.14)
            self.write((self.left - 7, self.up(y)), write_y(y), _FONT, _INK, "end", opacity=0.75)
        self.line((self.left, self.bottom), (self.right, self.bottom), 0.5)
        for x in xs:
            self.write((self.across(x), self.bottom + 12), write_x(x), _FONT, _INK, opacity=0.75)
        middle = (self.left + self.right) / 2
        self.write((middle, self.bottom + 30), xlabel, _FONT, _INK, opacity=0.65)

    def draw_level(self, level: ChartGuide) -> None:
        y = self.up(level.at)
        self.line((self.left, y), (self.right, y), 0.7, "5 4")
        self.write((self.right, y - 9), level.text, _FONT - 1, _INK, "end", opacity=0.75)

    def draw_upright(self, guide: ChartGuide, lines: Sequence[ChartLine]) -> None:
        """Draw a vertical guide, its label where no curve is in the way."""
        x = self.across(guide.at)
        beside = (
            self.up(y)
            for line in lines
            for at, y in line.points
            if -10 < self.across(at) - x < 7 * len(guide.text)
        )
        low = all(y < self.bottom - 20 for y in beside)
        self.line((x, self.top), (x, self.bottom), 0.45, "2 3")
        y = self.bottom - 9 if low else self.top + 9
        self.write((x + 4, y), guide.text, _FONT - 1, _INK, "start", opacity=0.65)

    def draw_curve(self, line: ChartLine, colour: str) -> None:
        if line.band:
            edge = [self.point(x, low) for x, low, _ in line.band]
            edge += [self.point(x, high) for x, _, high in reversed(line.band)]
            self.add("polygon", points=outline(edge), fill=colour, opacity=0.25)
        points = [self.point(x, y) for x, y in line.points]
        if len(points) == 1:
            self.circle(points[0], 2.5, fill=colour)
        self.add("polyline", points=outline(points), fill="none", **stroke(colour, 1.75))

    def _draw_legend(self, lines: Sequence[ChartLine]) -> int:
        """Write the names of series right of the title, or beneath it; return the rows beneath."""
        widths = [_SWATCH + _LEGEND_LETTER * len(line.title) + _GAP for line in lines]
        if self.left + _TITLE_LETTER * len(self.title) + sum(widths) <= self.right:
            x, y, rows = self.right + _GAP - sum(widths), 11.0, 0
        else:
            x, y, rows = self.left, 11.0 + _ROW, 1
        for colour, line, width in zip(COLOURS, lines, widths, strict=False):
            if rows and x > self.left and x + width - _GAP > self.right:
                x, y, rows = self.left, y + _ROW, rows + 1
            self.rect((x, y - 4), 10, 8, rx=2, fill=colour)
            self.write((x + _SWATCH, y), line.title, _FONT - 1, _INK, anchor="start")
            x += width
        return rows

    def draw_counts(self, counts: Sequence[Sequence[int]]) -> None:
        most = max((count for row in counts for count in row), default=0)
        shades: dict[int, list[str]] = {}
        wide = (self.right - self.left) / len(counts)
        side = decimal(wide)
        for i, row in enumerate(counts):
            for j, count in enumerate(row):
                if not count:
                    continue
                shade = math.ceil(_SHADES * math.log1p(count) / math.log1p(most))
                x, y = self.left + i * wide, self.bottom - (j + 1) * wide
                path = f"M{decimal(x)} {decimal(y)}h{side}v{side}h-{side}z"
                shades.setdefault(shade, []).append(path)
        # One path for each shade keeps the file small.
        for shade in sorted(shades):
            opacity = 0.08 + 0.92 * shade / _SHADES
            self.add("path", d="".join(shades[shade]), fill=COLOURS[0], opacity=opacity)

    def document(self) -> str:
        return self.finish(*self.size, max(self.size), self.title)


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
    named = lines if len(lines) > 1 else ()
    chart = _Chart(title, (_WIDTH, _HEIGHT), _apart(xs), (steps[0], steps[-1]), named)
    chart.draw_axes(ticks(*chart.x, whole=True), steps, "{:,.0f}".format, write, xlabel)
    for guide in changes:
        chart.draw_upright(guide, lines)
    if level is not None:
        chart.draw_level(level)
    for colour, line in zip(COLOURS, lines, strict=False):
        chart.draw_curve(line, colour)
    return chart.document()


def scatter_chart(
    title: str,
    counts: Sequence[Sequence[int]],
    xlabel: str,
    ylabel: str,
    points: Sequence[Point] | None = None,
) -> str:
    """Return a scatter chart of two numbers from 0 to 1, with the diagonal on which they agree.

    `counts[i][j]` is how often the first lies in bin i and the second in bin j; the colour is
    stronger the more, by logarithm. If `points` are given, they are drawn instead.
    """
    size = (_LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _BOTTOM)
    chart = _Chart(title, size, (0.0, 1.0), (0.0, 1.0))
    steps = [i / 4 for i in range(5)]
    chart.draw_axes(steps, steps, "{:g}".format, "{:g}".format, xlabel)
    middle = _TOP + _SIDE / 2
    with chart.group(transform=f"rotate(-90 12 {decimal(middle)})"):
        chart.write((12.0, middle), ylabel, _FONT, _INK, opacity=0.65)
    if points is None:
        chart.draw_counts(counts)
    else:
        with chart.group(fill=COLOURS[0], opacity=0.55):
            for x, y in points:
                chart.circle(chart.point(x, y), 2.2)
    chart.line(chart.point(0, 0), chart.point(1, 1), 0.5, "4 4")
    return chart.document()


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
