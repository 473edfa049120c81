"""One game between agents."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from halma.agents.agent import Agent
from halma.errors import HalmaError
from halma.games import Move, Outcome, Position, Record


@dataclass(frozen=True)
class Step:
    """A move or an outcome of chance, and the position it happened in."""

    before: Position
    played: Move | Outcome


def play_game(
    record: Record, agents: Sequence[Agent], seed: int | str = 0, most_plies: int = 0
) -> Iterator[Step]:
    """Let agents play a record to its end, and yield every step once it is in the record.

    The first agent is the first player. Chance and each player draw from generators of
    their own, so that a change in how one of them plays does not change the dice. The game
    also stops once the record has `most_plies` plies, 0 meaning never.
    """
    players = record.game.players
    if len(agents) != players:
        raise HalmaError(
            f"'{record.game.name}' is for {players} players, so it takes {players} agents, "
            f"not {len(agents)}."
        )
    dice = random.Random(f"{seed}/chance")
    generators = [random.Random(f"{seed}/player {i}") for i in range(players)]
    while not record.is_over and not (most_plies and record.plies >= most_plies):
        before = record.position
        if before.is_chance:
            outcomes = before.outcomes
            outcome = dice.choices(outcomes, [o.probability for o in outcomes])[0]
            record.resolve(outcome)
            yield Step(before, outcome)
        else:
            move = agents[before.mover].choose(record, generators[before.mover])
            record.play(move)
            yield Step(before, move)
