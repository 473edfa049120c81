"""One game between agents."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from halma.agents.agent import Agent
from halma.errors import HalmaError
from halma.games import Game, Move, Outcome, Position, Record


@dataclass(frozen=True)
class Step:
    """A move or an outcome of chance, and the position it happened in."""

    before: Position
    played: Move | Outcome


def check_seats(game: Game, agents: Sequence[Agent]) -> None:
    """Raise a `HalmaError` unless there is one agent for each player."""
    if len(agents) != game.players:
        raise HalmaError(
            f"'{game.name}' is for {game.players} players, so it takes {game.players} agents, "
            f"not {len(agents)}."
        )


def play_game(
    record: Record, agents: Sequence[Agent], seed: int | str = 0, most_plies: int = 0
) -> Iterator[Step]:
    """Let agents play a record to its end, and yield every step once it is in the record.

    The first agent is the first player. The generator of an outcome depends on the seed and the
    number of outcomes before it, that of a move on the seed, the player and the ply. So a change
    in how one agent plays does not change the dice, and a game that was interrupted or partly
    taken back goes on as it would have. The game also stops once the record has `most_plies`
    plies, 0 meaning never.
    """
    check_seats(record.game, agents)
    while not record.is_over and not (most_plies and record.plies >= most_plies):
        before = record.position
        if before.is_chance:
            yield Step(before, roll(record, seed))
        else:
            move = agents[before.mover].choose(record, mover_rng(record, seed))
            record.play(move)
            yield Step(before, move)


def roll(record: Record, seed: int | str) -> Outcome:
    """Draw the next outcome of chance of a game with this seed, and return it."""
    rolled = sum(chance for chance, _ in record.events)
    outcomes = record.position.outcomes
    dice = random.Random(f"{seed}/chance {rolled}")
    outcome = dice.choices(outcomes, [o.probability for o in outcomes])[0]
    record.resolve(outcome)
    return outcome


def mover_rng(record: Record, seed: int | str) -> random.Random:
    """Return the generator of the player to move in a game with this seed."""
    return random.Random(f"{seed}/player {record.position.mover}, ply {record.plies}")
