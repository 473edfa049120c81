"""English draughts: known numbers, a naive twin, notation, policy index and planes."""

import random

import pytest
from game_helpers import check_move_text, check_position_text, move_texts
from hypothesis import given
from hypothesis import strategies as st
from reference import draughts as naive

import halma
from halma import _core
from halma.errors import (
    AmbiguousMoveError,
    GameOverError,
    IllegalMoveError,
    MoveSyntaxError,
    OptionError,
    PositionError,
)

GAME = halma.game("draughts-8x8")
KINGS = "B:WK10,K15,18,24,27,28:B12,16,20,K22,K25,K29"
CIRCLE = "W:WK26:B14,15,22,23"


def random_position(rng: random.Random, king_share: float) -> str:
    """Return a random valid position; a piece is a king with probability `king_share`."""
    squares = rng.sample(range(1, 33), rng.randint(2, 24))
    whites = rng.randint(max(1, len(squares) - 12), min(12, len(squares) - 1))
    lists = []
    for colour, chosen in (("W", squares[:whites]), ("B", squares[whites:])):
        crown_row = range(1, 5) if colour == "W" else range(29, 33)
        entries = [
            f"K{s}" if s in crown_row or rng.random() < king_share else str(s)
            for s in sorted(chosen)
        ]
        lists.append(colour + ",".join(entries))
    return f"{rng.choice('BW')}:{':'.join(lists)}"


positions = st.builds(
    random_position, st.integers(0, 2**32).map(random.Random), st.sampled_from([0.0, 0.3, 1.0])
)


def assert_same_moves(position: halma.Position) -> None:
    expected = naive.successors(position.text)
    moves = position.legal_moves
    assert sorted(move.text for move in moves) == sorted(expected)
    core = GAME.core
    assert core.count(position.state) == len(moves)
    assert position.is_terminal == (not moves)
    for move in moves:
        after = halma.Position(GAME, core.play(position.state, move.value))
        assert after.text == expected[move.text]
        assert GAME.position(after.text) == after


# The rules.


def test_perft_from_the_start() -> None:
    leaves = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564]
    assert [GAME.start().perft(depth) for depth in range(1, 11)] == leaves


def test_perft_with_kings() -> None:
    leaves = [5, 38, 178, 1378, 5836, 40745, 197933]
    assert [GAME.position(KINGS).perft(depth) for depth in range(1, 8)] == leaves


def test_a_circle_can_be_jumped_in_both_directions() -> None:
    position = GAME.position(CIRCLE)
    assert move_texts(position) == ["26x19x10x17x26", "26x17x10x19x26"]
    assert {position.play(m).text for m in position.legal_moves} == {"B:WK26:B"}
    assert position.play("26x19x10x17x26").result == (0.0, 1.0)


def test_a_king_passes_its_own_starting_square() -> None:
    # Once around the circle, back on 10, and on over 7.
    position = GAME.position("W:WK10:B7,14,15,22,23")
    texts = move_texts(position)
    assert "10x17x26x19x10x3" in texts
    assert "10x3" in texts


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        # crowned by a capture, although a king could go on over 26 and 25
        ("B:W26,27,25:B24", "24x31", "W:W25,26:BK31"),
        ("B:W10:B28", "28-32", "W:W10:BK32"),
        ("W:W5:BK32", "5-1", "B:WK1:BK32"),
    ],
)
def test_crowning_ends_the_move(before: str, move: str, after: str) -> None:
    assert GAME.position(before).play(move).text == after


def test_captures_are_mandatory_but_not_the_longest_one() -> None:
    position = GAME.position("B:W15,16,24:B11,12")
    assert sorted(move_texts(position)) == ["11x18", "11x20x27", "12x19x28"]


def test_a_side_without_a_move_loses() -> None:
    stuck = GAME.position("W:W5:B1,K30")  # 5 cannot move: 1 is taken
    assert stuck.is_terminal and stuck.result == (1.0, 0.0)
    assert GAME.core.playouts(stuck.state, 3)["scores"] == [3.0, 0.0]
    with pytest.raises(GameOverError):
        stuck.play("5-9")


def test_random_games_agree_with_the_naive_twin() -> None:
    rng = random.Random(1)
    for _ in range(15):
        position = GAME.start()
        for _ in range(120):
            assert_same_moves(position)
            moves = position.legal_moves
            if not moves:
                break
            position = position.play(rng.choice(moves))


@pytest.mark.parametrize("king_share", [0.0, 0.3, 1.0])
def test_random_positions_agree_with_the_naive_twin(king_share: float) -> None:
    rng = random.Random(2)
    for _ in range(500):
        assert_same_moves(GAME.position(random_position(rng, king_share)))


def test_captures_and_moves_of_men_are_irreversible() -> None:
    position = GAME.position(KINGS)
    for move in position.legal_moves:
        start = move.text.replace("x", "-").split("-")[0]
        expected = "x" in move.text or f"K{start}" not in position.text
        assert GAME.core.irreversible(position.state, move.value) == expected


def test_landing_is_the_last_square() -> None:
    position = GAME.position(CIRCLE)
    assert [GAME.core.landing(position.state, m.value) for m in position.legal_moves] == [25, 25]
    start = GAME.start()
    assert GAME.core.landing(start.state, start.find("9-14").value) == 13


# Draws.


def shuffle(record: halma.Record, times: int) -> None:
    for _ in range(times):
        for move in ("1-6", "32-27", "6-1", "27-32"):
            if not record.is_over:
                record.play(move)


@pytest.mark.parametrize(
    ("name", "plies", "end"),
    [
        ("draughts-8x8", 8, "by repetition"),
        ("draughts-8x8:pluska2022", 4, "by repetition"),
        ("draughts-8x8:draw=none", 120, ""),
    ],
)
def test_repetition(name: str, plies: int, end: str) -> None:
    game = halma.game(name)
    record = halma.Record(game, game.position("B:WK32:BK1"))
    shuffle(record, 30)
    assert (record.plies, record.end, record.result) == (plies, end, (0.5, 0.5))


def test_forty_moves_each_without_progress() -> None:
    record = halma.Record(GAME, GAME.position("B:WK31,K32:BK3,K4,21"))
    record.play("21-25")
    rng = random.Random(2)  # one that does not walk into a capture
    seen = set()
    while not record.is_over:
        # Kings wander: no captures, and nothing comes twice.
        position = record.position
        core, state = GAME.core, position.state
        quiet = [m for m in position.legal_moves if not core.irreversible(state, m.value)]
        quiet = [m for m in quiet if position.play(m).text not in seen]
        quiet = [m for m in quiet if all("-" in n.text for n in position.play(m).legal_moves)]
        record.play(rng.choice(quiet))
        seen.add(record.position.text)
    assert (record.end, record.plies, record.result) == ("for lack of progress", 81, (0.5, 0.5))


def test_options() -> None:
    assert halma.game("draughts-8x8:rules=pluska2022").name == "draughts-8x8:draw=repeat"
    with pytest.raises(OptionError, match="one of standard, repeat, none"):
        halma.game("draughts-8x8:draw=never")


# Notation.


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", KINGS),
        ("B:B1-12:W21-32.", GAME.start().text),
        ("W : W 21 : B K1-3 , 9", "W:W21:BK1,K2,K3,9"),
        ("W:W:B18", "W:W:B18"),
    ],
)
def test_positions_are_normalised(written: str, normal: str) -> None:
    assert GAME.position(written).text == normal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this one has 1 parts"),
        ("R:W1:B2", "'B' or 'W', not 'R'"),
        ("B:W21:W22", "begin with 'W'"),
        ("B:W33:B1", "'33' is not a square"),
        ("B:WQ10:B1", "'Q10' is not a square"),
        ("B:W10:B1:H0:F", "has 4 parts"),
        ("B:W24-21:B1", "'24-21' runs backwards"),
        ("B:W21,21:B1", "Square 21 is given twice"),
        ("B:W21:B21", "Square 21 is given twice"),
        ("B:W3:B9", "The man on 3 would have been crowned"),
        ("B:W21:B30", "The man on 30 would have been crowned"),
        ("B:W20-32:B1", "White has more than 12 pieces"),
        ("W:W32:B1-13", "Black has more than 12 pieces"),
        ("B:W:B1", "Only the side to move can have lost its last piece"),
        ("B:" + "W" * 30_000, "too long"),
    ],
)
def test_wrong_positions_are_refused(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        GAME.position(text)


def test_wrong_fields_are_refused() -> None:
    for fields in ([], [2, *[0] * 32], [0, 3, *[0] * 31]):
        with pytest.raises(PositionError):
            GAME.compose(fields)


def test_short_captures() -> None:
    position = GAME.position("B:W15,16,24:B11,12")
    assert position.find("11x27").text == "11x20x27"
    assert position.find("11x20x27").text == "11x20x27"
    circle = GAME.position(CIRCLE)
    with pytest.raises(AmbiguousMoveError, match="26x19x10x17x26, 26x17x10x19x26"):
        circle.find("26x26")
    with pytest.raises(AmbiguousMoveError):
        circle.find("26x10x26")
    with pytest.raises(AmbiguousMoveError):
        circle.find("26-26")
    assert circle.find("26x19x10x26").text == "26x19x10x17x26"
    for wrong in ("26x18x26", "26x10x19x26x26", "26x10"):
        with pytest.raises(IllegalMoveError):
            circle.find(wrong)


@pytest.mark.parametrize(
    "typed", ["11X20X27", "11-20-27", "11 20 27", "11-27", "11 27", "11:27", "11 x 27", "11×27"]
)
def test_captures_typed_loosely(typed: str) -> None:
    assert GAME.position("B:W15,16,24:B11,12").find(typed).text == "11x20x27"


def test_wrong_moves_are_refused() -> None:
    for text in (
        "11-33",
        "e4",
        "11x",
        "26",
        "11 15-",
        "0-1",
        "١١-15",
        "",
        "11-15" + " " * 250 + "x",
    ):
        with pytest.raises(MoveSyntaxError):
            GAME.start().find(text)
    with pytest.raises(IllegalMoveError, match="Legal: 9-13"):
        GAME.start().find("11-18")


@given(positions)
def test_positions_survive_writing_and_reading(text: str) -> None:
    position = GAME.position(text)
    assert position.text == text
    assert GAME.position(position.text) == position
    for move in position.legal_moves:
        assert position.find(move.text) == move


fen_like = st.text(alphabet="BWKk:,.-0123456789 ", max_size=60)


@given(st.text() | fen_like | fen_like.map(lambda text: "B:W" + text + ":B" + text[::-1]))
def test_position_parser_raises_nothing_else(text: str) -> None:
    check_position_text(GAME, text)


@given(st.text() | st.text(alphabet="0123456789x-", max_size=12))
def test_move_parser_raises_nothing_else(text: str) -> None:
    for position in (GAME.start(), GAME.position(CIRCLE)):
        check_move_text(position, text)


# For learning.


def turn(text: str) -> str:
    """The same position with colours swapped and the board turned."""
    board, mover = naive.read(text)
    swap = str.maketrans("bBwW", "wWbB")
    turned = {(7 - r, 7 - c): piece.translate(swap) for (r, c), piece in board.items()}
    return naive.write(turned, mover.translate(swap))


def test_actions_are_the_steps_and_the_jump_paths() -> None:
    steps = sum(
        (r + dr, c + dc) in naive.SQUARE
        for r, c in naive.SQUARE
        for dr in (1, -1)
        for dc in (1, -1)
    )

    def trails(at: tuple[int, int], jumped: frozenset[tuple[int, int]]) -> list[int]:
        lengths = []
        for dr in (1, -1):
            for dc in (1, -1):
                middle, end = (at[0] + dr, at[1] + dc), (at[0] + 2 * dr, at[1] + 2 * dc)
                if end in naive.SQUARE and middle not in jumped:
                    lengths.append(len(jumped) + 1)
                    lengths += trails(end, jumped | {middle})
        return lengths

    lengths = [length for at in naive.SQUARE for length in trails(at, frozenset())]
    assert (steps, len(lengths), max(lengths)) == (98, 1328, 9)
    assert GAME.actions == steps + len(lengths)


def test_every_action_is_a_move_of_both_sides() -> None:
    texts = {}
    for player in range(2):
        seen = set()
        for square in range(1, 33):
            other = 32 if square < 32 else 31
            fen = f"{'BW'[player]}:{'WB'[player]}K{other}:{'BW'[player]}K{square}"
            state = GAME.position(fen).state
            for action in range(GAME.actions):
                move = GAME.core.move(state, action)
                if move != _core.NO_MOVE:
                    seen.add(action)
                    assert GAME.core.action(state, move) == action
                    texts[player, action] = GAME.format_move(state, move)
        assert seen == set(range(GAME.actions))
    for (player, action), text in texts.items():
        separator = "x" if "x" in text else "-"
        turned = separator.join(str(33 - int(square)) for square in text.split(separator))
        assert texts[1 - player, action] == turned


@given(positions)
def test_actions_and_moves_are_inverse(text: str) -> None:
    position, turned = GAME.position(text), GAME.position(turn(text))
    actions = [position.action(move) for move in position.legal_moves]
    assert len(set(actions)) == len(actions)
    assert [position.move_of(action) for action in actions] == position.legal_moves
    # Both sides see the same game.
    assert sorted(actions) == sorted(turned.action(move) for move in turned.legal_moves)
    assert (position.encode() == turned.encode()).all()
    assert position.key != turned.key


def test_planes() -> None:
    import numpy as np

    position = GAME.position("W:W30,K2:B9,K25")
    planes = GAME.core.encode([position.state], 1, 0.25)
    assert planes.shape == GAME.shape == (6, 8, 8)
    # White sees the board turned: 30 is its 3, 2 its 31, 9 its 24 and 25 its 8.
    assert [list(zip(*np.nonzero(plane), strict=True)) for plane in planes[:4]] == [
        [(0, 5)],
        [(7, 4)],
        [(5, 6)],
        [(1, 6)],
    ]
    assert (planes[4] == 1.0).all() and (planes[5] == 0.25).all()
    assert (position.encode()[4:] == 0.0).all()


def test_different_positions_have_different_keys() -> None:
    rng = random.Random(4)
    texts = {random_position(rng, 0.3) for _ in range(2000)}
    assert len({GAME.position(text).key for text in texts}) == len(texts)
    assert GAME.position("B:WK30:BK1").key != GAME.position("W:WK30:BK1").key


# Drawings.


def test_scene() -> None:
    position = GAME.position("W:WK26:B14,15,22,23")
    move = position.find("26x19x10x17x26")
    scene = GAME.scene(position.state, move.value)
    assert len(scene.cells) == 64
    assert [cell.name for cell in scene.cells[:32]] == [str(n) for n in range(1, 33)]
    assert {(cell.x, cell.y) for cell in scene.cells} == {
        (x, y) for x in range(8) for y in range(8)
    }
    assert (scene.cells[0].x, scene.cells[0].y) == (1, 0)
    assert [cell.tint for cell in scene.cells] == ["dark"] * 32 + ["light"] * 32
    assert scene.trail == (25, 18, 9, 16, 25)
    assert scene.caption == "white moves"
    king = next(piece for piece in scene.pieces if piece.colour == "white")
    assert (king.cell, king.glyph, king.crowned) == (25, "W", True)
    after = position.play(move)
    assert GAME.scene(after.state).caption == "white has won"
