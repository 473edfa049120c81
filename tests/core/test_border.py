"""What Python passes to the core is checked: a sentence, never a crash."""

import math

import numpy as np
import pytest
from hostile.border_walker import VARIANTS, walk

import halma
from halma import _core
from halma.errors import ArgumentError, HalmaError
from halma.games.conformance import check
from halma.search import Minimax, TreeSearch, greedy_games

DRAUGHTS, EWN, RHOMBUS = map(halma.game, ("draughts-8x8", "ewn-3x3-3", "rhombus-4x4-3"))


@pytest.mark.parametrize("depth", [-1, 65, 10_000, 2**31, 2**64, -(2**31)])
def test_depths_of_perft(depth):
    with pytest.raises(ArgumentError, match="depth of perft is a whole number from 0 to 64, not"):
        DRAUGHTS.start().perft(depth)


def test_the_deepest_perft_does_not_overflow_the_stack():
    position = halma.game("ewn-3x3-1").start()
    assert position.perft(_core.MAX_PERFT) == 0
    assert position.perft(2) > 0


@pytest.mark.parametrize("seed", [-1, -5, 2**64, 10**30])
@pytest.mark.parametrize(
    "call",
    [
        lambda seed: check(EWN, games=1, seed=seed),
        lambda seed: EWN.core.playouts(EWN.start().state, 1, seed=seed),
        lambda seed: EWN.core.sample_states(EWN.start().state, 1, seed=seed),
        lambda seed: TreeSearch(DRAUGHTS, seed=seed),
        lambda seed: greedy_games(RHOMBUS, 1, seed=seed),
    ],
)
def test_seeds_have_64_bits(call, seed):
    with pytest.raises(HalmaError, match=r"[Ss]eed is a whole number from 0 to .*, not"):
        call(seed)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Minimax(DRAUGHTS).search(DRAUGHTS.start(), depth=101), "from 1 to 100, not 101"),
        (lambda: DRAUGHTS.core.move(DRAUGHTS.core.initial(), 1426), "0 to 1425, not 1426"),
        (lambda: DRAUGHTS.core.play(DRAUGHTS.core.initial(), 5), "The move 5 is not legal here"),
        (lambda: EWN.core.resolve(EWN.core.initial(), 10**6), "outcome 1000000 is not possible"),
        (lambda: EWN.core.unindex(2**40), "no position of the number 1099511627776"),
        (lambda: EWN.core.legal(b"\xff" * EWN.core.state_size), "not a state of this game"),
        (lambda: RHOMBUS.core.legal_many(np.full((2, 3), 9, np.uint8)), "not states of this game"),
        (lambda: _core.Limits(plies=-1), "A limit is a whole number from 0 to"),
        (
            lambda: _core.Retrograde(RHOMBUS.core, 0),
            "from 1 to 1024, not 0",
        ),
        (lambda: _core.features(DRAUGHTS.core, DRAUGHTS.core.initial(), 2), "0 to 1, not 2"),
        (lambda: _core.better(math.nan, 0, 1.0, 0), "must be finite, and this one is nan"),
        (lambda: _core.run_many([None], 5), "None is not a search"),
        (lambda: DRAUGHTS.core.compose([2**31 - 1] * 33), "far too large"),
        (lambda: _core.Retrograde(RHOMBUS.core).restore({}), "has no 'cells'"),
    ],
)
def test_a_sentence_for_each(call, sentence):
    with pytest.raises(HalmaError, match=sentence) as caught:
        call()
    assert str(caught.value)[0].isupper() or str(caught.value).startswith("'")
    assert str(caught.value).endswith(".")


def test_results_are_never_written_into_a_copy():
    planes = np.zeros((4, *DRAUGHTS.shape), np.float64)
    with pytest.raises(TypeError):
        _core.collect([], planes)


@pytest.mark.parametrize("variant", VARIANTS)
def test_calls_with_arguments_of_all_kinds(variant):
    assert walk(variant, 400, seed=1) == []
