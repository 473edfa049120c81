"""Games of an agent that a network is trained on first (liu2019, section 3.5)."""

from __future__ import annotations

import random
from collections.abc import Callable

from halma import _core
from halma.agents import Agent, agent
from halma.games import Game, Record
from halma.interrupt import Interrupted
from halma.learn.sections import AlphaZeroSettings
from halma.learn.selfplay import limits
from halma.selfplay import FinishedGames
from halma.selfplay.records import finished_game


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
    while True:
        if not record.is_over:
            record.roll(rng)
        if record.is_over or (max_plies and record.plies >= max_plies):
            break
        at_random = record.plies < random_plies
        moves = record.position.legal_moves
        record.play(rng.choice(moves) if at_random else chosen.choose(record, rng))
    end = _core.End.RULES if record.position.is_terminal else _core.End.PLIES
    return finished_game(record, number, random_plies=random_plies, end=end)
