"""The agent that knows the rules and nothing else."""

from __future__ import annotations

import random
from dataclasses import dataclass

from halma.agents.spec import AgentSpec
from halma.games import Move, Record


@dataclass(frozen=True)
class RandomAgent:
    """Plays every legal move with the same probability."""

    name: str = "random"

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move, each as likely as any other."""
        return rng.choice(record.position.legal_moves)


SPEC = AgentSpec("random", "any legal move", lambda name, options: RandomAgent(name))
