"""EinStein würfelt nicht! against OpenSpiel's `einstein_wurfelt_nicht`, move by move.

The rules of moving, capturing and winning are the same. What differs:

- OpenSpiel's white, at the bottom right, always moves first; here red, at the top left.
  So its games are followed here from a position with blue to move.
- It numbers placements differently; the boards are the same 720 x 720.
- It has 300 actions (cell, direction, capture or not); here six, as in hsueh2023.
- It exists on 5 x 5 with six pieces only.
"""

from __future__ import annotations

import random

import pytest

import halma

pyspiel = pytest.importorskip("pyspiel")

# Columns and rows of red's cells, in the order our placements name them.
START = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
STEPS = {"diag": (1, 1), "down": (0, 1), "up": (0, 1), "right": (1, 0), "left": (1, 0)}


def our_board(state) -> str:
    """Turn rows of `|b2||__||w4|` into rows of `2.d`; black is our red."""
    rows = []
    for line in str(state).split():
        cells = line.strip("|").split("||")
        rows.append(
            "".join(
                "." if cell == "__" else cell[1] if cell[0] == "b" else "abcdef"[int(cell[1]) - 1]
                for cell in cells
            )
        )
    return "/".join(rows)


def our_move(board: str, action: str) -> str:
    """Turn `B3-right` or `W1-diag*` into the text of the move on that board."""
    piece, direction = action.rstrip("*").split("-")
    glyph = piece[1] if piece[0] == "B" else "abcdef"[int(piece[1]) - 1]
    sign = 1 if piece[0] == "B" else -1
    row = next(y for y, line in enumerate(board.split("/")) if glyph in line)
    column = board.split("/")[row].index(glyph)
    dx, dy = STEPS[direction]
    target = f"{'abcde'[column + sign * dx]}{row + sign * dy + 1}"
    return f"{'abcde'[column]}{row + 1}-{target}"


@pytest.mark.parametrize("seed", range(60))
def test_random_games_agree(seed):
    rng = random.Random(seed)
    game = halma.game("ewn-5x5-6")
    theirs = pyspiel.load_game("einstein_wurfelt_nicht").new_initial_state()
    for _ in range(2):
        assert len(theirs.chance_outcomes()) == len(game.start().outcomes) == 720
        theirs.apply_action(rng.randrange(720))

    # The same board comes from one of our placements.
    board = our_board(theirs)
    rows = board.split("/")
    red = "".join(rows[y][x] for x, y in START)
    blue = "".join(rows[4 - y][4 - x] for x, y in START)
    digits = blue.translate(str.maketrans("abcdef", "123456"))
    assert game.start().resolve(red).resolve(digits).text == f"{board} r -"

    ours = game.position(f"{board} b -")
    while not theirs.is_terminal():
        if theirs.is_chance_node():
            assert ours.is_chance
            assert [o.probability for o in ours.outcomes] == [
                pytest.approx(probability) for _, probability in theirs.chance_outcomes()
            ]
            number = rng.randrange(6)
            theirs.apply_action(number)
            ours = ours.resolve(str(number + 1))
            continue
        board = our_board(theirs)
        assert board == ours.text.split()[0]
        assert theirs.current_player() == ours.mover
        legal = {our_move(board, theirs.action_to_string(a)): a for a in theirs.legal_actions()}
        assert set(legal) == {move.text for move in ours.legal_moves}
        text = rng.choice(sorted(legal))
        theirs.apply_action(legal[text])
        ours = ours.play(text)
    assert ours.is_terminal
    assert theirs.returns() == [2 * score - 1 for score in ours.result]
