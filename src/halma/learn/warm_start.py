"""Games of a heuristic for the network to begin with (liu2019, section 3.5)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from halma import _core
from halma.agents import Agent, agent
from halma.games import Game, Record
from halma.learn.alphazero_settings import NeuralSettings
from halma.learn.selfplay import Samples, joined, limits


def heuristic_games(
    game: Game,
    settings: NeuralSettings,
    watch: Callable[[int], None] = lambda games: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Samples | None:
    """Let an agent play against itself; every move of its own is a policy to learn.

    Nothing is returned if it was stopped.
    """
    chosen = agent(settings.opening.agent)
    most = limits(game, settings).plies
    parts = []
    for number in range(settings.opening.games):
        if stopped():
            return None
        rng = random.Random(f"{settings.seed}/opening {number}")
        parts.append(_play(game, chosen, rng, settings.opening.random_plies, most, number))
        watch(number + 1)
    return joined(parts)


def _play(
    game: Game, chosen: Agent, rng: random.Random, random_plies: int, most: int, number: int
) -> dict[str, Any]:
    record = Record(game)
    core, limit = game.core, game.limits.no_progress
    at_random = rng.randint(0, random_plies)
    columns: dict[str, list[Any]] = {
        key: [] for key in ("states", "moves", "choices", "repetitions", "no_progress", "actions")
    }
    movers: list[int] = []
    while True:
        if not record.is_over:
            record.roll(rng)
        if record.is_over or (most and record.plies >= most):
            break
        position = record.position
        by_chance = record.plies < at_random
        move = rng.choice(position.legal_moves) if by_chance else chosen.choose(record, rng)
        state = position.state
        columns["states"].append(np.frombuffer(state, np.uint8))
        columns["moves"].append(move.value)
        columns["choices"].append(
            int((_core.Choice.RANDOM if by_chance else _core.Choice.FULL).value)
        )
        columns["repetitions"].append(record.repetitions)
        columns["no_progress"].append(min(1.0, record.halfmove_clock / limit) if limit else 0.0)
        columns["actions"].append(-1 if by_chance else core.action(state, move.value))
        movers.append(position.mover)
        record.play(move)
    rows = len(movers)
    scores = np.array(record.result, np.float32) / core.max_score
    actions = np.array(columns["actions"], np.int64)
    events = record.events
    turns = (np.array(movers, np.int64)[:, None] + np.arange(game.players)) % game.players
    return {
        "states": np.array(columns["states"], np.uint8).reshape(rows, core.state_size),
        "moves": np.array(columns["moves"], np.uint32),
        "choices": np.array(columns["choices"], np.uint8),
        "plies": np.arange(rows, dtype=np.int32),
        "movers": np.array(movers, np.uint8),
        "repetitions": np.array(columns["repetitions"], np.int32),
        "no_progress": np.array(columns["no_progress"], np.float32),
        "values": np.full(rows, np.nan, np.float32),
        "outcomes": scores[turns].reshape(rows, game.players),
        "policy_actions": actions[actions >= 0].astype(np.uint16),
        "policy_weights": np.ones(int((actions >= 0).sum()), np.float32),
        "policy_offsets": np.concatenate([[0], np.cumsum(actions >= 0)]).astype(np.int64),
        "numbers": np.array([number], np.uint64),
        "lengths": np.array([rows], np.int32),
        "ends": np.array([_end(record)], np.uint8),
        "scores": scores[None],
        "row_offsets": np.array([0, rows], np.int64),
        "event_chance": np.array([chance for chance, _ in events], np.uint8),
        "event_values": np.array([value for _, value in events], np.uint32),
        "event_offsets": np.array([0, len(events)], np.int64),
    }


def _end(record: Record) -> int:
    """Return the core's number of how a game ended; what we stopped ended by its length."""
    by_rules = record.position.is_terminal
    return int((_core.End.RULES if by_rules else _core.End.PLIES).value)
