"""Toads and Frogs: the naive twin, known results, notation."""

import subprocess
import sys

import pytest
from reference import frogs as naive

import halma
from halma.errors import (
    HalmaError,
    IllegalMoveError,
    MoveSyntaxError,
    PositionError,
    UnknownVariantError,
)

SMALL = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)]


def wins(position: halma.Position) -> bool:
    return any(not wins(position.play(move)) for move in position.legal_moves)


@pytest.mark.parametrize("pieces, gap", SMALL)
def test_every_position_agrees_with_the_twin(pieces, gap):
    game = halma.game(f"frogs-{pieces}-{gap}")
    for cells, mover in naive.reachable(*naive.start(pieces, gap)):
        position = game.position(f"{cells} {mover.lower()}")
        expected = naive.moves(cells, mover)
        assert [move.text for move in position.legal_moves] == list(expected)
        for text, after in expected.items():
            assert position.play(text).text == f"{after} {naive.opponent(mover).lower()}"
        assert position.is_terminal == (not expected)
        if not expected:  # the player to move has lost
            assert position.result == ((0.0, 1.0) if mover == "T" else (1.0, 0.0))
        else:
            assert position.result == (0.5, 0.5)


@pytest.mark.parametrize("pieces, gap", SMALL)
def test_perft(pieces, gap):
    start = halma.game(f"frogs-{pieces}-{gap}").start()
    for depth in range(8):
        assert start.perft(depth) == naive.perft(*naive.start(pieces, gap), depth)


@pytest.mark.parametrize("pieces, gap", SMALL)
def test_reachable(pieces, gap):
    seen = naive.reachable(*naive.start(pieces, gap))
    decisions = {position for position in seen if naive.moves(*position)}
    into_the_end = sum(
        (after, naive.opponent(mover)) not in decisions
        for cells, mover in decisions
        for after in naive.moves(cells, mover).values()
    )
    game = halma.game(f"frogs-{pieces}-{gap}")
    assert game.core.reachable() == (len(decisions), into_the_end)


@pytest.mark.parametrize("pieces, gap", SMALL)
def test_winner(pieces, gap):
    assert wins(halma.game(f"frogs-{pieces}-{gap}").start()) == naive.mover_wins(
        *naive.start(pieces, gap)
    )


@pytest.mark.parametrize("gap", range(1, 8))
def test_one_toad_and_one_frog(gap):
    """They approach each other: the first player wins exactly if the gap is odd."""
    assert wins(halma.game(f"frogs-1-{gap}").start()) == (gap % 2 == 1)


@pytest.mark.parametrize("pieces, winners", [(1, "TFTFT"), (2, "TTTTF"), (3, "TTF")], ids=str)
def test_the_winners_of_the_page_of_rules(pieces, winners):
    for gap, winner in enumerate(winners, start=1):
        assert naive.mover_wins(*naive.start(pieces, gap)) == (winner == "T")


def test_the_only_game_of_one_toad_one_frog_one_gap():
    record = halma.Record(halma.game("frogs-1-1"))
    for move in ("1-2", "3-1", "2-3"):
        record.play(move)
    assert [position.text for position in record.positions] == ["T.F t", ".TF f", "FT. t", "F.T f"]
    assert record.end == "by the rules"
    assert record.result == (1.0, 0.0)


def test_numbering_is_a_bijection():
    game = halma.game("frogs-2-2")
    assert game.core.index_size == 2 * 90  # 6! / (2! 2! 2!) boards, two movers
    states = {game.core.unindex(i) for i in range(180)}
    assert len(states) == 180
    assert all(game.core.index(game.core.unindex(i)) == i for i in range(180))


def test_both_sides_see_the_same():
    """A position and its mirror image with the other side to move look alike."""
    game = halma.game("frogs-3-2")
    toads, frogs = game.position("TT.TF.FF t"), game.position("TT.TF.FF f")
    assert (toads.encode() == frogs.encode()).all()
    assert [toads.action(m) for m in toads.legal_moves] == [
        frogs.action(m) for m in reversed(frogs.legal_moves)
    ]


def test_longest_row():
    game = halma.game("frogs-5-6")
    assert game.start().text == "TTTTT......FFFFF t"
    assert game.core.playouts(game.start().state, 5)["stopped"] == 0
    last = game.core.index_size - 1
    assert game.core.index(game.core.unindex(last)) == last


@pytest.mark.parametrize("name", ["frogs-0-1", "frogs-1-0", "frogs-8-1", "frogs-6-5"])
def test_impossible_rows(name):
    with pytest.raises(UnknownVariantError, match="at most 16 cells"):
        halma.game(name)


@pytest.mark.parametrize(
    "text", ["", "TT.FF", "TT.FF x", "TTTFF t", "TT.FFF t", "TT.FF tt", "TTTFF f"]
)
def test_impossible_positions(text):
    with pytest.raises(PositionError):
        halma.game("frogs-2-1").position(text)


def test_impossible_moves():
    start = halma.game("frogs-2-1").start()
    with pytest.raises(IllegalMoveError, match="Legal: 2-3"):
        start.play("1-2")
    with pytest.raises(MoveSyntaxError):
        start.play("two to three")
    with pytest.raises(HalmaError, match="no option"):
        halma.game("frogs-2-1:hops=2")


def test_scene():
    start = halma.game("frogs-2-1").start()
    scene = start.game.scene(start.state, 1 + 16 * 2)
    assert "".join(piece.glyph for piece in scene.pieces) == "TTFF"
    assert [piece.cell for piece in scene.pieces] == [0, 1, 3, 4]
    assert scene.trail == (1, 2)
    assert scene.caption == "toads to move"


def test_numpy_is_imported_only_for_a_scripted_game():
    code = (
        "import sys, halma; assert 'frogs-3-2' in halma.variant_names();"
        "assert 'numpy' not in sys.modules; halma.game('frogs-3-2').start()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
