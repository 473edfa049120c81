"""Planes that show the past show it in trees as well, as the game's record would."""

from __future__ import annotations

import random

import numpy as np
import pytest

import halma
from halma import _core

#: kings shuffle here, so that positions come again and nothing makes progress
ENDING = "B:WK10,K15:BK22,K25"


@pytest.mark.parametrize("name", ["draughts-8x8", "cdc-2x4-PPPP"])
def test_leaves_know_repetitions_and_progress(name: str) -> None:
    game = halma.game(name)
    rng = random.Random(1)
    start = game.position(ENDING) if name.startswith("draughts") else game.start()
    limits = _core.Limits(no_progress=30)
    options = _core.SearchOptions()
    planes = np.zeros((1, *game.shape), np.float32)
    values = np.full((1, 2), 0.5, np.float32)
    repeated = 0
    for _ in range(30):
        record = _core.Record(game.core, limits, start.state)
        earlier: list[bytes] = []
        for _ply in range(24):
            state = record.state()
            if game.core.at_chance(state):
                outcomes = [outcome for outcome, _ in game.core.outcomes(state)]
                record.resolve(rng.choice(outcomes))
                continue
            legal = game.core.legal(state)
            if not legal:
                break
            batch = _core.Batch(game.core, options, 1)
            batch.set_root(0, state, 1, earlier, record.halfmove_clock, limits.no_progress)
            assert batch.collect(planes) == 1
            np.testing.assert_array_equal(planes[0], record.encode())
            seen = {game.core.key(one) for one in earlier}
            back = [m for m in legal if game.core.key(game.core.play(state, m)) in seen]
            move = rng.choice(back or legal)
            # All of the policy on one move: the tree's first leaf is what comes after it.
            priors = np.zeros((1, game.actions), np.float32)
            priors[0, game.core.action(state, move)] = 1
            batch.submit(priors, values)
            earlier.insert(0, state)
            record.play(move)
            after = record.state()
            if game.core.at_chance(after) or game.core.terminal(after):
                continue
            assert batch.collect(planes) == 1
            np.testing.assert_array_equal(planes[0], record.encode())
            repeated += record.repetitions > 0
    assert repeated > 5
