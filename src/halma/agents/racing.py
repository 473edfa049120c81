"""Agents without a search of positions: at random, or by how far moves advance."""

from __future__ import annotations

import random
from dataclasses import dataclass

from halma import _core
from halma.agents.agent import AgentSpec
from halma.games import Game, Move, Record
from halma.names import Option
from halma.search.racing import lookahead_moves


@dataclass(frozen=True)
class RandomAgent:
    """Plays every legal move with the same probability."""

    name: str

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move, each as likely as any other."""
        return rng.choice(record.position.legal_moves)


@dataclass(frozen=True)
class GreedyAgent:
    """Plays a move that goes furthest forward; where every move goes backward, the shortest.

    Of several, liu2019's plays one with the piece that stands furthest behind; of several
    of those, any. schulte2021's (`prefer_trailing=False`) plays any of them at once.
    liu2019's other one is `stochastic`: a forward move, if there is one, with a probability
    proportional to its advance.
    """

    name: str
    stochastic: bool = False
    prefer_trailing: bool = True

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return one of the moves that advance most, or a forward move, the longer the likelier."""
        game, state, moves = record.game, record.position.state, record.position.legal_moves
        by_core = _core.races(game.core) and type(game).advance is Game.advance
        if by_core and not self.stochastic and self.prefer_trailing:
            furthest = set(_core.furthest(game.core, state))
            return rng.choice([move for move in moves if move.value in furthest])
        advances = [game.advance(state, m.value) for m in moves]
        weights = [max(0.0, advance) for advance in advances]
        if self.stochastic and any(weights):
            return rng.choices(moves, weights)[0]
        trailing = [game.trailing(state, m.value) if self.prefer_trailing else 0 for m in moves]
        ranks = list(zip(advances, trailing, strict=True))
        best = max(ranks)
        return rng.choice([move for move, rank in zip(moves, ranks, strict=True) if rank == best])


@dataclass(frozen=True)
class InitializeAgent:
    """schulte2021's agent for a network's first games: random, with a pull forward."""

    name: str

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move, drawn with weight 1, 2 or 4 for back, sideways and forward."""
        position = record.position
        moves = position.legal_moves
        advances = [position.game.advance(position.state, m.value) for m in moves]
        weights = [4 if advance > 0 else 2 if advance == 0 else 1 for advance in advances]
        return rng.choices(moves, weights)[0]


@dataclass(frozen=True)
class LookaheadAgent:
    """he2016's benchmark player: the first of the own moves in a row that advance most together.

    The others are taken to stand still. Of several such moves, one of the piece furthest
    behind; of several of those, any. What finishes is played at once.
    """

    name: str = "lookahead"
    depth: int = 2

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return one of the best first moves."""
        return rng.choice(lookahead_moves(record.position, self.depth))


SPECS = (
    AgentSpec("random", lambda name, given: RandomAgent(name)),
    AgentSpec(
        "greedy",
        lambda name, given: GreedyAgent(
            name, given["pick"] == "stochastic", given["ties"] == "trailing"
        ),
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
    ),
    AgentSpec("initialize", lambda name, given: InitializeAgent(name)),
    AgentSpec(
        "lookahead",
        lambda name, given: LookaheadAgent(name, int(given["depth"])),
        options=(Option("depth", 2, "how many own moves", low=1, high=4),),
        main="depth",
    ),
)
