"""What every agent can do."""

from __future__ import annotations

import random
from typing import Protocol

from halma.games import Move, Record


class Agent(Protocol):
    """Someone who chooses moves. It keeps nothing between calls that a record does not tell."""

    @property
    def name(self) -> str:
        """The name that `agent()` would give this agent for."""

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move where a player is to move; all randomness comes from `rng`."""
