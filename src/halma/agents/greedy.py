"""Greedy agents, for every game that can say how far a move advances."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from halma.agents.agent import Agent
from halma.agents.spec import AgentSpec
from halma.games import Game, Move, Record
from halma.names import Option, Value


@dataclass(frozen=True)
class GreedyAgent:
    """Plays a move that goes furthest forward.

    Of several, liu2019's plays one with the piece that stands furthest behind; of several
    of those, any. schulte2021's (`prefer_trailing=False`) plays any of them at once. Where
    every move goes backward this is the shortest of them.
    """

    name: str = "greedy"
    prefer_trailing: bool = True

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return one of the moves that advance most."""
        position = record.position
        moves = position.legal_moves
        return _furthest(position.game, position.state, moves, rng, self.prefer_trailing)


@dataclass(frozen=True)
class StochasticGreedyAgent:
    """liu2019's other one: a forward move with a probability proportional to its advance.

    Where no move goes forward it plays like `GreedyAgent`.
    """

    name: str = "greedy:pick=stochastic"
    prefer_trailing: bool = True

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a move that goes forward, the longer the likelier."""
        position = record.position
        moves = position.legal_moves
        weights = [max(0.0, position.game.advance(position.state, m.value)) for m in moves]
        if not any(weights):
            return _furthest(position.game, position.state, moves, rng, self.prefer_trailing)
        return rng.choices(moves, weights)[0]


def _furthest(
    game: Game, state: bytes, moves: list[Move], rng: random.Random, prefer_trailing: bool
) -> Move:
    ranks = [
        (game.advance(state, m.value), game.trailing(state, m.value) if prefer_trailing else 0)
        for m in moves
    ]
    best = max(ranks)
    return rng.choice([move for move, rank in zip(moves, ranks, strict=True) if rank == best])


def _build(name: str, options: Mapping[str, Value]) -> Agent:
    build = StochasticGreedyAgent if options["pick"] == "stochastic" else GreedyAgent
    return build(name, prefer_trailing=options["ties"] == "trailing")


SPEC = AgentSpec(
    "greedy",
    "the longest way forward (liu2019; schulte2021's with ties=random)",
    _build,
    options=(
        Option(
            "pick",
            "best",
            "the move that advances most, or any in proportion to its advance",
            choices=("best", "stochastic"),
        ),
        Option(
            "ties",
            "trailing",
            "of moves equally long, one of the piece furthest behind, or any",
            choices=("trailing", "random"),
        ),
    ),
    main="pick",
)
