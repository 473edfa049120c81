"""Games of self-play as arrays, from which training samples are drawn.

`halma.selfplay.pool.Games` explains the arrays: some have a row for every decision, some an
entry for every game, policy target or event; offsets join them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from halma import _core
from halma.games import Game

#: Arrays of finished games by the core's names; those that training keeps.
Samples = dict[str, np.ndarray[Any, Any]]

#: Arrays by what they have an entry for.
_ROWS = (
    "states",
    "moves",
    "choices",
    "plies",
    "movers",
    "repetitions",
    "no_progress",
    "values",
    "outcomes",
)
_POLICIES = ("policy_actions", "policy_weights")
_GAMES = ("numbers", "lengths", "ends", "scores")
_EVENTS = ("event_chance", "event_values")
_OFFSETS = ("policy_offsets", "row_offsets", "event_offsets")

#: Evaluations that differ by less are equal.
_TOLERANCE = 1e-6


def concatenate(parts: Sequence[Mapping[str, Any]]) -> Samples:
    """Return the games of several parts as one."""
    found: Samples = {}
    for key in (*_ROWS, *_POLICIES, *_GAMES, *_EVENTS):
        found[key] = np.concatenate([part[key] for part in parts])
    for key in _OFFSETS:
        lasts = np.cumsum([0, *(part[key][-1] for part in parts)])
        pieces = [part[key][1:] + last for part, last in zip(parts, lasts, strict=False)]
        found[key] = np.concatenate([np.zeros(1, np.int64), *pieces])
    return found


def slice_games(samples: Mapping[str, Any], first: int, last: int) -> Samples:
    """Return the games from `first` to before `last`, by their order."""
    last = min(last, len(samples["numbers"]))
    games, offsets = slice(first, last), slice(first, last + 1)
    rows = slice(*samples["row_offsets"][[first, last]])
    policies = slice(*samples["policy_offsets"][[rows.start, rows.stop]])
    events = slice(*samples["event_offsets"][[first, last]])
    places = ((_ROWS, rows), (_POLICIES, policies), (_GAMES, games), (_EVENTS, events))
    found = {key: samples[key][where] for keys, where in places for key in keys}
    for key, where in (
        ("policy_offsets", slice(rows.start, rows.stop + 1)),
        ("row_offsets", offsets),
        ("event_offsets", offsets),
    ):
        found[key] = samples[key][where] - samples[key][where.start]
    return found


def mover_first(scores: np.ndarray[Any, Any], movers: Any) -> np.ndarray[Any, Any]:
    """Return a game's scores (players,) as each mover sees them: (movers, players)."""
    players = len(scores)
    turns = (np.asarray(movers, np.int64)[:, None] + np.arange(players)) % players
    seen: np.ndarray[Any, Any] = scores[turns].reshape(len(turns), players)
    return seen


def adjudicate(game: Game, samples: Samples) -> None:
    """Give games that were stopped by their length to the player who is ahead.

    liu2019 does so where training starts from random weights.
    """
    for number in np.flatnonzero(samples["ends"] == _core.End.PLIES.value):
        first, last = samples["row_offsets"][[number, number + 1]]
        if first == last:
            continue
        final = game.core.play(
            samples["states"][last - 1].tobytes(), int(samples["moves"][last - 1])
        )
        scores = leader_scores(game, final)
        samples["scores"][number] = scores
        samples["outcomes"][first:last] = mover_first(scores, samples["movers"][first:last])


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


def self_play_metrics(samples: Samples, totals: Mapping[str, float]) -> dict[str, Any]:
    """Return the metrics of an iteration's games; `totals` are those of `SelfPlay.play`."""
    number, seconds, scores = len(samples["numbers"]), totals["play_seconds"], samples["scores"]
    return {
        "games": number,
        "finished": float((samples["ends"] == _core.End.RULES.value).mean()),
        "draws": float((np.ptp(scores, axis=1) == 0).mean()),
        "first_share": float(scores[:, 0].mean() / max(scores.sum(axis=1).mean(), 1e-9)),
        "mean_plies": float(samples["lengths"].mean()),
        "evaluations": int(totals["evaluations"]),
        "games_per_second": number / seconds,
        "evaluations_per_second": totals["evaluations"] / seconds,
        "resigned": int(totals["resigned"]),
        "pool_bytes": int(totals["pool_bytes"]),
        "play_seconds": seconds,
    }
