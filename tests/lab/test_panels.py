"""Panels: the same line looks the same everywhere, and nothing is drawn of nothing."""

import pytest

from halma.lab.panels import Line, Look, Panel, _names, draw_panels

pytest.importorskip("matplotlib")


def test_lines_have_one_order_over_all_panels():
    few = Panel("few", [Line("6", [1], [1], rank=6), Line("50", [1], [1], rank=50)])
    many = Panel("many", [Line(str(n), [1], [1], rank=n) for n in (6, 12, 25)])
    assert _names([few, None, many]) == ["6", "12", "25", "50"]
    plain = Panel("plain", [Line("b", [1], [1]), Line("a", [1], [1])])
    assert _names([plain]) == ["b", "a"]


@pytest.mark.parametrize("shared", [False, True])
def test_files_are_made(tmp_path, shared):
    panels = [
        Panel("one", [Line("a", [1, 2, 4], [0.1, 0.2, 0.3], [0, 0.1, 0.2], [0.2, 0.3, 0.4])]),
        None,
        Panel("nothing", []),
        Panel("empty line", [Line("a", [], [])]),
    ]
    look = Look("x", "y", xscale=2, xticks=(1, 2, 4), percent=True, shared_legend=shared)
    draw_panels(tmp_path / "a.png", panels, look)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    draw_panels(tmp_path / "b.png", panels[2:], Look("x", "y", yscale=10, ordered=True))
    assert (tmp_path / "b.png").exists()
