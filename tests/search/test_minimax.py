"""Minimax searches against a naive twin, and what they promise about limits and lines."""

from __future__ import annotations

import random
import time

import pytest
from reference.minimax import expectimax, maxn, minimax, paranoid

from halma import HalmaError, _core, game
from halma.games import Position, Record
from halma.search.minimax import Minimax


def decisions(name, number, seed=1, ply_limit=200):
    """Return random positions in which somebody is to move."""
    chosen = game(name)
    found = []
    while len(found) < number:
        states = chosen.core.sample_states(chosen.core.initial(), number, seed, ply_limit)
        seed += 1
        for row in states:
            state = row.tobytes()
            while chosen.core.at_chance(state):
                state = chosen.core.resolve(state, chosen.core.outcomes(state)[0][0])
            if not chosen.core.terminal(state):
                found.append(Position(chosen, state))
    return found[:number]


def must_capture(position_game):
    """Tell draughts positions in which a capture is due, by the notation alone."""

    def noisy(state):
        moves = position_game.core.legal(state)
        return bool(moves) and "x" in position_game.format_move(state, moves[0])

    return noisy


def optional_captures(chosen):
    """Return what lists the captures of a game with hook `captures`, by the notation alone."""
    if not _core.capabilities(chosen.core)["captures"]:
        return None

    def captures(state):
        moves = chosen.core.legal(state)
        return [move for move in moves if "x" in chosen.format_move(state, move)]

    return captures


def never(state):
    return False


# How many of the positions are searched to which depth.
SHARES = {
    "rhombus-4x4-3": {1: 300, 2: 600, 3: 100},
    "rhombus-6x6-6": {1: 690, 2: 300, 3: 10},
    "star-73-2p": {1: 960, 2: 40},
    "draughts-8x8": {1: 500, 2: 400, 3: 100},
    "frogs-3-2": {1: 300, 2: 400, 3: 300},
}
DEEPER = {
    "rhombus-4x4-3": {3: 800, 4: 200},
    "rhombus-5x5-3": {2: 900, 3: 100},
    "rhombus-6x6-6": {2: 990, 3: 10},
    "rhombus-7x7-6:rules=liu2019": {2: 1000},
    "star-121-2p": {2: 1000},
    "draughts-8x8": {3: 600, 4: 400},
    "frogs-3-2": {5: 1000},
}


def compare_with_twin(name, shares):
    positions = decisions(name, sum(shares.values()))
    chosen = positions[0].game
    weights = _core.default_weights(chosen.core)
    noisy = must_capture(chosen) if name.startswith("draughts") else never
    search = Minimax(chosen, limits="rules")
    for depth, number in shares.items():
        for _ in range(number):
            position = positions.pop()
            found = search.search(position, depth=depth)
            wanted = minimax(chosen.core, position.state, depth, weights, noisy)
            assert found.value == wanted, (position, depth)
            assert found.depth == depth or found.plies_to_end is not None
    assert not positions


@pytest.mark.parametrize("name", SHARES)
def test_alphabeta_is_minimax(name):
    compare_with_twin(name, SHARES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEPER)
def test_alphabeta_is_minimax_deeper(name):
    compare_with_twin(name, DEEPER[name])


@pytest.mark.parametrize("name", ["rhombus-5x5-3", "rhombus-6x6-6", "draughts-8x8"])
def test_no_switch_changes_the_value(name):
    chosen = game(name)
    plain = Minimax(chosen, pruning="none", deepen=False, limits="rules")
    others = [
        Minimax(chosen, limits="rules", **options)
        for options in (
            {},
            {"table_bits": 0},
            {"table_bits": 2},
            {"deepen": False},
            {"ordering": "listed", "deepen": False},
            {"ordering": "score", "table_bits": 0},
        )
    ]
    for position in decisions(name, 30, seed=7):
        wanted = plain.search(position, depth=3)
        for other in others:
            found = other.search(position, depth=3)
            assert found.value == wanted.value
    position = chosen.start()
    most = plain.search(position, depth=4).nodes
    assert all(other.search(position, depth=4).nodes < most for other in others)


def test_searches_do_not_depend_on_earlier_ones():
    positions = decisions("rhombus-6x6-6", 5)
    kept = Minimax(positions[0].game)
    for position in [*positions, *positions]:
        fresh = Minimax(position.game).search(position, depth=4)
        assert kept.search(position, depth=4) == fresh


@pytest.mark.parametrize("name", ["rhombus-5x5-3", "draughts-8x8", "frogs-3-2"])
def test_all_moves_have_their_own_value(name):
    chosen = game(name)
    search = Minimax(chosen, limits="rules")
    noisy = must_capture(chosen) if name.startswith("draughts") else never
    weights = _core.default_weights(chosen.core)
    for position in decisions(name, 20, seed=3):
        found = search.search(position, depth=2, all_moves=True)
        if found.depth < 2:
            continue
        assert [move for move, _ in found.values] == position.legal_moves
        for move, value in found.values:
            child = chosen.core.play(position.state, move.value)
            assert value == -minimax(chosen.core, child, 1, weights, noisy, ply=1)
        assert found.value == max(value for _, value in found.values)


def test_node_counts_without_pruning_are_the_trees():
    chosen = game("rhombus-6x6-6")
    start = chosen.start()
    found = Minimax(chosen, pruning="none", deepen=False).search(start, depth=4)
    assert found.leaves == start.perft(4) == 29584
    assert found.nodes == sum(start.perft(d) for d in (1, 2, 3, 4))
    # he2016's Table I counts leaves on this board; well ordered, alpha-beta needs the fewest it can
    # do with: 14 + 14 - 1, 14 + 288 - 1 and 288 + 288 - 1.
    board = game("rhombus-9x9-10:sideways=off")
    plain = Minimax(board, pruning="none", deepen=False)
    ordered = Minimax(board, ordering="score", table_bits=0, deepen=False)
    for depth, leaves, fewest in ((2, 196, 27), (3, 4032, 301), (4, 82944, 575)):
        assert plain.search(board.start(), depth=depth).leaves == leaves
        assert ordered.search(board.start(), depth=depth).leaves == fewest


@pytest.mark.parametrize("name", ["rhombus-5x5-3", "rhombus-6x6-6", "draughts-8x8"])
def test_line_is_legal_and_leads_to_the_value(name):
    chosen = game(name)
    weights = _core.default_weights(chosen.core)
    noisy = must_capture(chosen) if name.startswith("draughts") else never
    full = 0
    for position in decisions(name, 40, seed=11):
        found = Minimax(chosen, limits="rules").search(position, depth=3)
        assert found.line[0] == found.best
        at, sign = position, 1
        for move in found.line:
            at, sign = at.play(move), -sign
        length = len(found.line)
        if length >= 3 or at.is_terminal:
            full += 1
            left = 0 if length >= found.depth else found.depth - length
            value = minimax(chosen.core, at.state, left, weights, noisy, ply=length)
            assert sign * value == found.value
    assert full > 30


def test_wins_are_counted_in_plies():
    start = game("rhombus-3x3-3").start()
    search = Minimax(start.game)
    found = search.search(start, depth=20)
    assert (found.plies_to_end, found.depth) == (7, 7)
    assert found.value == _core.MINIMAX_WIN - 7
    assert search.search(start, depth=6).plies_to_end is None
    # Following the line, the win comes nearer ply by ply.
    at, left = start, 7
    for move in found.line:
        at, left = at.play(move), left - 1
        if left:
            assert search.search(at, depth=7).plies_to_end == left
    assert at.is_terminal and at.result == (1.0, 0.0)


def test_depth_asked_is_depth_reached():
    start = game("draughts-8x8").start()
    for depth in range(1, 8):
        found = Minimax(start.game).search(start, depth=depth)
        assert found.depth == depth


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rhombus-6x6-6", "alphabeta"),
        ("ewn-5x5-6", "expectimax"),
        ("star-37-3p", "maxn"),
        ("star-37-3p", "paranoid"),
    ],
)
def test_node_and_time_limits(name, kind):
    [position] = decisions(name, 1, seed=5, ply_limit=10)
    search = Minimax(position.game, kind)
    for nodes in (1, 2, 50, 5000):
        found = search.search(position, nodes=nodes)
        assert found.nodes <= nodes
        assert found.best in position.legal_moves
        assert found.depth == 0 or nodes >= 50
    assert search.search(position, nodes=5000).depth >= 1
    began = time.perf_counter()
    found = search.search(position, seconds=0.05)
    assert 0.02 < time.perf_counter() - began < 5
    assert found.depth >= 1
    # The nearest limit counts.
    assert search.search(position, depth=1, seconds=10, nodes=10**9).depth == 1


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"depth": 0},
        {"depth": -1},
        {"depth": 101},
        {"nodes": 0},
        {"seconds": 0},
        {"seconds": -1},
    ],
)
def test_impossible_limits(limits):
    start = game("rhombus-4x4-3").start()
    with pytest.raises(HalmaError):
        Minimax(start.game).search(start, **limits)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("rhombus-4x4-3", {"kind": "alphabet"}),
        ("rhombus-4x4-3", {"weights": [1.0]}),
        ("rhombus-4x4-3", {"weights": [1.0, float("nan"), 2.0]}),
        ("rhombus-4x4-3", {"table_bits": 40}),
        ("rhombus-4x4-3", {"scale": -1.0}),
        ("frogs-3-2", {"weights": [1.0]}),
        ("star-37-3p", {"kind": "alphabeta"}),
        ("star-37-3p", {"kind": "expectimax"}),
        ("ewn-3x3-3", {"kind": "alphabeta"}),
        ("cdc-2x4-PPPP", {"kind": "alphabeta"}),
        ("cdc-2x4-PPPP", {"kind": "maxn"}),
    ],
)
def test_what_cannot_be(name, arguments):
    with pytest.raises(HalmaError):
        Minimax(game(name), **arguments)


def test_nothing_to_search_at_chance_or_at_the_end():
    with pytest.raises(HalmaError):
        chosen = game("ewn-3x3-3")
        Minimax(chosen, "expectimax").search(chosen.start(), depth=1)
    over = game("rhombus-4x4-3").position("..11/...1/2.2./2... 2")
    assert over.is_terminal
    with pytest.raises(HalmaError):
        Minimax(over.game).search(over, depth=1)


# Draughts: quiescence and repetition.


def test_quiescence_sees_a_shot():
    """Black offers a king; white has to take it and loses the last piece."""
    position = game("draughts-8x8").position("B:WK26:BK13,K25")
    blind = Minimax(position.game, quiescence=False).search(position, depth=1)
    assert blind.plies_to_end is None
    found = Minimax(position.game).search(position, depth=1)
    assert [move.text for move in found.line] == ["25-22", "26x17", "13x22"]
    assert found.plies_to_end == 3
    # Without quiescence it takes the full depth.
    assert Minimax(position.game, quiescence=False).search(position, depth=3).plies_to_end == 3


def test_repetition_is_a_draw():
    """A king alone against three is content to go to and fro."""
    chosen = game("draughts-8x8")
    record = Record(chosen, chosen.position("W:WK1:BK28,K32,K27"))
    for move in ("1-5", "28-24", "5-1", "24-28"):
        record.play(move)
    assert record.repetitions == 1
    counting = Minimax(chosen).search(record, depth=1, all_moves=True)
    values = {move.text: value for move, value in counting.values}
    assert values == {"1-5": 0.0, "1-6": -3.0}
    # The position alone does not tell what stood before, and the switch turns it off.
    for found in (
        Minimax(chosen).search(record.position, depth=1),
        Minimax(chosen, limits="rules").search(record, depth=1),
    ):
        assert found.value == -3.0


# Chance.


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("ewn-3x3-3", {1: 100, 2: 100, 3: 60}),
        ("ewn-5x5-6", {1: 100, 2: 30}),
        ("cdc-2x4-PPPP", {1: 100, 2: 60, 3: 10}),
        ("cdc-4x8", {1: 60, 2: 3}),
        ("rhombus-4x4-3", {1: 50, 2: 50}),
    ],
)
def test_expectimax_is_expectiminimax(name, shares):
    positions = decisions(name, sum(shares.values()), ply_limit=40)
    chosen = positions[0].game
    weights = _core.default_weights(chosen.core)
    searches = [
        Minimax(
            chosen,
            "expectimax",
            pruning=pruning,
            ordering=ordering,
            table_bits=bits,
            limits="rules",
            scale=1.0,
        )
        for pruning in ("none", "windows", "probes")
        for ordering in ("listed", "score")
        for bits in (0, 10)
    ]
    for depth, number in shares.items():
        for _ in range(number):
            position = positions.pop()
            wanted = expectimax(
                chosen.core, position.state, depth, weights, optional_captures(chosen)
            )
            for search in searches:
                found = search.search(position, depth=depth)
                assert found.value == pytest.approx(wanted, abs=1e-12)
                assert 0 <= found.value <= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("ewn-3x3-3", {3: 900, 4: 100}),
        ("ewn-5x5-6", {1: 700, 2: 300}),
        ("cdc-2x4-PPPP", {2: 900, 3: 100}),
        ("cdc-4x8", {1: 990, 2: 10}),
    ],
)
def test_expectimax_is_expectiminimax_deeper(name, shares):
    test_expectimax_is_expectiminimax(name, shares)


def test_star_pruning_saves_nodes():
    for name in ("ewn-5x5-6", "cdc-2x4-PPPP"):
        nodes = dict.fromkeys(("none", "windows", "probes"), 0)
        for position in decisions(name, 20, seed=4, ply_limit=10):
            for pruning in nodes:
                search = Minimax(position.game, "expectimax", pruning=pruning, limits="rules")
                nodes[pruning] += search.search(position, depth=3).nodes
        assert nodes["probes"] < nodes["windows"] < nodes["none"]
        assert nodes["probes"] < 0.75 * nodes["none"]


def test_selective_expectimax_looks_further_where_pieces_lie_face_down():
    depths = {}
    for selective in (False, True):
        search = Minimax(game("cdc-4x8"), "expectimax", selective=selective)
        depths[selective] = 0
        for position in decisions("cdc-4x8", 12, ply_limit=40):
            found = search.search(position, nodes=20_000)
            depths[selective] += found.depth
            # Passes stand in no line.
            assert found.best in position.legal_moves and found.line[0] == found.best
    assert depths[True] > 1.4 * depths[False]


def test_what_a_selective_expectimax_calls_proven_is_so():
    chosen = game("cdc-2x4-PPPP")
    plain, selective = (
        Minimax(chosen, "expectimax", selective=on, limits="rules") for on in (False, True)
    )
    compared = 0
    for position in decisions("cdc-2x4-PPPP", 500, seed=3, ply_limit=60):
        found = selective.search(position, depth=4, all_moves=True)
        exact = plain.search(position, depth=4, all_moves=True)
        for (move, value), proven, other in zip(
            found.values, found.values_proven, exact.values, strict=True
        ):
            if proven:
                compared += 1
                assert other == (move, pytest.approx(value, abs=1e-12))
                assert exact.values_proven[exact.values.index(other)]
    assert compared > 10


# Three players and more, and teams.


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(
    ("name", "most"),
    [("star-37-3p", 100), ("star-73-4p:teams=opposite", 20), ("star-73-6p:teams=opposite", 10)],
)
def test_maxn_and_paranoid(name, most, depth):
    positions = decisions(name, most if depth == 1 else most // 8 + 1, ply_limit=90)
    core = positions[0].game.core
    weights = _core.default_weights(positions[0].game.core)
    everyone = Minimax(positions[0].game, "maxn")
    against = [Minimax(positions[0].game, "paranoid", pruning=p) for p in ("none", "windows")]
    for position in positions:
        found = everyone.search(position, depth=depth, all_moves=True)
        assert found.value == maxn(core, position.state, depth, weights)[position.mover]
        assert len(found.values) == len(position.legal_moves)
        wanted = paranoid(core, position.state, depth, weights, position.mover)
        for search in against:
            assert search.search(position, depth=depth).value == wanted


def test_paranoid_pruning_saves_nodes():
    start = game("star-37-3p").start()
    plain, pruned = (
        Minimax(start.game, "paranoid", pruning=p).search(start, depth=4).nodes
        for p in ("none", "windows")
    )
    assert pruned < plain / 3


def test_two_players_are_paranoid_by_nature():
    """With two players all three searches choose between the same leads."""
    rng = random.Random(0)
    for position in decisions("rhombus-4x4-3", 60, seed=9):
        chosen = position.game
        depth = rng.choice([1, 2, 3])
        found = Minimax(chosen, limits="rules").search(position, depth=depth)
        if found.plies_to_end is None:
            for kind in ("maxn", "paranoid"):
                assert Minimax(chosen, kind).search(position, depth=depth).value == found.value
