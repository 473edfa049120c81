"""Positions, actions and indices of every family survive the way there and back."""

import copy
import pickle
import random

import pytest
from game_helpers import random_game

import halma
from halma.errors import ArgumentError

EINSTEIN = ["3x3-2", "3x3-3", "3x3-4", "3x4-3", "4x3-3", "5x5-6", "2x8-1", "8x8-6"]
DARK_CHESS = ["PPPP", "KPPP", "GGCC", "KGMR", "NCCP", "KGCP"]
VARIANTS = [
    *(f"ewn-{size}" for size in EINSTEIN),
    *(f"cdc-2x4-{pieces}" for pieces in DARK_CHESS),
    *("cdc-4x8", "draughts-8x8", "frogs-3-2"),
    *("rhombus-4x4-3", "rhombus-7x7-6:rules=liu2019", "star-37-3p", "star-121-6p"),
]
ENUMERABLE = [
    *("ewn-3x3-2", "ewn-3x3-3", "ewn-3x4-3"),
    *("cdc-2x4-PPPP", "cdc-2x4-KPPP", "cdc-2x4-GGCC", "cdc-2x4-KGMR"),
    *("rhombus-3x3-3", "rhombus-4x4-3", "rhombus-5x5-3:win=fill"),
]


@pytest.mark.parametrize("name", VARIANTS)
def test_texts_and_actions(name):
    for seed in range(5):
        for p in random_game(name, seed):
            again = p.game.position(p.text)
            assert again == p and hash(again) == hash(p)
            actions = [p.action(move) for move in p.legal_moves]
            assert len(set(actions)) == len(actions)
            assert all(0 <= action < p.game.actions for action in actions)
            assert [p.move_of(action) for action in actions] == p.legal_moves


@pytest.mark.parametrize("name", ["ewn-3x3-3", "cdc-4x8:draw=none", "frogs-2-1", "star-37-3p"])
def test_pickles_and_copies(name):
    record = halma.Record(halma.game(name))
    rng = random.Random(2)
    while not record.is_over and record.plies < 12:
        record.roll(rng)
        if not record.is_over:
            record.play(rng.choice(record.position.legal_moves))
    for again in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert again.game == record.game and again.game.options == record.game.options
        assert again.positions == record.positions
        assert (again.events, again.halfmove_clock) == (record.events, record.halfmove_clock)
        assert repr(again) == repr(record) and "<svg" in again._repr_svg_()


@pytest.mark.parametrize("name", ENUMERABLE)
def test_indices(name):
    core = halma.game(name).core
    rng = random.Random(1)
    for index in {0, core.index_size - 1, *(rng.randrange(core.index_size) for _ in range(10_000))}:
        assert core.index(core.unindex(index)) == index
    with pytest.raises(ArgumentError):
        core.unindex(core.index_size)
