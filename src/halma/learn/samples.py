"""Adjudication and metrics of finished self-play games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from halma import _core
from halma.games import Game
from halma.selfplay import FinishedGames
from halma.selfplay.games import mover_first

#: Evaluations that differ by less are equal.
_TOLERANCE = 1e-6


def adjudicate(game: Game, games: FinishedGames) -> None:
    """Give games that were stopped by their length to the player who is ahead.

    liu2019 does so where training starts from random weights.
    """
    for number in np.flatnonzero(games.ends == _core.End.PLIES.value):
        first, last = games.row_offsets[[number, number + 1]]
        if first == last:
            continue
        final = game.core.play(games.states[last - 1].tobytes(), int(games.moves[last - 1]))
        scores = leader_scores(game, final)
        games.scores[number] = scores
        games.outcomes[first:last] = mover_first(scores, games.movers[first:last])


def leader_scores(game: Game, state: bytes) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return 1 for the player whom the game's linear evaluation puts ahead, 0 for the others.

    Players who are equally far ahead share it; shape (players,).
    """
    weights = _core.default_weights(game.core)
    values = np.array(
        [np.dot(weights, _core.features(game.core, state, who)) for who in range(game.players)]
    )
    ahead = values >= values.max() - _TOLERANCE
    scores: np.ndarray[Any, np.dtype[np.float32]] = (ahead / ahead.sum()).astype(np.float32)
    return scores


def self_play_metrics(games: FinishedGames, totals: Mapping[str, float]) -> dict[str, Any]:
    """Return the metrics of an iteration's games; `totals` are those of `SelfPlay.play`."""
    number, seconds, scores = len(games), totals["play_seconds"], games.scores
    return {
        "games": number,
        "finished": float((games.ends == _core.End.RULES.value).mean()),
        "draws": float((np.ptp(scores, axis=1) == 0).mean()),
        "first_share": float(scores[:, 0].mean() / max(scores.sum(axis=1).mean(), 1e-9)),
        "mean_plies": float(games.lengths.mean()),
        "evaluations": int(totals["evaluations"]),
        "games_per_second": number / seconds,
        "evaluations_per_second": totals["evaluations"] / seconds,
        "resigned": int(totals["resigned"]),
        "pool_bytes": int(totals["pool_bytes"]),
        "play_seconds": seconds,
    }
