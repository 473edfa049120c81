"""schulte2021's agent for a network's first games: random, with a pull forward."""

from __future__ import annotations

import random
from dataclasses import dataclass

from halma.agents.spec import AgentSpec
from halma.games import Move, Record


@dataclass(frozen=True)
class InitializeAgent:
    """Plays at random: a move sideways is twice as likely as one back, one forward four times."""

    name: str = "initialize"

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move, drawn with weight 1, 2 or 4 for back, sideways and forward."""
        position = record.position
        moves = position.legal_moves
        advances = [position.game.advance(position.state, m.value) for m in moves]
        weights = [4 if advance > 0 else 2 if advance == 0 else 1 for advance in advances]
        return rng.choices(moves, weights)[0]


SPEC = AgentSpec(
    "initialize",
    "back 1, sideways 2, forward 4 (schulte2021)",
    lambda name, options: InitializeAgent(name),
)
