"""EinStein würfelt nicht!: rules, numbers and notation."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from game_helpers import check_move_text, check_position_text, move_texts, random_game
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import einstein as naive

import halma
from halma.errors import (
    ChanceError,
    GameOverError,
    IllegalMoveError,
    MoveSyntaxError,
    PositionError,
    UnknownVariantError,
)

SIZES = [(3, 3, 2), (3, 3, 3), (3, 3, 4), (3, 4, 3), (4, 3, 3), (5, 5, 6), (2, 8, 1), (8, 8, 6)]


# Known numbers.


@pytest.mark.parametrize(
    ("name", "decisions"),
    [("ewn-3x3-3", 367_956), ("ewn-3x3-4", 6_316_032), ("ewn-3x4-3", 3_268_620)],
)
def test_reachable_positions(name, decisions):
    # hsueh2023's table 1, to the digit.
    assert halma.game(name).core.reachable()[0] == decisions


@pytest.mark.parametrize(
    ("name", "shortest", "longest"),
    [("ewn-3x3-3", 3, 15), ("ewn-3x3-4", 3, 17), ("ewn-3x4-3", 3, 21)],
)
def test_shortest_and_longest_games(name, shortest, longest):
    # Any piece can move if the die allows it, so over all dice the pieces' numbers do not
    # matter, and boards are distinguished by colours alone.
    core = halma.game(name).core
    known: dict[tuple[int, ...], tuple[int, int]] = {}

    def lengths(state: bytes) -> tuple[int, int]:
        if not core.at_chance(state) and core.terminal(state):
            return 0, 0
        mover, _, _, *board = core.describe(state)
        key = (mover, *((piece > 0) - (piece < 0) for piece in board))
        if key not in known:
            rolled = [core.resolve(state, number) for number, _ in core.outcomes(state)]
            after = [lengths(core.play(s, move)) for s in rolled for move in core.legal(s)]
            known[key] = 1 + min(low for low, _ in after), 1 + max(high for _, high in after)
        return known[key]

    placed = core.resolve(core.resolve(core.initial(), 0), 0)
    assert lengths(placed) == (shortest, longest)


@pytest.mark.parametrize(
    ("board", "by_die"),
    [
        # hsueh2023's figures 5a (0.700) and 5b (0.588)
        ("12./3.a/.cb", [Fraction(4, 9), Fraction(67, 81), Fraction(67, 81)]),
        ("21./3.a/.cb", [Fraction(53, 81), Fraction(37, 81), Fraction(53, 81)]),
    ],
)
def test_exact_values(board, by_die):
    game = halma.game("ewn-3x3-3")
    core = game.core

    @cache
    def value(state: bytes) -> Fraction:
        """Chance that the player to move wins."""
        if core.at_chance(state):
            rolled = [value(core.resolve(state, number)) for number, _ in core.outcomes(state)]
            return sum(rolled, Fraction(0)) / len(rolled)
        if core.terminal(state):
            return Fraction(0)  # only the opponent's last move can have ended the game
        return max(1 - value(core.play(state, move)) for move in core.legal(state))

    assert [value(game.position(f"{board} r {die}").state) for die in (1, 2, 3)] == by_die
    assert value(game.position(f"{board} r -").state) == sum(by_die) / 3
    assert sum(by_die) / 3 in (Fraction(170, 243), Fraction(143, 243))


def test_moves_of_figure_5c():
    # hsueh2023: with red's 1 and 3 left, a 2 allows both, six moves in all; a 1 three.
    p = halma.game("ewn-3x3-3").position("1../3../..a r 2")
    assert set(move_texts(p)) == {"a1-b1", "a1-a2", "a1-b2", "a2-b2", "a2-a3", "a2-b3"}
    assert len(move_texts(p.game.position("1../3../..a r 1"))) == 3


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("ewn-3x3-3", {"a1", "b1", "a2"}),
        ("ewn-3x3-4", {"a1", "b1", "a2", "c1"}),
        ("ewn-5x5-6", {"a1", "b1", "a2", "c1", "b2", "a3"}),
    ],
)
def test_start_cells(name, cells):
    game = halma.game(name)
    placed = game.start().resolve(game.start().outcomes[0])
    board = game.core.describe(placed.state)[3:]
    assert {game.cell_name(cell) for cell, piece in enumerate(board) if piece} == cells


def test_placements_are_permutations():
    start = halma.game("ewn-3x3-3").start()
    assert [o.text for o in start.outcomes] == ["123", "132", "213", "231", "312", "321"]
    assert start.resolve("132").text == "13./2../... b ?"
    assert start.resolve("132").resolve("213").text == "13./2.c/.ab r -"
    assert len(halma.game("ewn-5x5-6").start().outcomes) == 720


# The naive twin.


@pytest.mark.parametrize(("width", "height", "pieces"), SIZES)
@pytest.mark.parametrize("seed", range(6))
def test_random_games_agree_with_the_naive_twin(width, height, pieces, seed):
    rng = random.Random(seed)
    ours = halma.game(f"ewn-{width}x{height}-{pieces}").start()
    twin = naive.start(width, height, pieces)
    while True:
        assert ours.text == twin.text
        assert ours.result == naive.result(twin)
        if ours.is_chance:
            assert [o.text for o in ours.outcomes] == naive.outcomes(twin)
            assert {o.probability for o in ours.outcomes} == {1 / len(ours.outcomes)}
            outcome = rng.choice(ours.outcomes).text
            ours, twin = ours.resolve(outcome), naive.resolve(twin, outcome)
            continue
        assert ours.mover == "rb".index(twin.mover)
        legal = move_texts(ours)
        assert set(legal) == naive.legal(twin)
        assert len(legal) == len(set(legal)) == ours.game.core.count(ours.state)
        assert ours.is_terminal == (not legal)
        if not legal:
            break
        move = rng.choice(legal)
        ours, twin = ours.play(move), naive.play(twin, move)


# Rules, one by one.


def position(text: str) -> halma.Position:
    return halma.game("ewn-3x3-3").position(text)


def test_own_pieces_can_be_captured():
    assert position("12./3.a/.cb r 1").play("a1-b1").text == ".1./3.a/.cb b -"


def test_reaching_the_corner_and_taking_the_last_piece_win():
    assert position("..b/.1./... r 1").play("b2-c3").result == (1.0, 0.0)
    assert position("1../.a./... r 1").play("a1-b2").result == (1.0, 0.0)
    assert position("2../.a./... b 3").play("b2-a1").result == (0.0, 1.0)


def test_absent_number_moves_its_neighbours_only():
    p = halma.game("ewn-5x5-6").position("1.4../..6../...../...../....a r 2")
    assert {text[:2] for text in move_texts(p)} == {"a1", "c1"}
    p = halma.game("ewn-5x5-6").position("1.4../..6../...../...../....a r 5")
    assert {text[:2] for text in move_texts(p)} == {"c1", "c2"}


# For learning and solvers.


def test_policy_is_the_papers():
    game = halma.game("ewn-5x5-6")
    assert game.actions == 6
    p = game.position("1..../...3./...../...../....a r 2")
    # at most the die: diagonal, horizontal, vertical; then above the die
    moves = ["a1-b2", "a1-b1", "a1-a2", "d2-e3", "d2-e2", "d2-d3"]
    assert [p.move_of(i).text for i in range(6)] == moves


def test_planes_are_seen_from_the_movers_side():
    red, blue = position("1../..a/..b r 2"), position("..b/.1./..a b 2")
    planes = red.encode()
    assert planes.shape == (9, 3, 3)
    expected = np.zeros((9, 3, 3), dtype=np.float32)
    expected[0, 0, 0] = expected[3, 1, 2] = expected[4, 2, 2] = 1
    expected[7] = 1
    assert np.array_equal(planes, expected)
    expected = np.zeros((9, 3, 3), dtype=np.float32)
    expected[0, 0, 0] = expected[1, 2, 0] = expected[3, 1, 1] = 1
    expected[7] = 1
    assert np.array_equal(blue.encode(), expected)


def test_a_half_turn_with_colours_swapped_looks_the_same():
    turn = str.maketrans("123abc", "abc123")
    for seed in range(20):
        for p in random_game("ewn-3x4-3", seed):
            if p.is_chance or p.is_terminal:
                continue
            board, mover, die = p.text.split()
            other = f"{board[::-1].translate(turn)} {'b' if mover == 'r' else 'r'} {die}"
            turned = p.game.position(other)
            assert np.array_equal(p.encode(), turned.encode())
            assert sorted(map(p.action, p.legal_moves)) == sorted(
                map(turned.action, turned.legal_moves)
            )


def test_different_positions_have_different_indices():
    met: dict[int, str] = {}
    for seed in range(200):
        for p in random_game("ewn-3x3-3", seed):
            if p.index is not None:
                assert met.setdefault(p.index, p.text) == p.text
    assert len(set(met.values())) == len(met)


def test_playouts_always_have_a_winner():
    game = halma.game("ewn-5x5-6")
    totals = game.core.playouts(game.core.initial(), 3000, 5)
    assert totals["stopped"] == 0
    assert sum(totals["scores"]) == 3000 and totals["scores"][0].is_integer()


# Names and text.


@pytest.mark.parametrize("name", ["ewn-1x3-1", "ewn-9x9-6", "ewn-3x3-5", "ewn-5x5-7", "ewn-5x5-0"])
def test_boards_that_do_not_fit(name):
    with pytest.raises(UnknownVariantError, match="2x2 to 8x8"):
        halma.game(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12./3.a/.cb r", "2 parts"),
        ("12./3.a r 1", "3 rows of 3"),
        ("12./3.a/.c r 1", "3 rows of 3"),
        ("12./3.a/.cb x 1", "'r' or 'b'"),
        ("12./3.a/.cb r 0", "die shows"),
        ("12./3.a/.cb r 4", "1 to 3"),
        ("12./4.a/.cb r 1", "no piece 4"),
        ("12./1.a/.cb r 1", "red has two pieces 1"),
        ("12./x.a/.cb r 1", "'x' is neither"),
        ("12./3.a/.c1 r 1", "red has two pieces 1"),
        ("2../3.a/.c1 r -", "already won"),
        ("2../3.a/.c1 b 2", "no die to roll"),
        ("12./3../... r ?", "still to be placed"),
        ("1.2/3../... b ?", "not on their start cells"),
    ],
)
def test_impossible_positions(text, message):
    with pytest.raises(PositionError, match=f"(?i){message}"):
        position(text)


def test_impossible_moves():
    p = position("12./3.a/.cb r 1")
    with pytest.raises(MoveSyntaxError):
        p.play("a1-z9")
    with pytest.raises(IllegalMoveError):
        p.play("a2-b2")
    with pytest.raises(ChanceError):
        p.play("a1-b2").play("c3-b2")
    with pytest.raises(ChanceError):
        p.resolve("1")
    with pytest.raises(ChanceError):
        p.play("a1-b2").resolve("4")
    with pytest.raises(GameOverError):
        position("..b/.1./... r 1").play("b2-c3").play("c1-b1")


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.text(max_size=40),
        st.text(alphabet="123abc./ rb-?", max_size=20),
        st.builds(
            "{}/{}/{} {} {}".format,
            *[st.text(alphabet="123abc.", min_size=3, max_size=3)] * 3,
            st.sampled_from("rb"),
            st.sampled_from("123-?"),
        ),
    )
)
def test_position_parser_raises_nothing_else(text):
    check_position_text(halma.game("ewn-3x3-3"), text)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=20), st.from_regex(r"[a-d][0-4]-[a-d][0-4]")))
def test_move_parser_raises_nothing_else(text):
    check_move_text(position("12./3.a/.cb r 1"), text)


def test_scene():
    p = position("12./3.a/.cb r 1")
    scene = p.game.scene(p.state, p.find("a1-b2").value)
    assert scene.trail == (0, 4)
    assert (scene.die.value, scene.die.colour) == (1, "red")
    last = scene.pieces[-1]
    assert (last.cell, last.colour, last.label) == (8, "blue", "2")
    assert scene.caption == "red moves"
    assert p.game.scene(p.play("a1-b2").state).caption == "blue rolls"
    assert p.game.scene(p.game.start().state).caption == "red is to be placed"
