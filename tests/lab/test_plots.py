"""Figures: a line looks the same in every panel, and panels without runs say so."""

import pytest

from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, line_names, plot_histograms, plot_lines

pytest.importorskip("matplotlib")


def test_lines_have_one_order_over_all_panels():
    few = PlotPanel("few", [PlotLine("6", [1], [1], rank=6), PlotLine("50", [1], [1], rank=50)])
    many = PlotPanel("many", [PlotLine(str(n), [1], [1], rank=n) for n in (6, 12, 25)])
    assert line_names([few, many]) == ["6", "12", "25", "50"]
    plain = PlotPanel("plain", [PlotLine("b", [1], [1]), PlotLine("a", [1], [1])])
    assert line_names([plain]) == ["b", "a"]


@pytest.mark.parametrize("shared", [False, True])
def test_files_are_made(tmp_path, shared):
    panels = [
        PlotPanel(
            "one", [PlotLine("a", [1, 2, 4], [0.1, 0.2, 0.3], [0, 0.1, 0.2], [0.2, 0.3, 0.4])]
        ),
        PlotPanel("nothing", []),
        PlotPanel("empty line", [PlotLine("a", [], [])]),
    ]
    style = PlotStyle("x", "y", xscale=2, xticks=(1, 2, 4), percent=True, shared_legend=shared)
    plot_lines(tmp_path / "a.png", panels, style)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    plot_lines(tmp_path / "b.png", panels[1:], PlotStyle("x", "y", yscale=10, ordered=True))
    assert (tmp_path / "b.png").exists()


def test_histograms(tmp_path):
    panels = [(title, {"a": [1, 1, 2], "b": [-3, 0]}) for title in ("one", "two", "three")]
    plot_histograms(tmp_path / "a.png", panels, "steps", "games")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
