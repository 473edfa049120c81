"""Networks that the core evaluates and updates move by move, against a naive twin."""

from __future__ import annotations

import random

import numpy as np
import pytest

from halma import _core, game
from halma.agents import agent
from halma.errors import ArgumentError, NetworkError, OptionError
from halma.games import Position, Record
from halma.networks.sparse_network import (
    array_kinds,
    make_network,
    read_evaluator,
    write_evaluator,
)
from halma.search.minimax import Minimax
from halma.selfplay import FinishedGames

GAMES = [
    *("draughts-8x8", "rhombus-5x5-3", "rhombus-9x9-10", "star-121-2p"),
    *("ewn-3x3-3", "ewn-5x5-6", "cdc-2x4-PPPP", "cdc-4x8"),
]
NETWORK = _core.SparseNetwork


def random_arrays(chosen, seed=0):
    """Return a network whose sums reach both ends of the clipped range."""
    rng = np.random.default_rng(seed)
    sizes = {"int16": 900, "int32": 60_000}
    arrays = {
        name: rng.integers(-sizes[kind.dtype], sizes[kind.dtype], kind.shape, kind.dtype)
        for name, kind in array_kinds(chosen).items()
    }
    # Sums of the first layer fit into 16 bits.
    most = np.int16(min(900, 2**15 // (_core.max_inputs(chosen.core) + 1) - 1))
    for name in ("input_weights", "input_biases"):
        arrays[name] = np.clip(arrays[name], -most, most)
    return arrays


def naive_value(chosen, arrays, state):
    """Return the value from scratch, in Python's own whole numbers."""
    row = np.frombuffer(state, np.uint8)[None].copy()
    count = _core.input_count(chosen.core)
    active = [int(i) for i in _core.list_inputs(chosen.core, row)[0] if i < count]

    def clipped(value):
        return min(max(value, 0), NETWORK.CLIP)

    units = [
        clipped(int(bias) + sum(int(arrays["input_weights"][i, u]) for i in active))
        for u, bias in enumerate(arrays["input_biases"])
    ]
    total = int(arrays["output_bias"][0])
    for k, bias in enumerate(arrays["hidden_biases"]):
        weights = arrays["hidden_weights"][k]
        value = int(bias) + sum(unit * int(w) for unit, w in zip(units, weights, strict=True))
        whole = int(value / NETWORK.WEIGHT_UNIT)  # towards zero, as in C++
        total += clipped(whole) * int(arrays["output_weights"][k])
    return total / (NETWORK.UNIT * NETWORK.WEIGHT_UNIT)


def states_of_games(chosen, number, seed=3):
    """Return the decisions of a random game in order, as a search would meet them."""
    rng, found = random.Random(seed), []
    while len(found) < number:
        record = Record(chosen)
        while not record.is_over and record.plies < 80:
            if record.position.is_chance:
                record.roll(rng)
                continue
            found.append(record.position.state)
            record.play(rng.choice(record.position.legal_moves))
    return found[:number]


@pytest.mark.parametrize("name", GAMES)
def test_updated_values_are_those_from_scratch(name):
    chosen = game(name)
    arrays = random_arrays(chosen)
    network = make_network(chosen, arrays)
    states = states_of_games(chosen, 60)
    jumps = states + states[::7] + states[::-11]
    rows = np.array([list(state) for state in jumps], np.uint8)
    values = _core.network_values(chosen.core, network, rows)
    assert len(set(values)) > 20
    assert list(values) == [naive_value(chosen, arrays, state) for state in jumps]


def test_inputs_of_draughts_are_pieces_as_their_mover_sees_them():
    chosen = game("draughts-8x8")
    for state in states_of_games(chosen, 100):
        mover, *board = chosen.core.describe(state)
        wanted = set()
        for square, piece in enumerate(board):
            if piece:
                seen = 31 - square if mover else square
                other = (piece < 0) != bool(mover)
                wanted.add(64 * other + 32 * (abs(piece) == 2) + seen)
        row = np.frombuffer(state, np.uint8)[None].copy()
        listed = [int(i) for i in _core.list_inputs(chosen.core, row)[0] if i < 128]
        assert sorted(wanted) == listed


def listed_inputs(chosen, state):
    row = np.frombuffer(state, np.uint8)[None].copy()
    count = _core.input_count(chosen.core)
    return [int(i) for i in _core.list_inputs(chosen.core, row)[0] if i < count]


def test_inputs_of_einstein_are_pieces_as_their_mover_sees_them_without_the_die():
    chosen = game("ewn-5x5-6")
    for state in states_of_games(chosen, 100):
        mover, _, _, *board = chosen.core.describe(state)
        wanted = set()
        for cell, piece in enumerate(board):
            if piece:
                other = (piece < 0) != bool(mover)
                wanted.add(25 * (6 * other + abs(piece) - 1) + (24 - cell if mover else cell))
        assert listed_inputs(chosen, state) == sorted(wanted)


def test_inputs_of_dark_chess_are_counts_and_distances():
    chosen = game("cdc-4x8")
    ranks = {kind: 6 - i for i, kind in enumerate(range(1, 8))}
    first = dict(zip(range(1, 8), (0, 1, 3, 5, 7, 9, 11), strict=True))

    def takes(kind, other):
        if kind == 6 or (kind == 1 and other == 7):
            return False
        return ranks[kind] >= ranks[other] or (kind == 7 and other == 1)

    def steps(board, start, goals):
        """Return the length of the shortest walk over empty cells, or None."""
        seen, front, length = {start}, {start}, 0
        while front:
            length += 1
            near = {
                8 * (c // 8 + df) + c % 8 + dr
                for c in front
                for df, dr in ((0, 1), (0, -1), (1, 0), (-1, 0))
                if 0 <= c // 8 + df < 4 and 0 <= c % 8 + dr < 8
            }
            if near & goals:
                return length
            front = {c for c in near - seen if board[c] == 0}
            seen |= front
        return None

    for state in states_of_games(chosen, 60):
        _, turn, _, *rest = chosen.core.describe(state)
        pool, board = rest[:14], rest[14:]
        wanted = set()

        def add(group, kind, number, wanted=wanted):
            wanted.update(16 * group + first[kind] + i for i in range(number))

        for side in range(2):
            sign = 1 if (turn & 1) == side else -1
            for kind in range(1, 8):
                own = [cell for cell, piece in enumerate(board) if piece == sign * kind]
                hidden = pool[kind - 1 + (0 if sign > 0 else 7)]
                add(side, kind, len(own) + hidden)
                add(2 + side, kind, hidden)
                others = {c: -sign * p for c, p in enumerate(board) if p != 8 and -sign * p > 0}
                prey = {c for c, other in others.items() if takes(kind, other)}
                hunters = {c for c, other in others.items() if takes(other, kind)}
                walks = [steps(board, cell, prey) for cell in own] if kind != 6 else []
                for length in range(1, 7):
                    number = sum(w is not None and min(w, 6) == length for w in walks)
                    add(4 + 6 * side + length - 1, kind, number)
                walks = [steps(board, cell, hunters) for cell in own]
                for length in range(1, 5):
                    add(16 + 4 * side + length - 1, kind, walks.count(length))
                cannons = [c for c, other in others.items() if other == 6]
                add(24 + side, kind, sum(any(jumps(board, c, o) for c in cannons) for o in own))
        wanted.update(6 * 64 + 32 + i for i in range(board.count(8) // 2))
        assert listed_inputs(chosen, state) == sorted(wanted)


def jumps(board, cannon, target):
    """Tell whether exactly one piece stands between two cells of a line."""
    if cannon // 8 == target // 8:
        step = 1
    elif cannon % 8 == target % 8:
        step = 8
    else:
        return False
    low, high = sorted((cannon, target))
    return sum(board[cell] != 0 for cell in range(low + step, high, step)) == 1


@pytest.mark.parametrize("name", ["ewn-3x3-3", "cdc-2x4-PPPP"])
def test_expectimax_with_a_network_is_the_mean_of_its_values(name):
    chosen = game(name)
    core, arrays = chosen.core, random_arrays(chosen, seed=5)
    network = make_network(chosen, arrays)
    margin, patience = _core.EXPECTIMAX_MARGIN, _core.EXPECTIMAX_PATIENCE

    def twin(state, depth):
        """Return the value for the mover; chance takes no depth and is averaged at leaves too."""
        if core.at_chance(state):
            return sum(p * twin(core.resolve(state, o), depth) for o, p in core.outcomes(state))
        mover = core.mover(state)
        if core.terminal(state):
            return core.result(state)[mover]
        if depth == 0:
            odds = naive_value(chosen, arrays, state)
            return margin + (1 - 2 * margin) / (1 + np.exp(-odds))
        values = []
        for move in core.legal(state):
            child = core.play(state, move)
            value = twin(child, depth - 1)
            value = value if core.mover(child) == mover else 1 - value
            values.append(0.5 + (value - 0.5) * (1 - patience))
        return max(values)

    for bits in (0, 10):
        search = Minimax(
            chosen,
            "expectimax",
            network=network,
            limits="rules",
            quiescence=False,
            table_bits=bits,
        )
        assert search.scale == 1
        for state in states_of_games(chosen, 15):
            found = search.search(Position(chosen, state), depth=2).value
            assert found == pytest.approx(twin(state, 2), abs=1e-12)


def test_alphabeta_with_a_network_is_minimax_of_its_values():
    chosen = game("rhombus-4x4-3")
    arrays = random_arrays(chosen, seed=5)
    search = Minimax(chosen, network=make_network(chosen, arrays), limits="rules")
    assert search.scale == 1

    def twin(state, depth):
        if chosen.core.terminal(state):
            return None
        if depth == 0:
            return naive_value(chosen, arrays, state)
        values = [twin(chosen.core.play(state, m), depth - 1) for m in chosen.core.legal(state)]
        return None if None in values else max(-value for value in values)

    compared = 0
    for state in states_of_games(chosen, 30):
        wanted = twin(state, 2)
        if wanted is not None:
            assert search.search(Position(chosen, state), depth=2).value == wanted
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("name", ["rhombus-6x6-6", "draughts-8x8"])
def test_a_selective_search_visits_less_and_finds_wins(name):
    start = game(name).start()
    plain, selective = Minimax(start.game), Minimax(start.game, selective=True)
    nodes = [one.search(start, depth=9).nodes for one in (plain, selective)]
    assert nodes[1] < 0.7 * nodes[0]
    small = game("rhombus-3x3-3").start()
    assert Minimax(small.game, selective=True).search(small, depth=20).plies_to_end == 7


def test_games_of_a_search_follow_the_rules_whatever_the_threads():
    chosen = game("draughts-8x8")
    network = make_network(chosen, random_arrays(chosen))
    options = Minimax(chosen, network=network, selective=True).core_options

    def play(threads):
        found = _core.search_games(
            chosen.core,
            chosen.limits,
            options,
            50,
            7,
            6,
            1,
            random_plies_min=1,
            random_plies_max=4,
            random_moves=0.05,
            threads=threads,
        )
        return FinishedGames(**found)

    one, two = play(1), play(2)
    assert one.fault(chosen) == ""
    assert np.array_equal(one.moves, two.moves)
    assert list(one.numbers) == list(range(7, 13))
    full = one.choices == _core.Choice.FULL.value
    assert full.sum() > 50
    assert ((one.values[full] >= 0) & (one.values[full] <= 1)).all()


# Files.


@pytest.fixture
def file(tmp_path):
    chosen = game("draughts-8x8")
    path = tmp_path / "small.safetensors"
    write_evaluator(path, chosen, random_arrays(chosen), {"rounds": 1})
    return path


def test_a_file_gives_the_same_values(file):
    chosen = game("draughts-8x8")
    rows = np.array([list(state) for state in states_of_games(chosen, 30)], np.uint8)
    own = make_network(chosen, random_arrays(chosen))
    read = read_evaluator(file, chosen)
    both = [_core.network_values(chosen.core, network, rows) for network in (own, read)]
    assert (both[0] == both[1]).all()
    found = agent(f"alphabeta:nodes=500,evaluator={file}").choose(Record(chosen), random.Random(0))
    assert found in chosen.start().legal_moves


def test_files_that_are_not_used(file, tmp_path):
    chosen, other = game("draughts-8x8"), game("rhombus-7x7-6")
    with pytest.raises(NetworkError, match="it evaluates 'draughts-8x8', not 'rhombus-7x7-6'"):
        read_evaluator(file, other)
    with pytest.raises(NetworkError, match="no inputs"):
        read_evaluator(file, game("star-37-3p"))
    with pytest.raises(NetworkError, match="missing"):
        read_evaluator(tmp_path / "missing.safetensors", chosen)
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(data)
    with pytest.raises(NetworkError, match="damaged"):
        read_evaluator(damaged, chosen)
    damaged.write_bytes(data[:200])
    with pytest.raises(NetworkError, match=r"damaged|cut short"):
        read_evaluator(damaged, chosen)
    damaged.write_bytes(b"\x80\x04hello")
    with pytest.raises(NetworkError):
        read_evaluator(damaged, chosen)


@pytest.mark.parametrize(
    ("name", "value"),
    [("input_weights", 30_000), ("hidden_weights", 9_000), ("output_bias", 2**30)],
)
def test_numbers_that_could_overflow_are_refused(name, value):
    chosen = game("draughts-8x8")
    arrays = random_arrays(chosen)
    arrays[name][...] = value
    with pytest.raises(ArgumentError, match="large"):
        make_network(chosen, arrays)


def test_options_that_do_not_fit_together(file):
    with pytest.raises(OptionError, match="weights"):
        agent(f"alphabeta:nodes=9,weights=1/2/3,evaluator={file}")
    with pytest.raises(NetworkError, match="There is no evaluator 'nothing'"):
        agent("alphabeta:nodes=9,evaluator=nothing")
    with pytest.raises(OptionError, match="on"):
        agent("alphabeta:nodes=9,selective=yes")
