"""Moves as people type them, in every game."""

import re

import pytest

import halma
from halma.errors import AmbiguousMoveError, IllegalMoveError, MoveSyntaxError
from halma.games.game import normalise_move
from halma.games.scripted import ScriptedGame


def first_decision(variant):
    position = halma.game(variant).start()
    while position.is_chance:
        position = position.resolve(position.outcomes[-1])
    return position


@pytest.mark.parametrize("variant", halma.variant_names())
def test_every_move_may_be_typed_in_many_ways(variant):
    position = first_decision(variant)
    for move in position.legal_moves:
        for between in (" ", " - ", "–", ">", ":", " x "):
            typed = re.sub("[-x]", between, move.text)
            for text in (typed, typed.upper(), f"  {typed}\t"):
                assert position.find(text) == move


@pytest.mark.parametrize(
    ("variant", "typed", "meant"),
    [
        ("rhombus-7x7-6", "A2C2", "a2-c2"),
        ("rhombus-7x7-6", "a2 c2", "a2-c2"),
        ("star-121-2p", "h3G5", None),
        ("draughts-8x8", "11 15", "11-15"),
        ("draughts-8x8", "11x15", "11-15"),
        ("frogs-3-2", "3 > 4", "3-4"),
        ("cdc-2x4-PPPP", "A1", "a1"),
    ],
)
def test_examples(variant, typed, meant):
    position = first_decision(variant)
    if meant is None:
        with pytest.raises(IllegalMoveError):
            position.find(typed)
    else:
        assert position.find(typed).text == meant


@pytest.mark.parametrize(
    "typed", ["a2--", "2a-2c", "a2-c2-", "a2,c2!", "ａ2-c2", "a2c2a", "\0", "-"]
)
def test_nonsense_is_not_a_move(typed):
    with pytest.raises(MoveSyntaxError):
        first_decision("rhombus-7x7-6").find(typed)


def test_a_long_text_is_not_a_move():
    with pytest.raises(MoveSyntaxError, match="too long"):
        first_decision("rhombus-7x7-6").find("a2-c2" + " " * 300 + "x")


def test_normal_form_is_stable():
    for text in ("A4-B4", "c3 c4", "c3c4", "11x18x25", "pass", "a10b11", "", "x", "3x"):
        assert normalise_move(normalise_move(text)) == normalise_move(text)


class Cases(ScriptedGame):
    """Moves that differ in case only."""

    player_names = ("first", "second")
    dtype = [("mover", "i1"), ("moves", "i1")]  # noqa: RUF012
    actions = 2
    move_pattern = "[aA]1"

    def initial(self):
        return self.blank()

    def legal(self, state):
        return [0, 1] if state["moves"] == 0 else []

    def play(self, state, move):
        after = state.copy()
        after["moves"] += 1
        return after

    def result(self, state):
        return 0.5, 0.5

    def move_text(self, state, move):
        return "aA"[move] + "1"


def test_an_exact_text_comes_first_and_a_loose_one_may_be_ambiguous():
    start = Cases().start()
    assert [start.find(text).value for text in ("a1", "A1")] == [0, 1]
    start.game.move_text = lambda state, move: ("a1-b1", "A1-b1")[move]
    with pytest.raises(AmbiguousMoveError, match="may mean a1-b1, A1-b1"):
        start.find("a1b1")
