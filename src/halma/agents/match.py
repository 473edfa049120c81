"""One game between agents."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from halma.agents.agent import Agent
from halma.errors import HalmaError
from halma.games import Game, Position, Record


def play_game(
    game: Game,
    agents: Sequence[Agent],
    seed: int = 0,
    start: Position | None = None,
    most_plies: int = 0,
) -> Iterator[Record]:
    """Play a game and yield its growing record: at the start, and after every move or outcome.

    The first agent is the first player. Chance and each player draw from generators of
    their own, so that a change in how one of them plays does not change the dice. The
    game also stops after `most_plies` plies, 0 meaning never.
    """
    if len(agents) != game.players:
        raise HalmaError(
            f"'{game.name}' has {game.players} players, so it takes {game.players} agents, "
            f"not {len(agents)}."
        )
    dice = random.Random(f"{seed}/chance")
    generators = [random.Random(f"{seed}/player {i}") for i in range(game.players)]
    record = Record(game, start)
    yield record
    while not record.is_over and not (most_plies and record.plies >= most_plies):
        position = record.position
        if position.is_chance:
            record.roll(dice)
        else:
            mover = position.mover
            record.play(agents[mover].choose(record, generators[mover]))
        yield record
