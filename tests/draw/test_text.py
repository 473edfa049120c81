import io
import re

import pytest
from golden_drawings import check
from hypothesis import given, settings
from random_scenes import scenes
from scenes_by_hand import ALL

import halma
from halma.draw.palette import PAINTS
from halma.draw.scene import Cell, Piece, Scene
from halma.draw.terminal import has_colour
from halma.draw.text import draw_text


@pytest.mark.parametrize("name", ALL)
def test_golden(name: str) -> None:
    check(f"draw_{name}.txt", draw_text(ALL[name]) + "\n")


@pytest.mark.parametrize("name", ALL)
def test_every_piece_and_every_cell_has_a_character(name: str) -> None:
    scene = ALL[name]
    bare = Scene(scene.board, scene.cells, scene.pieces)
    text = draw_text(bare)
    numbered = [cell.name for cell in scene.cells if cell.tint == "dark" and cell.name]
    assert sorted(re.findall(r"\d+(?= )", text)) == sorted(numbered) or not numbered
    drawn = "".join(re.sub(r"\d+ " if numbered else "$", "", text).split())
    named = sum(1 for cell in scene.cells if cell.name)
    assert len(drawn) == named
    assert sorted(drawn.replace(".", "")) == sorted(piece.glyph for piece in scene.pieces)


def row(*, trail: tuple[int, ...] = (), marks: tuple[int, ...] = ()) -> str:
    cells = tuple(Cell(x, 0, "abcd"[x]) for x in range(4))
    return draw_text(Scene("squares", cells, (Piece(1, "red", "r"),), trail=trail, marks=marks))


def test_brackets_tell_where_a_move_begins_and_ends() -> None:
    assert row() == ". r . ."
    assert row(trail=(1, 3)) == ".(r).[.]\n\nb > d"
    assert row(trail=(1, 2)) == ".(r|.].\n\nb > c"
    assert row(marks=(0, 3)) == "<.>r .<.>"
    assert row(trail=(1,), marks=(1,)) == ".(r). .\n\nb"


def test_long_labels_grow_away_from_the_board() -> None:
    cells = (Cell(0, 0, "a"), Cell(1, 0, "b"))
    labels = ((-1.0, 0.0, "10"), (2.0, 0.0, "20"), (0.0, 1.0, "x"))
    assert draw_text(Scene("squares", cells, labels=labels)) == "10   . .   20\n\n     x"


def test_squares_show_their_numbers() -> None:
    assert str(halma.game("draughts-8x8").position("W:W30,K7:B3")) == (
        "    1 .   2 .   3 b   4 .\n"
        " 5 .   6 .   7 W   8 .\n"
        "    9 .  10 .  11 .  12 .\n"
        "13 .  14 .  15 .  16 .\n"
        "   17 .  18 .  19 .  20 .\n"
        "21 .  22 .  23 .  24 .\n"
        "   25 .  26 .  27 .  28 .\n"
        "29 .  30 w  31 .  32 .\n"
        "\nwhite moves"
    )


@pytest.mark.parametrize("name", ALL)
def test_colour_changes_no_character(name: str) -> None:
    scene = ALL[name]
    coloured = draw_text(scene, colour=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw_text(scene)
    # Every sequence is closed on its line, and every piece has a colour.
    assert coloured.count("\x1b[0m") * 2 == coloured.count("\x1b[")
    assert len(re.findall(r"48;5;\d+m", coloured)) >= 1


def test_a_piece_has_its_colour() -> None:
    piece = Scene("squares", (Cell(0, 0, "a"),), (Piece(0, "player 2", "2"),))
    assert draw_text(piece, colour=True) == f"\x1b[1;38;5;231;48;5;{PAINTS['blue'].code}m2\x1b[0m"


@pytest.mark.parametrize(
    ("environment", "terminal", "wanted"),
    [
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "xterm"}, False, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_where_colour_is_used(environment, terminal, wanted, monkeypatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    assert has_colour(stream) == wanted


def test_an_empty_scene_is_its_caption() -> None:
    assert draw_text(Scene("squares", (), caption="nothing here")) == "nothing here"


def test_a_position_prints_itself() -> None:
    position = halma.game("ewn-3x3-3").position("12./3.a/.cb r 2")
    assert str(position) == (
        "1   1 2 .\n2   3 . a\n3   . c b\n\n    a b c\n\nred's die: 2\nred moves"
    )


@given(scenes())
@settings(max_examples=150, deadline=None)
def test_any_scene_can_be_drawn(scene: Scene) -> None:
    drawing = draw_text(scene)
    assert drawing == draw_text(scene)
    assert draw_text(scene, colour=True).count("\n") == drawing.count("\n")
    if scene.caption:
        assert drawing.endswith(scene.caption)
