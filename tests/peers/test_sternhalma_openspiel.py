"""OpenSpiel's `chinese_checkers` as an independent referee on the 121-hole star.

It numbers holes row by row from the top as we do, but its first player starts at the
top, so its hole h is our 120 - h. There a hop is one action; a chain ends when the
player passes or no new hole can be reached.
"""

from __future__ import annotations

import random

import pytest
from game_helpers import forward_move

import halma

pyspiel = pytest.importorskip("pyspiel")

TURNS = 120


def our_moves(position: halma.Position) -> set[tuple[int, int]]:
    return {
        (120 - (move & 0xFF), 120 - (move >> 8))
        for move in position.game.core.legal(position.state)
        if move != 0xFFFF
    }


def read(state, action: int) -> tuple[str, int, int]:
    text = state.action_to_string(state.current_player(), action)
    if text == "Pass":
        return "pass", -1, -1
    kind = "hop" if "=>" in text else "step"
    start, end = text.replace("=>", "->").split("->")
    return kind, int(start), int(end)


def their_moves(state) -> dict[tuple[int, int], list[int]]:
    """Return the actions that make each complete move."""
    found: dict[tuple[int, int], list[int]] = {}
    player = state.current_player()

    def extend(state, origin: int, actions: list[int]) -> None:
        for action in state.legal_actions():
            kind, _, end = read(state, action)
            if kind != "hop" or (origin, end) in found or end == origin:
                continue
            child = state.child(action)
            path = [*actions, action]
            goes_on = not child.is_terminal() and child.current_player() == player
            found[origin, end] = path
            if goes_on:
                extend(child, origin, path)

    for action in state.legal_actions():
        kind, start, end = read(state, action)
        if kind == "step":
            found[start, end] = [action]
        elif kind == "hop" and (start, end) not in found:
            child = state.child(action)
            found[start, end] = [action]
            if not child.is_terminal() and child.current_player() == player:
                extend(child, start, [action])
    return found


def make(state, actions: list[int]) -> None:
    """Apply a complete move, passing at its end if the piece could still hop on."""
    player = state.current_player()
    for action in actions:
        state.apply_action(action)
    if not state.is_terminal() and state.current_player() == player:
        passing = [a for a in state.legal_actions() if read(state, a)[0] == "pass"]
        state.apply_action(passing[0])


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(2))
def test_same_moves(players: int, seed: int) -> None:
    rng = random.Random(seed)
    theirs = pyspiel.load_game("chinese_checkers", {"players": players}).new_initial_state()
    ours = halma.game(f"star-121-{players}p:win=fill").start()
    for _ in range(TURNS):
        moves = their_moves(theirs)
        assert set(moves) == our_moves(ours), ours.text
        move = forward_move(ours, rng, among=3)
        make(theirs, moves[120 - (move.value & 0xFF), 120 - (move.value >> 8)])
        ours = ours.play(move)
        assert theirs.current_player() == ours.mover


@pytest.mark.parametrize("seed", [1, 3, 10])
def test_same_winner(seed: int) -> None:
    """Whole games of two players, with the same end at the same move."""
    rng = random.Random(seed)
    theirs = pyspiel.load_game("chinese_checkers", {"players": 2}).new_initial_state()
    ours = halma.game("star-121-2p:win=fill").start()
    while not ours.is_terminal:
        assert not theirs.is_terminal()
        move = forward_move(ours, rng, among=8)
        moves = their_moves(theirs)
        make(theirs, moves[120 - (move.value & 0xFF), 120 - (move.value >> 8)])
        ours = ours.play(move)
    assert theirs.is_terminal()
    assert [2 * score - 1 for score in ours.result] == theirs.returns()
