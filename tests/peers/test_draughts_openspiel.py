"""OpenSpiel's checkers as an independent referee of English draughts.

Three differences are compensated here:
- OpenSpiel's action is one hop; the player stays to move while it must capture on. Hops
  are joined to whole moves.
- Its first player starts at the bottom: the board is turned by half.
- It draws after 40 plies without a capture, whether men moved or not, even if the side to
  move has no move. We draw after 80 plies without capture or man's move.
"""

import random

import pytest

import halma

pyspiel = pytest.importorskip("pyspiel")

GAME = halma.game("draughts-8x8:draw=none")
OPENSPIEL_DRAW = 40
PIECES = {"o": 1, "8": 2, "+": -1, "*": -2, ".": 0}


def square(name: str) -> int:
    """Our number of a square such as `a3`, the board turned."""
    column, row = 7 - "abcdefgh".index(name[0]), int(name[1]) - 1
    return row * 4 + column // 2 + 1


def fields(state: "pyspiel.State") -> list[int]:
    """The board in the order our core describes it."""
    rows = [line[1:9] for line in str(state).splitlines()[:8]]
    glyphs = [rows[y][x] for y in range(8) for x in range(8) if (x + y) % 2 == 1]
    return [state.current_player(), *(PIECES[glyph] for glyph in reversed(glyphs))]


def whole_moves(state: "pyspiel.State") -> dict[str, list[int]]:
    """Every complete move as our text, with the actions it consists of."""
    found = {}

    def follow(at: "pyspiel.State", path: list[int], actions: list[int]) -> None:
        for action in at.legal_actions():
            hop = at.action_to_string(action)
            start, end = square(hop[:2]), square(hop[2:])
            after = at.child(action)
            way = [*(path or [start]), end]
            if not after.is_terminal() and after.current_player() == state.current_player():
                follow(after, way, [*actions, action])
            else:
                capture = abs(int(hop[1]) - int(hop[3])) == 2
                found["x-"[not capture].join(map(str, way))] = [*actions, action]

    follow(state, [], [])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_random_games_agree(seed: int) -> None:
    rng = random.Random(seed)
    state = pyspiel.load_game("checkers").new_initial_state()
    position = GAME.start()
    since_capture = 0
    while not state.is_terminal():
        assert GAME.core.describe(position.state) == fields(state)
        moves = whole_moves(state)
        assert sorted(move.text for move in position.legal_moves) == sorted(moves)
        text = rng.choice(sorted(moves))
        for action in moves[text]:
            state.apply_action(action)
        position = position.play(text)
        since_capture = 0 if "x" in text else since_capture + 1
    if since_capture >= OPENSPIEL_DRAW:
        assert state.returns() == [0.0, 0.0]
    else:
        assert position.is_terminal
        assert state.returns() == [2 * score - 1 for score in position.result]
