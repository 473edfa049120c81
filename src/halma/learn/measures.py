"""What is measured of learning with a network: a line of figures for every iteration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

from halma import _core
from halma.arena.tally import Tally
from halma.learn.alphazero_settings import NeuralSettings, opponents
from halma.learn.reports.events import Curve
from halma.learn.selfplay import Samples


class NeuralMetrics(TypedDict, total=False):
    """A line of metrics.jsonl. What was not measured after an iteration is None."""

    #: counts from 1
    iteration: int
    #: of self-play: games, those that ended by the rules, moves in a game, positions judged
    games: int
    finished: float
    draws: float
    first_share: float
    mean_plies: float
    evaluations: int
    games_per_second: float
    evaluations_per_second: float
    resigned: int
    #: of learning: games in the window, positions learnt from in it, the share of those that
    #: stood there before, and new ones
    window: int
    positions: int
    duplicates: float
    new_positions: int
    steps: int
    policy_loss: float
    value_loss: float
    learning_rate: float
    #: share of the learner's time in forward, backward and optimiser
    learner_busy: float
    #: of the gate: the share of points against the best, and whose turn it is now
    gate: float | None
    best: int
    play_seconds: float
    learn_seconds: float
    match_seconds: float
    #: of the whole run so far, earlier sittings included
    seconds: float


def of_self_play(games: Samples, totals: Mapping[str, float]) -> dict[str, Any]:
    """Return what an iteration's games tell, and what they took."""
    number, seconds, scores = len(games["numbers"]), totals["play_seconds"], games["scores"]
    return {
        "games": number,
        "finished": float((games["ends"] == _core.End.RULES.value).mean()),
        "draws": float((np.ptp(scores, axis=1) == 0).mean()),
        "first_share": float(scores[:, 0].mean() / max(scores.sum(axis=1).mean(), 1e-9)),
        "mean_plies": float(games["lengths"].mean()),
        "evaluations": int(totals["evaluations"]),
        "games_per_second": number / seconds,
        "evaluations_per_second": totals["evaluations"] / seconds,
        "resigned": int(totals["resigned"]),
        "pool_bytes": int(totals["pool_bytes"]),
        "play_seconds": seconds,
    }


def curves(settings: NeuralSettings) -> tuple[Curve, ...]:
    """Return what is worth watching."""
    found = [
        Curve("policy_loss", "policy loss", ".3f"),
        Curve("value_loss", "value loss", ".3f"),
        Curve("mean_plies", "moves a game", ".0f"),
        Curve("games_per_second", "games/s", ".1f"),
        Curve("evaluations_per_second", "evaluations/s", ",.0f"),
    ]
    if settings.gate.games:
        found.append(Curve("gate", "against the best", ".1%"))
    if settings.evaluation.every:
        found += [Curve(f"vs_{name}", f"against {name}", ".1%") for name in opponents(settings)]
    if settings.truth.every:
        found += [
            Curve("wr_p", "WR_p", ".1%"),
            Curve("err_p", "ERR_p", ".4f"),
            Curve("mae_v", "MAE_v", ".4f"),
        ]
    return tuple(found)


def measured(name: str, tally: Tally | None) -> dict[str, float | None]:
    """Return what a match says: share and Elo, each with its 95% interval."""
    key = f"vs_{name}"
    if tally is None:
        return {
            key: None,
            f"{key}_low": None,
            f"{key}_high": None,
            f"{key}_elo": None,
            f"{key}_elo_low": None,
            f"{key}_elo_high": None,
        }
    low, high = tally.score.interval
    elo_low, elo_high = tally.elo_interval
    return {
        key: tally.score.value,
        f"{key}_low": low,
        f"{key}_high": high,
        f"{key}_elo": tally.elo,
        f"{key}_elo_low": elo_low,
        f"{key}_elo_high": elo_high,
    }
