"""Chinese Checkers: known numbers, the naive twin, notation, policy and planes."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from game_helpers import check_position_text, forward_move, move_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.retrograde import solve
from reference.sternhalma import NaiveSternhalma

import halma
from halma import _core
from halma.errors import (
    GameOverError,
    HalmaError,
    IllegalMoveError,
    MoveSyntaxError,
    OptionError,
    PositionError,
    UnknownVariantError,
)

# perft counts of distinct (from, to) moves; the plain winning rule bars none of them.
PERFT = {
    "rhombus-4x4-3:win=fill": [6, 36, 376, 3966, 40614],
    "rhombus-7x7-6": [10, 100, 1720, 29584, 544208],
    "rhombus-9x9-10": [14, 196, 4648, 110224],
    "rhombus-9x9-10:sideways=off": [14, 196, 4032, 82944],  # he2016's Table I
    "star-121-2p": [14, 196, 4760, 115600],
    "star-121-2p:homes=closed": [14, 196, 4648, 110224],
}

VARIANTS = [
    "rhombus-3x3-3",
    "rhombus-4x4-3",
    "rhombus-4x4-6",
    "rhombus-5x5-3:win=fill",
    "rhombus-6x6-6:hops=mirror",
    "rhombus-6x6-6:sideways=off",
    "star-73-2p:sideways=off,homes=closed",
    "rhombus-7x7-6",
    "rhombus-7x7-6:rules=liu2019",
    "star-37-2p",
    "star-37-3p",
    "star-37-3p:rules=standard",
    "star-73-4p:homes=closed",
    "star-73-6p:hops=mirror",
    "star-121-2p",
    "star-121-3p:rules=schulte2021",
    "star-121-6p",
]


def pieces(position: halma.Position) -> dict[str, int]:
    """Return {hole name: player number} of a position, read off its picture."""
    scene = position.game.scene(position.state)
    return {scene.cells[p.cell].name: int(p.colour.split()[1]) for p in scene.pieces}


@pytest.mark.parametrize("name", PERFT)
def test_perft(name: str) -> None:
    start = halma.game(name).start()
    assert [start.perft(d + 1) for d in range(len(PERFT[name]))] == PERFT[name]


@pytest.mark.parametrize("name", VARIANTS)
def test_agrees_with_the_naive_twin(name: str) -> None:
    game = halma.game(name)
    bare = name.partition(":")[0]
    for seed in range(3):
        rng = random.Random(seed)
        twin = NaiveSternhalma(bare, **{k: str(v) for k, v in game.options.items()})
        position = game.start()
        for _ in range(60 if game.players == 2 else 40):
            moves = move_texts(position)
            assert len(moves) == len(set(moves)) == game.core.count(position.state)
            assert sorted(moves) == sorted(twin.moves()), position.text
            assert position.is_terminal == twin.is_over
            assert position.result == pytest.approx(twin.scores())
            assert position.mover == twin.mover
            if not moves:
                break
            # Forward moves are favoured so that targets fill and games end.
            move = forward_move(position, rng, among=4)
            position = position.play(move)
            twin.play(move.text)
            assert pieces(position) == twin.pieces()


def test_twin_games_reach_their_end() -> None:
    """The comparison above must include decided games."""
    ended = 0
    for seed in range(20):
        rng = random.Random(seed)
        position = halma.game("rhombus-4x4-3").start()
        for _ in range(60):
            if position.is_terminal:
                ended += 1
                break
            position = position.play(forward_move(position, rng, among=4))
    assert ended >= 10


@pytest.mark.parametrize("name", VARIANTS)
def test_paths_are_hops_the_rules_allow(name: str) -> None:
    game = halma.game(name)
    twin = NaiveSternhalma(name.partition(":")[0], hops=str(game.options["hops"]))
    place = {text: hole for hole, text in twin.names.items()}
    states = game.core.sample_states(game.core.initial(), 30, 1, 60)
    for row in states:
        position = halma.Position(game, row.tobytes())
        names = [cell.name for cell in game.scene(position.state).cells]
        occupied = {place[hole] for hole in pieces(position)}
        for move in position.legal_moves[:12]:
            if move.text == "pass":
                continue
            path = [names[hole] for hole in game.core.path(position.state, move.value)]
            assert f"{path[0]}-{path[-1]}" == move.text
            assert len(set(path)) == len(path)
            start, end = place[path[0]], place[path[1]]
            if len(path) == 2 and abs(start[0] - end[0]) + abs(start[1] - end[1]) == 2:
                continue  # a step
            without = occupied - {start}
            for one, other in pairwise(path):
                assert place[other] in set(twin.hop_ends(place[one], without))


# Positions with player 1 to move: total, won, lost, drawn, illegal; plies until player 1
# wins from the start.
SOLVED = {
    "rhombus-3x3-3": (1680, 720, 580, 0, 380, 7),
    "rhombus-7x7-1": (2352, 1260, 1044, 0, 48, 25),
    "rhombus-4x4-3": (160160, 96875, 57851, 0, 5434, 21),
    "rhombus-4x4-3:win=fill": (160160, 6608, 1354, 151912, 286, None),
}


@pytest.mark.parametrize("name", SOLVED)
def test_values_of_all_positions(name: str) -> None:
    """Solve by plain retrograde analysis: a wrong rule anywhere shows in these counts."""
    core = halma.game(name).core
    value, distance = solve(core)
    counts = Counter(value.values())
    start = core.index(core.initial())
    found = (
        core.index_size,
        counts["won"],
        counts["lost"],
        core.index_size - len(value),
        counts["illegal"],
        distance.get(start),
    )
    assert found == SOLVED[name]


@pytest.mark.parametrize(
    ("name", "fewest"),
    [("rhombus-4x4-3", 8), pytest.param("rhombus-7x7-3", 17, marks=pytest.mark.slow)],
)
def test_fewest_moves_across_an_empty_board(name: str, fewest: int) -> None:
    """One army alone: a breadth-first search over its sets of holes."""
    twin = NaiveSternhalma(name, win="fill")
    place = {text: hole for hole, text in twin.names.items()}
    start, goal = frozenset(twin.homes[0]), frozenset(twin.targets[0])
    depth, front, seen = 0, {start}, {start}
    while goal not in front:
        reached = set()
        for army in front:
            twin.board = dict.fromkeys(army, 0)
            for move in twin.moves():
                one, other = (place[text] for text in move.split("-"))
                reached.add(army - {one} | {other})
        front = reached - seen
        seen |= front
        depth += 1
    assert depth == fewest


def test_policy_of_schulte2021() -> None:
    game = halma.game("star-37-3p")
    assert game.actions == 320 == 25 * 6 + (9 * 9 + 6 * 6 + 6 * 6 + 4 * 4) + 1
    for player in range(3):
        position = game.start()
        for _ in range(player):
            position = position.play(position.legal_moves[0])
        never = [
            action
            for action in range(320)
            if game.core.move(position.state, action) == _core.NO_MOVE
        ]
        # The thesis adds its kinds of impossible moves up to 102; two are of two kinds.
        assert len(never) == 100


def test_policy_of_liu2019() -> None:
    game = halma.game("rhombus-7x7-6:rules=liu2019")
    assert game.actions == 6 * 49 == 294
    assert game.shape == (7, 7, 7)
    position = game.start()
    scene = game.scene(position.state)
    for move in position.legal_moves:
        piece = next(p for p in scene.pieces if scene.cells[p.cell].name == move.text[:2])
        hole = [cell.name for cell in scene.cells].index(move.text[3:])
        assert position.action(move) == (int(piece.label) - 1) * 49 + hole


def test_sideways_steps_have_no_policy_index() -> None:
    """Of a hole's six steps, four are left; hops keep theirs."""
    games = [halma.game(f"rhombus-5x5-3:sideways={choice}") for choice in ("on", "off")]
    moves = [
        {a for a in range(g.actions) if g.core.move(g.core.initial(), a) != _core.NO_MOVE}
        for g in games
    ]
    assert games[0].actions == games[1].actions
    # A row of n holes has n - 1 pairs of neighbours; a step may go either way.
    assert len(moves[0] - moves[1]) == 2 * sum(n - 1 for n in (1, 2, 3, 4, 5, 4, 3, 2, 1))
    assert moves[1] < moves[0]


def test_seven_features_by_hand() -> None:
    """Squares of advances, variances of columns and rows, and the furthest advance."""
    game = halma.game("rhombus-6x6-6:he2016-code")
    three = halma.game("rhombus-6x6-6:hops=mirror")
    for row in game.core.sample_states(game.core.initial(), 30, 5, 40):
        state = row.tobytes()
        holes, scene = game.core.holes, game.scene(state)
        for player in (0, 1):
            own = [p.cell for p in scene.pieces if p.colour == f"player {player + 1}"]
            fields = game.core.describe(state)
            fields[0] = player
            here = game.core.compose(fields)
            forward = dict.fromkeys(own, 0)
            for move in game.core.legal(here):
                start, end = move & 0xFF, move >> 8
                gain = (holes[start][3] - holes[end][3]) * (1 if player == 0 else -1)
                forward[start] = max(forward[start], gain)
            found = _core.features(game.core, here, player)
            assert found[:3] == _core.features(three.core, here, player)
            assert found[2] == sum(forward.values())
            assert found[3] == sum(gain**2 for gain in forward.values())
            assert found[4] == pytest.approx(np.var([holes[h][2] / 2 for h in own]), abs=1e-4)
            assert found[5] == pytest.approx(np.var([holes[h][3] for h in own]), abs=1e-4)
            assert found[6] == max(forward.values())


@pytest.mark.parametrize("name", VARIANTS)
def test_each_player_sees_the_same_start(name: str) -> None:
    """At its first turn every player sees its own army at the bottom, where player 1 did."""
    game = halma.game(name)
    position = game.start()
    first = position.encode()[0]
    moves = {position.action(move) for move in position.legal_moves}
    for player in range(1, game.players):
        fields = game.core.describe(game.core.initial())
        fields[0] = player
        seen = halma.Position(game, game.core.compose(fields))
        assert np.array_equal(seen.encode()[0], first)
        assert {seen.action(move) for move in seen.legal_moves} == moves


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        ("star-121-2p", [{0, 3}] * 2),
        ("star-121-3p", [{0, 2, 4}] * 3),
        ("star-121-4p", [{0, 1, 3, 4}, {0, 2, 3, 5}] * 2),
        ("star-73-6p", [{0, 1, 2, 3, 4, 5}] * 6),
        ("star-37-3p:places=first", [{0, 1, 2}] * 3),  # its homes overlap: no other seats
    ],
)
def test_planes_of_a_star_are_by_seat(name: str, seats: list[set[int]]) -> None:
    """Plane k shows the army of the seat k points clockwise from the mover's."""
    game = halma.game(name)
    army = len(game.core.homes[0])
    fields = game.core.describe(game.core.initial())
    for player, expected in enumerate(seats):
        fields[0] = player
        planes = halma.Position(game, game.core.compose(fields)).encode()[:-1]
        shown = planes.sum(axis=(1, 2))
        assert {int(seat) for seat in np.flatnonzero(shown)} == expected
        assert set(shown[shown > 0]) == {army}
        views = game.core.views[player]
        for other, home in enumerate(game.core.homes):
            point = game.core.holes[home[0]][4]
            own = game.core.holes[game.core.homes[player][0]][4]
            seat = (point - own) % 6 if len(planes) == 6 else (other - player) % game.players
            cells = {tuple(game.core.holes[views[hole]][:2]) for hole in home}
            assert set(zip(*map(list, planes[seat].nonzero()), strict=True)) == cells


def test_planes_by_identity_look_back_three_states() -> None:
    game = halma.game("rhombus-7x7-6:rules=liu2019")
    record = halma.Record(game)
    planes = record.encode()
    assert planes[0].sum() == planes[1].sum() == 21  # ids 1 to 6
    assert not planes[2:].any()
    record.play("a3-a4")
    record.play(record.position.legal_moves[0])
    planes = record.encode()
    assert all(planes[k].sum() == 21 for k in range(6))
    assert not planes[6].any()
    assert (planes[2] != planes[4]).any() and (planes[0] == planes[2]).all()
    record.play(record.position.legal_moves[0])
    assert record.encode()[6].all()


def test_pieces_keep_their_identity() -> None:
    game = halma.game("rhombus-4x4-3:view=ids")
    start = game.start()
    assert start.text == "..CB/...A/a.../bc.. 1"
    moved = start.play("a2-a3")
    name = {cell.name: i for i, cell in enumerate(game.scene(start.state).cells)}
    before = {p.cell: p.label for p in game.scene(start.state).pieces}
    after = {p.cell: p.label for p in game.scene(moved.state).pieces}
    assert before[name["a2"]] == after[name["a3"]]
    assert game.position(moved.text) == moved


def test_a_move_may_not_complete_another_players_win() -> None:
    # Player 2's target, player 1's home, lacks one piece at a2 and holds one of player 2's
    # at a1. A piece from outside must not fill it; b1 may, as that leaves b1 empty.
    position = halma.game("rhombus-4x4-3").position("..22/1.../..../21.1 1")
    free = halma.game("rhombus-4x4-3:win=fill").position(position.text)
    allowed = {move.text for move in position.legal_moves}
    assert {move.text for move in free.legal_moves} - allowed == {"a3-a2"}
    assert "b1-a2" in allowed
    with pytest.raises(IllegalMoveError):
        position.play("a3-a2")


def test_second_place_and_triple_win() -> None:
    """schulte2021: once a player is first, a player whose target is full is second."""
    game = halma.game("star-37-3p")
    decided = Counter()
    for seed in range(300):
        rng = random.Random(seed)
        record = halma.Record(game)
        while not record.is_over:
            record.play(forward_move(record.position, rng, among=6))
        decided[tuple(sorted(record.result))] += 1
    assert set(decided) <= {(0, 0, 0), (0, 0, 3), (0, 1, 3), (1, 1, 3)}
    assert decided[0, 1, 3] > 0
    # By hand: player 1 is home; the others hold the tips of their own targets and block
    # each other's remaining holes, so both targets are full.
    board = dict.fromkeys(game.core.targets[0], 1)
    for owner, other in ((2, 3), (3, 2)):
        for hole in game.core.targets[owner - 1]:
            in_tip = game.core.holes[hole][4] >= 0
            board[hole] = owner if in_tip else other
    cells = [1 + 16 * (board[hole] - 1) if hole in board else 0 for hole in range(37)]
    position = halma.Position(game, game.core.compose([1, 1, 2, 2, *cells]))
    assert position.text.endswith(" 2 122")
    assert game.position(position.text) == position
    assert position.is_terminal and position.result == (3, 1, 1)


def test_a_finished_player_passes() -> None:
    game = halma.game("star-37-3p")
    for seed in range(200):
        rng = random.Random(seed)
        record = halma.Record(game)
        while not record.is_over:
            position = record.position
            places = position.text.split()[2:]
            if places and places[0].index("1") == position.mover:
                assert move_texts(position) == ["pass"]
                assert position.action("pass") == 319
                assert game.position(position.text) == position
                return
            record.play(forward_move(position, rng, among=6))
    pytest.fail("no player ever had to pass")


def test_cycle_rule_and_move_limit() -> None:
    record = halma.Record(halma.game("rhombus-7x7-6:cycle=on"))
    for _ in range(4):
        for move in ("a3-a4", "g5-g4", "a4-a3", "g4-g5"):
            assert not record.is_over
            record.play(move)
    assert record.is_over and record.end == "by moving in cycles"
    assert record.plies == 16 and record.result == (0.5, 0.5)
    with pytest.raises(GameOverError):
        record.play("a3-a4")
    record.undo()
    assert not record.is_over
    short = halma.Record(halma.game("rhombus-7x7-6:plies=2"))
    short.play("a3-a4")
    short.play("g5-g4")
    assert short.end == "by the move limit"


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_no_text_crashes_the_parsers(text: str) -> None:
    for name in ("rhombus-4x4-3", "rhombus-4x4-3:view=ids", "star-37-3p"):
        game = halma.game(name)
        with pytest.raises(HalmaError):
            game.position(text)
        with pytest.raises(HalmaError):
            game.start().play(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(".123abAB/ "), max_size=24), st.sampled_from("123x"))
def test_near_positions_round_trip_or_are_refused(rows: list[str], mover: str) -> None:
    for name in ("rhombus-4x4-3", "rhombus-4x4-3:view=ids"):
        check_position_text(halma.game(name), f"{''.join(rows)} {mover}")


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["rhombus-4x4-3", "rhombus-3x3-3", "rhombus-5x5-3:win=fill"]),
    st.integers(min_value=0),
)
def test_index_and_text_round_trip(name: str, number: int) -> None:
    game = halma.game(name)
    index = number % game.core.index_size
    state = game.core.unindex(index)
    assert game.core.index(state) == index
    position = halma.Position(game, state)
    if position.is_terminal and position.result[0] == 1:
        with pytest.raises(PositionError, match="already won"):
            game.position(position.text)
    else:
        assert game.position(position.text) == position


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("rhombus-7x7-5", UnknownVariantError, "1, 3, 6 or 10"),
        ("rhombus-7x6-6", UnknownVariantError, "equal sides"),
        ("rhombus-3x3-6", UnknownVariantError, "at least 4"),
        ("rhombus-99x99-6", UnknownVariantError, "2 to 15"),
        ("star-100-2p", UnknownVariantError, "37, 73 or 121"),
        ("star-121-5p", UnknownVariantError, "2, 3, 4 or 6"),
        ("star-37-6p", UnknownVariantError, "overlap"),
        ("rhombus-7x7-6:hops=mirrored", OptionError, "Did you mean 'mirror'"),
        ("rhombus-7x7-6:hop=mirror", OptionError, "Did you mean 'hops'"),
        ("rhombus-7x7-6:rules=lui2019", OptionError, "Did you mean 'liu2019'"),
        ("rhombus-7x7-6:homes=closed", OptionError, "homes"),
        ("rhombus-7x7-6:places=second", OptionError, "two players"),
        ("star-121-3p:sideways=off", OptionError, "same rows; 'star-121-3p' has 3"),
        ("rhombus-7x7-6:plies=many", OptionError, "whole number"),
        ("star-121-3p:view=ids", OptionError, "two players only"),
        ("rombus-7x7-6", UnknownVariantError, "Did you mean 'rhombus-7x7-6'"),
    ],
)
def test_impossible_names(name: str, error: type[HalmaError], words: str) -> None:
    with pytest.raises(error, match=words):
        halma.game(name)


def test_impossible_positions() -> None:
    game = halma.game("rhombus-4x4-3")
    for text, words in {
        "..22/...2/1.../11.. 3": "'1' or '2', not '3'",
        "..22/...2/1.../11..": "parts",
        "..22/...2/1.../11. 1": "4 rows of 4 cells",
        "..2x/...2/1.../11.. 1": "neither a piece",
        "..22/..../1.../11.. 1": "2 pieces instead of 3",
        "..22/..22/1.../11.. 1": "more than 3 pieces",
        "..11/...1/2.../22.. 1": "already won",
        "..22/...2/1.../11.. 1 1-": "not a list of places",
    }.items():
        with pytest.raises(PositionError, match=words):
            game.position(text)
    with pytest.raises(MoveSyntaxError):
        game.start().play("a9z-b")
    with pytest.raises(IllegalMoveError):
        game.start().play("a1-d4")
