"""What a game counts as that was stopped before anybody had won."""

from __future__ import annotations

import numpy as np

from halma import _core
from halma.games import Game
from halma.learn.selfplay import Samples

#: players who differ by less stand equally well
_SAME = 1e-6


def judge_stopped(game: Game, samples: Samples) -> int:
    """Let the family's own features say who stood how well in games that were stopped.

    Returns how many games there were. liu2019 does so where it learns from nothing: who has
    come further forward has won.
    """
    stopped = np.flatnonzero(samples["ends"] == _core.End.PLIES.value)
    for number in stopped:
        first, last = samples["row_offsets"][[number, number + 1]]
        if first == last:
            continue
        final = game.core.play(
            samples["states"][last - 1].tobytes(), int(samples["moves"][last - 1])
        )
        scores = judged(game, final)
        samples["scores"][number] = scores
        movers = samples["movers"][first:last].astype(np.int64)
        turns = (movers[:, None] + np.arange(game.players)) % game.players
        samples["outcomes"][first:last] = scores[turns]
    return len(stopped)


def judged(game: Game, state: bytes) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Return 1 for the player who stands best and 0 for the others; equal ones share it."""
    weights = _core.default_weights(game.core)
    stands = np.array(
        [np.dot(weights, _core.features(game.core, state, who)) for who in range(game.players)]
    )
    best = stands >= stands.max() - _SAME
    shares: np.ndarray[tuple[int], np.dtype[np.float32]] = (best / best.sum()).astype(np.float32)
    return shares
