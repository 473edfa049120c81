"""The two greedy agents of liu2019, for every game that can say how far a move advances."""

from __future__ import annotations

import random
from dataclasses import dataclass

from halma.games import Game, Move, Record


@dataclass(frozen=True)
class GreedyAgent:
    """Plays a move that goes furthest forward.

    Of several, one with the piece that stands furthest behind; of several of those,
    any. Where every move goes backward this is the shortest of them.
    """

    name: str = "greedy"

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return one of the moves that advance most."""
        position = record.position
        return _furthest(position.game, position.state, position.legal_moves, rng)


@dataclass(frozen=True)
class StochasticGreedyAgent:
    """Plays a forward move with a probability proportional to its advance.

    Where no move goes forward it plays like `GreedyAgent`.
    """

    name: str = "greedy:pick=stochastic"

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a move that goes forward, the longer the likelier."""
        position = record.position
        moves = position.legal_moves
        weights = [max(0.0, position.game.advance(position.state, m.value)) for m in moves]
        if not any(weights):
            return _furthest(position.game, position.state, moves, rng)
        return rng.choices(moves, weights)[0]


def _furthest(game: Game, state: bytes, moves: list[Move], rng: random.Random) -> Move:
    ranks = [(game.advance(state, m.value), game.trailing(state, m.value)) for m in moves]
    best = max(ranks)
    return rng.choice([move for move, rank in zip(moves, ranks, strict=True) if rank == best])
