import dataclasses
import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from math import isfinite
from pathlib import Path

import pytest
from golden_drawings import check
from hypothesis import given, settings
from hypothesis import strategies as st
from random_scenes import scenes
from scenes_by_hand import ALL, einstein

import halma
from halma.draw.palette import DEFAULT, PAINTS, PLAYERS, mix
from halma.draw.scene import Cell, Die, Piece, Scene
from halma.draw.svg import draw_svg

SVG = "{http://www.w3.org/2000/svg}"


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", ["draughts", "rhombus_small", "einstein", "darkchess_flip"])
def test_golden(name: str) -> None:
    check(f"draw_{name}.svg", draw_svg(ALL[name]))


def test_other_moves_are_drawn_in_a_colour_of_their_own() -> None:
    position = halma.game("rhombus-4x4-3").start()
    first, *others = (position.game.scene(position.state, m.value) for m in position.legal_moves)
    root = parse(draw_svg(first, alternatives=[scene.trail for scene in others[:2]]))
    trails = of_class(root, "trail")
    colours = [trail.get("stroke") for trail in trails]
    assert colours.count(DEFAULT.alternative) == 2 and colours.count(DEFAULT.trail) == 1
    assert trails[-1].get("stroke") == DEFAULT.trail  # on top
    assert draw_svg(first, alternatives=()) == draw_svg(first)


def test_heat_is_drawn_around_pieces_and_on_empty_cells() -> None:
    scene = ALL["rhombus_small"]
    taken = {piece.cell for piece in scene.pieces}
    cold = draw_svg(scene)
    assert not of_class(parse(cold), "heat")
    empty = next(cell for cell in range(len(scene.cells)) if cell not in taken)
    heat = [0.0] * len(scene.cells)
    heat[empty], heat[min(taken)] = 0.25, 1.0
    root = parse(draw_svg(dataclasses.replace(scene, heat=tuple(heat))))
    disc, ring = sorted(of_class(root, "heat"), key=lambda drawn: drawn.get("fill") == "none")
    assert (disc.get("fill-opacity"), ring.get("stroke-opacity")) == ("0.5", "1")
    # Both are where their cells are.
    cells = {cell.get("data-cell"): cell for cell in of_class(root, "cell")}
    for drawn, number in ((disc, empty), (ring, min(taken))):
        cell = cells[str(number)]
        assert (drawn.get("cx"), drawn.get("cy")) == (cell.get("cx"), cell.get("cy"))


def test_a_policy_is_shown_where_moves_begin_and_end() -> None:
    start = halma.game("rhombus-5x5-3").start()
    one, *_, other = start.legal_moves
    root = parse(start.svg(policy={one.text: 0.75, other.text: 0.25}))
    found = sorted(
        float(element.get("fill-opacity") or element.get("stroke-opacity") or 0)
        for element in of_class(root, "heat")
    )
    # Two cells to leave, and both moves come to the same one.
    assert found == [0.5, 0.87, 1.0]
    # Turning a piece up goes nowhere.
    start = halma.game("cdc-2x4-PPPP").start()
    (turned,) = of_class(parse(start.svg(policy={start.legal_moves[0].text: 1.0})), "heat")
    assert turned.get("stroke-opacity") == "1"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("size", [40, 160, 400])
def test_everything_is_there(name: str, size: int) -> None:
    scene = ALL[name]
    root = parse(draw_svg(scene, size=size))
    assert root.tag == f"{SVG}svg"
    assert len(of_class(root, "cell")) == len(scene.cells)
    pieces = of_class(root, "piece")
    assert [int(piece.get("data-cell", "")) for piece in pieces] == [p.cell for p in scene.pieces]
    discs = [piece.find(f"{SVG}circle") for piece in pieces]
    assert all(disc is not None and disc.get("fill") != "none" for disc in discs)
    assert len(of_class(root, "crown")) == sum(piece.crowned for piece in scene.pieces)
    assert len(of_class(root, "reserve")) == len(scene.reserve)
    assert len(of_class(root, "mark")) == len(scene.marks)
    assert len(of_class(root, "origin")) == bool(scene.trail)
    assert bool(of_class(root, "trail")) == (len(scene.trail) > 1)
    written = texts(root)
    assert written.count(scene.caption) == 1
    for _, _, label in scene.labels:
        assert label in written
    for piece in scene.pieces:
        assert not piece.label or piece.label in written
    title = root.find(f"{SVG}title")
    assert title is not None and title.text == scene.caption


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("size", [40, 160, 400, 1000])
def test_the_longer_side_has_the_size_asked_for(name: str, size: int) -> None:
    root = parse(draw_svg(ALL[name], size=size))
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert max(width, height) == pytest.approx(size, abs=0.01)
    _, _, box_width, box_height = map(float, root.get("viewBox", "").split())
    assert width / height == pytest.approx(box_width / box_height, abs=0.01)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("size", [160, 400])
def test_nothing_leaves_the_panel_and_no_cells_overlap(name: str, size: int) -> None:
    root = parse(draw_svg(ALL[name], size=size))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for circle in root.iter(f"{SVG}circle"):
        x, y, r = (float(circle.get(key, "")) for key in ("cx", "cy", "r"))
        assert r <= x <= width - r and r <= y <= height - r
    for text in root.iter(f"{SVG}text"):
        assert 0 < float(text.get("x", "")) < width
        assert 0 < float(text.get("y", "")) < height
    if ALL[name].board == "holes":
        centres = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in of_class(root, "cell")]
        nearest = sorted(
            ((a - c) ** 2 + (b - d) ** 2) ** 0.5 for (a, b), (c, d) in combinations(centres, 2)
        )
        # All neighbours are equally far apart.
        assert nearest[len(centres)] == pytest.approx(nearest[0], rel=0.01)


def test_it_is_self_contained() -> None:
    for scene in ALL.values():
        svg = draw_svg(scene)
        root = parse(svg)
        assert not any("href" in key for element in root.iter() for key in element.attrib)
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            *("svg", "title", "defs", "radialGradient", "stop", "g"),
            *("rect", "circle", "path", "polygon", "polyline", "text"),
        }
        for part in svg.split("url(#")[1:]:
            assert f'id="{part.partition(")")[0]}"' in svg


def test_pictures_on_one_page_do_not_share_ids() -> None:
    ids = [
        {e.get("id") for e in parse(draw_svg(ALL[name])).iter() if e.get("id")}
        for name in ("rhombus", "star")
    ]
    assert ids[0] and ids[1] and not ids[0] & ids[1]


@pytest.mark.parametrize("value", range(8))
def test_the_die_shows_its_value(value: int) -> None:
    root = parse(draw_svg(einstein(die=value)))
    assert len(of_class(root, "die")) == 1
    assert len(of_class(root, "pip")) == (value if value <= 6 else 0)
    assert ("?" in texts(root)) == (value == 0)


def test_text_is_escaped() -> None:
    nasty = "<&>\"'\x00\ud800"
    scene = Scene(
        "squares",
        (Cell(0, 0, nasty, "dark"),),
        (Piece(0, "red", "r", nasty),),
        caption=nasty,
        labels=((-1, 0, nasty),),
        reserve=(("blue", nasty, 1),),
    )
    root = parse(draw_svg(scene))
    shown = "<&>\"'\ufffd\ufffd"
    # cell, label, piece, reserve, caption
    assert texts(root).count(shown) == 5
    title = root.find(f"{SVG}title")
    assert title is not None and title.text == shown


def test_a_long_caption_is_wrapped() -> None:
    caption = "red has won after a game in which everything happened that can happen, " * 3
    scene = dataclasses.replace(einstein(), caption=caption.strip())
    written = [text for text in texts(parse(draw_svg(scene))) if len(text) > 5]
    assert len(written) > 2
    assert " ".join(written) == caption.strip()


def test_numbers_appear_only_where_they_can_be_read() -> None:
    assert "32" in texts(parse(draw_svg(ALL["draughts"], size=400)))
    assert "32" not in texts(parse(draw_svg(ALL["draughts"], size=160)))


def test_a_theme_restyles() -> None:
    night = dataclasses.replace(DEFAULT, paper="#102030")
    assert "#102030" in draw_svg(ALL["star"], theme=night)
    assert "#102030" not in draw_svg(ALL["star"])


def test_the_documented_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "drawing.md").read_text(encoding="utf-8")
    names: dict[str, object] = {"halma": halma}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)
    assert "red's die: 2" in capsys.readouterr().out


def test_a_picture_has_a_size() -> None:
    with pytest.raises(ValueError, match="at least one pixel"):
        draw_svg(Scene("squares", ()), size=0)


def test_a_position_draws_itself() -> None:
    position = halma.game("ewn-5x5-6").start().resolve("123456").resolve("654321").resolve("3")
    root = parse(position.svg())
    assert position._repr_svg_() == position.svg()
    assert len(of_class(root, "piece")) == 12
    assert len(of_class(root, "pip")) == 3
    move = position.legal_moves[0]
    assert len(of_class(parse(position.svg(move, size=200)), "origin")) == 1


@given(scenes(), st.integers(1, 600))
@settings(max_examples=150, deadline=None)
def test_any_scene_can_be_drawn(scene: Scene, size: int) -> None:
    svg = draw_svg(scene, size=size)
    # Twins have equal drawings although they are different objects.
    assert svg == draw_svg(dataclasses.replace(scene), size=size)
    root = parse(svg)
    assert len(of_class(root, "piece")) == len(scene.pieces)
    places = [
        element.get(key, "0") for element in root.iter() for key in ("x", "y", "cx", "cy", "r")
    ]
    assert all(isfinite(float(place)) for place in places)


def test_an_unknown_colour_is_grey() -> None:
    assert DEFAULT.paint("mauve") == DEFAULT.paint("player 7") == PAINTS["grey"]
    assert DEFAULT.paint("player 2") == PAINTS["blue"]


def test_dice_of_any_colour() -> None:
    scene = Scene("squares", (Cell(0, 0, "a"),), die=Die(4, "blue"))
    assert of_class(parse(draw_svg(scene)), "die")[0].get("fill") == PAINTS["blue"].fill


def test_mixing() -> None:
    assert mix("#000000", "#ffffff", 0.5) == "#808080"
    assert mix("#123456", "#ffffff", 0) == "#123456"


# How dichromats see linear RGB: the matrices of Machado, Oliveira and Fernandes, 2009.
EYES = {
    "trichromat": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanope": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranope": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanope": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def lab(colour: str, eye: str) -> tuple[float, float, float]:
    """CIELAB of a colour as an eye sees it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    r, g, b = (
        min(1.0, max(0.0, sum(m * v for m, v in zip(row, linear, strict=True))))
        for row in EYES[eye]
    )
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eye", EYES)
def test_colours_of_players_are_distinct(eye: str) -> None:
    seen = {name: lab(PAINTS[name].fill, eye) for name in PLAYERS}
    for one, other in combinations(PLAYERS, 2):
        distance = sum((a - b) ** 2 for a, b in zip(seen[one], seen[other], strict=True)) ** 0.5
        # A difference of 2 is just noticeable.
        assert distance > 20, (one, other)
