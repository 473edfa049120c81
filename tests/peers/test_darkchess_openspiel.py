"""Chinese dark chess against OpenSpiel's `banqi`, move by move.

The two agree on every legal action and every chance outcome: cannons, kings and pawns,
colours by the first flip. They differ in how a game ends:

- banqi continues while a side without pieces can still turn up the opponent's; here such
  a side has lost at once. Our winner also wins there in the end.
- banqi draws after `max_no_progress` plies without capture or flip, 50 by default; here
  the record does so after 40, and also at a threefold repetition, unlike banqi.
- banqi has an action for every pair of cells (1056); here only for those in line (352).
"""

from __future__ import annotations

import random
import re

import pytest

import halma

pyspiel = pytest.importorskip("pyspiel")

# general, advisor, elephant, chariot, horse, cannon, soldier
LETTERS = str.maketrans("GAERHCSgaerhcs", "KGMRNCPkgmrncp")
CELL = re.compile(r"\((\d),(\d)\)")


def our_text(action: str) -> str:
    """Turn `Flip(0,1)`, `a(1,0)-(1,1)` or `a(1,0)x(1,1)` into `a2`, `b1-b2`, `b1xb2`."""
    cells = [f"{'abcd'[int(row)]}{int(column) + 1}" for row, column in CELL.findall(action)]
    return ("x" if ")x(" in action else "-").join(cells)


def our_board(state) -> str:
    rows = str(state).splitlines()[:4]
    return "/".join(row.replace(" ", "").translate(LETTERS) for row in rows)


def play_both(seed: int) -> tuple[object, halma.Position, int]:
    """Play a random game in both until either is over; also return the halfmove clock."""
    rng = random.Random(seed)
    theirs = pyspiel.load_game("banqi(max_no_progress=40)").new_initial_state()
    ours = halma.game("cdc-4x8").start()
    quiet = 0
    while not theirs.is_terminal() and not ours.is_terminal:
        assert theirs.is_chance_node() == ours.is_chance
        if ours.is_chance:
            possible = {
                theirs.action_to_string(action).removeprefix("Reveal:").translate(LETTERS): (
                    action,
                    probability,
                )
                for action, probability in theirs.chance_outcomes()
            }
            assert {o.text: pytest.approx(o.probability) for o in ours.outcomes} == {
                piece: probability for piece, (_, probability) in possible.items()
            }
            piece = rng.choice(sorted(possible))
            theirs.apply_action(possible[piece][0])
            ours = ours.resolve(piece)
            continue
        assert our_board(theirs) == ours.text.split()[0]
        assert theirs.current_player() == ours.mover
        legal = {our_text(theirs.action_to_string(a)): a for a in theirs.legal_actions()}
        assert set(legal) == {move.text for move in ours.legal_moves}
        captures = sorted(text for text in legal if "x" in text)
        text = rng.choice(captures if captures and rng.random() < 0.5 else sorted(legal))
        quiet = quiet + 1 if "-" in text else 0
        theirs.apply_action(legal[text])
        ours = ours.play(text)
    return theirs, ours, quiet


def test_random_games_agree_with_banqi():
    ends = {"both": 0, "ours first": 0, "quiet": 0}
    for seed in range(120):
        theirs, ours, quiet = play_both(seed)
        if ours.is_terminal and theirs.is_terminal():
            ends["both"] += 1
        elif ours.is_terminal:
            # The mover owns nothing; all that is face-down is the opponent's.
            ends["ours first"] += 1
            board, colour, hidden, _ = ours.text.split()
            own = str.isupper if colour == "r" else str.islower
            assert "?" in board and not any(map(own, board + hidden))
            finish(theirs, random.Random(seed))
        else:
            ends["quiet"] += 1
            assert quiet == 40
            assert theirs.returns() == [0.0, 0.0]
            continue
        assert theirs.returns() == [2 * score - 1 for score in ours.result]
    assert all(ends.values()), ends


def finish(state, rng: random.Random) -> None:
    """Play on at random: a player without pieces turns up the rest."""
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(actions, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
