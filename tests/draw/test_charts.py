"""Line and scatter charts: points are drawn where they should be."""

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halma.draw.charts import (
    COLOURS,
    ChartGuide,
    ChartLine,
    downsample,
    line_chart,
    scatter_chart,
    ticks,
)
from halma.draw.page import page, paragraphs, table

SVG = "{http://www.w3.org/2000/svg}"


def elements(picture, tag):
    return [e for e in ElementTree.fromstring(picture).iter(f"{SVG}{tag}")]


def texts(picture):
    return [e.text for e in elements(picture, "text")]


def points(polyline):
    return [tuple(map(float, pair.split(","))) for pair in polyline.get("points").split()]


@given(
    st.floats(-1e6, 1e6, allow_nan=False), st.floats(1e-6, 1e6, allow_nan=False), st.integers(2, 9)
)
def test_ticks_enclose_and_are_few(low, reach, about):
    high = low + reach
    steps = ticks(low, high, about)
    slack = 1e-6 * max(1.0, abs(low), reach)
    assert steps[0] <= low + slack and steps[-1] >= high - slack
    assert 2 <= len(steps) <= about + 3


def test_ticks_are_round():
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(0.03, 0.51) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert ticks(1, 100, whole=True) == [20, 40, 60, 80, 100]
    assert ticks(1, 3, whole=True) == [1, 2, 3]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=50))
def test_thinning_keeps_the_mean(given_points):
    kept = downsample(given_points, 7)
    assert len(kept) == min(7, len(given_points))
    if len(given_points) % 7 == 0:
        for column in range(2):
            means = [sum(p[column] for p in some) / len(some) for some in (kept, given_points)]
            assert means[0] == pytest.approx(means[1])


def test_a_curve_goes_through_its_points():
    line = ChartLine(
        "one", [(1, 0.0), (2, 1.0), (3, 0.5)], [(1, 0, 0.2), (2, 0.8, 1), (3, 0.4, 0.6)]
    )
    picture = line_chart("title", [line], "iteration", changes=[ChartGuide(2, "change")])
    (curve,) = elements(picture, "polyline")
    (x1, y1), (x2, y2), (x3, y3) = points(curve)
    assert x2 - x1 == pytest.approx(x3 - x2)
    assert y3 == pytest.approx((y1 + y2) / 2)
    assert y2 < y1  # up is less
    (band,) = elements(picture, "polygon")
    assert len(points(band)) == 6
    assert {"title", "iteration", "change", "1", "2", "3"} <= set(texts(picture))


def test_series_have_colours_of_their_own():
    lines = [ChartLine(name, [(1, i), (2, i + 1)]) for i, name in enumerate(("first", "second"))]
    picture = line_chart("two", lines, "x", level=ChartGuide(5.0, "a level"))
    assert [curve.get("stroke") for curve in elements(picture, "polyline")] == list(COLOURS[:2])
    assert {"first", "second", "a level"} <= set(texts(picture))


@pytest.mark.parametrize("values", [[], [(1, 0.3)], [(1, 0.3), (2, 0.3)], [(5, 0.0)]])
def test_little_to_draw(values):
    ElementTree.fromstring(line_chart("little", [ChartLine("one", values)], "x", from_zero=True))


def test_scatter_chart_of_counts():
    picture = scatter_chart("chart", [[0, 0], [3, 1000]], "across", "up")
    paths = elements(picture, "path")
    assert sum(path.get("d").count("M") for path in paths) == 2
    # The more, the darker.
    assert float(paths[0].get("opacity")) < float(paths[1].get("opacity")) == 1.0
    assert {"across", "up", "0.25"} <= set(texts(picture))


def test_scatter_chart_of_points():
    picture = scatter_chart("chart", [[1]], "across", "up", points=[(0, 0), (1, 1), (0.5, 0.25)])
    assert not elements(picture, "path")
    low, high, middle = elements(picture, "circle")
    assert float(low.get("cx")) < float(middle.get("cx")) < float(high.get("cx"))
    assert float(low.get("cy")) > float(middle.get("cy")) > float(high.get("cy"))


def test_pages_escape_what_they_are_given():
    text = page("<a>", paragraphs("1 < 2\n\nand") + table(["<h>"], [["<c>"]]))
    assert "<title>&lt;a&gt;</title>" in text
    assert "<p>1 &lt; 2</p>\n<p>and</p>" in text
    assert "<th>&lt;h&gt;</th>" in text and "<td>&lt;c&gt;</td>" in text


def test_a_legend_does_not_run_into_the_title_or_out_of_the_chart():
    def legend(title, names):
        picture = line_chart(title, [ChartLine(name, [(0, 0), (1, 1)]) for name in names], "x")
        width, height = map(float, ElementTree.fromstring(picture).get("viewBox").split()[2:])
        found = [e for e in elements(picture, "text") if e.text in names]
        ends = [(float(e.get("x")), float(e.get("y")), len(e.text)) for e in found]
        assert len(ends) == len(names)
        assert all(x + 6 * letters < width for x, _, letters in ends)
        return ends, height

    beside, low = legend("Title", ["one", "two"])
    assert len({y for _, y, _ in beside}) == 1 and beside[0][0] > 54 + 7 * len("Title")
    names = ["ended by the rules", "drawn", "points of the first player", "repeated positions"]
    beneath, high = legend("Games of self-play", names)
    rows = sorted({y for _, y, _ in beneath})
    assert rows[0] == beside[0][1] + 16 and high - low == pytest.approx(16 * len(rows))
    for row in rows:
        places = sorted((x, letters) for x, y, letters in beneath if y == row)
        for (x, letters), (after, _) in pairwise(places):
            assert x + 6 * letters < after - 14
