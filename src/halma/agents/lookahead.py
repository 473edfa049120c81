"""he2016's benchmark player, who looks several own moves ahead."""

from __future__ import annotations

import random
from dataclasses import dataclass

from halma.agents.spec import AgentSpec
from halma.games import Move, Record
from halma.names import Option
from halma.search.racing import lookahead_moves


@dataclass(frozen=True)
class LookaheadAgent:
    """Plays the first of the own moves in a row that advance most together.

    The others are taken to stand still. Of several such moves, one of the piece furthest
    behind; of several of those, any. What finishes is played at once.
    """

    name: str = "lookahead"
    depth: int = 2

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return one of the best first moves."""
        return rng.choice(lookahead_moves(record.position, self.depth))


SPEC = AgentSpec(
    "lookahead",
    "the best advance in several own moves, the others standing still (he2016)",
    lambda name, options: LookaheadAgent(name, int(options["depth"])),
    options=(Option("depth", 2, "how many own moves", low=1, high=4),),
    main="depth",
)
