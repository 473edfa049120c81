"""Games of an agent that a network is trained on first (liu2019, section 3.5)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from halma import _core
from halma.agents import Agent, agent
from halma.games import Game, Record
from halma.interrupt import Interrupted
from halma.learn.sections import AlphaZeroSettings
from halma.learn.selfplay import limits
from halma.selfplay import FinishedGames
from halma.selfplay.games import mover_first


def agent_games(
    game: Game,
    settings: AlphaZeroSettings,
    watch: Callable[[int], None] = lambda games: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> FinishedGames:
    """Return games of the agent against itself; its moves are the policy targets."""
    chosen = agent(settings.warm_start_agent)
    max_plies = limits(game, settings).plies
    parts = []
    for number in range(settings.warm_start.games):
        if is_stopped():
            raise Interrupted
        rng = random.Random(f"{settings.seed}/opening {number}")
        random_plies = rng.randint(0, settings.warm_start.random_plies)
        parts.append(_play(game, chosen, rng, random_plies, max_plies, number))
        watch(number + 1)
    return FinishedGames.join(parts)


def _play(
    game: Game, chosen: Agent, rng: random.Random, random_plies: int, max_plies: int, number: int
) -> FinishedGames:
    """Return one game as the core's pool would."""
    record = Record(game)
    core, limit = game.core, game.limits.no_progress
    rows: list[tuple[Any, ...]] = []
    while True:
        if not record.is_over:
            record.roll(rng)
        if record.is_over or (max_plies and record.plies >= max_plies):
            break
        position, state = record.position, record.position.state
        at_random = record.plies < random_plies
        move = rng.choice(position.legal_moves) if at_random else chosen.choose(record, rng)
        rows.append(
            (
                np.frombuffer(state, np.uint8),
                move.value,
                (_core.Choice.RANDOM if at_random else _core.Choice.FULL).value,
                position.mover,
                record.repetitions,
                min(1.0, record.halfmove_clock / limit) if limit else 0.0,
                -1 if at_random else core.action(state, move.value),
            )
        )
        record.play(move)
    columns = zip(*rows, strict=True) if rows else [()] * 7
    states, moves, choices, movers, repetitions, no_progress, policy = columns
    scores = np.array(record.result, np.float32) / core.max_score
    actions = np.array(policy, np.int64)
    end = _core.End.RULES if record.position.is_terminal else _core.End.PLIES
    return FinishedGames(
        states=np.array(states, np.uint8).reshape(len(rows), core.state_size),
        moves=np.array(moves, np.uint32),
        choices=np.array(choices, np.uint8),
        plies=np.arange(len(rows), dtype=np.int32),
        movers=np.array(movers, np.uint8),
        repetitions=np.array(repetitions, np.int32),
        no_progress=np.array(no_progress, np.float32),
        values=np.full(len(rows), np.nan, np.float32),
        simulations=np.zeros(len(rows), np.int32),
        outcomes=mover_first(scores, movers),
        policy_actions=actions[actions >= 0].astype(np.uint16),
        policy_weights=np.ones(int((actions >= 0).sum()), np.float32),
        policy_offsets=np.concatenate([[0], np.cumsum(actions >= 0)]).astype(np.int64),
        numbers=np.array([number], np.uint64),
        lengths=np.array([len(rows)], np.int32),
        ends=np.array([int(end.value)], np.uint8),
        may_resign=np.zeros(1, np.uint8),
        resign_plies=np.full(1, -1, np.int32),
        resign_wrong=np.zeros(1, np.uint8),
        scores=scores[None],
        row_offsets=np.array([0, len(rows)], np.int64),
        event_chance=np.array([chance for chance, _ in record.events], np.uint8),
        event_values=np.array([value for _, value in record.events], np.uint32),
        event_offsets=np.array([0, len(record.events)], np.int64),
    )
