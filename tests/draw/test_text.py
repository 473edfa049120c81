import pytest
from golden_drawings import check
from hypothesis import given, settings
from random_scenes import scenes
from scenes_by_hand import ALL

import halma
from halma.draw.scene import Cell, Piece, Scene
from halma.draw.text import draw_text


@pytest.mark.parametrize("name", ALL)
def test_golden(name: str) -> None:
    check(f"draw_{name}.txt", draw_text(ALL[name]) + "\n")


@pytest.mark.parametrize("name", ALL)
def test_every_piece_and_every_cell_has_a_character(name: str) -> None:
    scene = ALL[name]
    bare = Scene(scene.board, scene.cells, scene.pieces)
    drawn = "".join(draw_text(bare).split())
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
    if scene.caption:
        assert drawing.endswith(scene.caption)
