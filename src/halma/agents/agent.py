"""The protocols of agents."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from halma.games import Move, Record

if TYPE_CHECKING:
    from halma.search.analysis import Analysis


class Agent(Protocol):
    """Chooses moves.

    It keeps nothing between calls that changes what it would play in another game.
    """

    @property
    def name(self) -> str:
        """The name that `agent()` would give this agent for."""

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move where a player is to move; all randomness comes from `rng`."""


@runtime_checkable
class Analyst(Protocol):
    """An agent that can also report on a position."""

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Analyse the record's position, where a player must be to move."""
