"""Agents without a search of positions: at random, or by how far moves advance."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halma import _core
from halma.agents.agent import AgentSpec
from halma.games import Move, Record
from halma.names import Option
from halma.search.racing import lookahead_moves, races_in_core


@dataclass(frozen=True)
class RandomAgent:
    """Plays every legal move with the same probability."""

    name: str

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move, each as likely as any other."""
        return rng.choice(record.position.legal_moves)

    def policy(self, record: Record) -> Mapping[int, float]:
        """Return the same probability for every legal move."""
        return _shared(record.position.legal_moves)


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
        moves = record.position.legal_moves
        forward = self._forward(record, moves)
        return rng.choices(moves, forward)[0] if forward else rng.choice(self._best(record, moves))

    def policy(self, record: Record) -> Mapping[int, float]:
        """Return shares of forward moves by their advance, or equal ones of the best moves."""
        moves = record.position.legal_moves
        forward = self._forward(record, moves)
        if not forward:
            return _shared(self._best(record, moves))
        shares = zip(moves, forward, strict=True)
        return {move.value: advance / sum(forward) for move, advance in shares if advance}

    def _forward(self, record: Record, moves: list[Move]) -> list[float]:
        """Return the advances of forward moves, 0 for others; none if it plays the best only."""
        if not self.stochastic:
            return []
        game, state = record.game, record.position.state
        forward = [max(0.0, game.advance(state, move.value)) for move in moves]
        return forward if any(forward) else []

    def _best(self, record: Record, moves: list[Move]) -> list[Move]:
        """Return the moves that advance most; of those, the ones of the piece furthest behind."""
        game, state = record.game, record.position.state
        if self.prefer_trailing and races_in_core(game):
            furthest = set(_core.furthest(game.core, state))
            return [move for move in moves if move.value in furthest]
        trailing = [game.trailing(state, m.value) if self.prefer_trailing else 0 for m in moves]
        advances = [game.advance(state, move.value) for move in moves]
        ranks = list(zip(advances, trailing, strict=True))
        best = max(ranks)
        return [move for move, rank in zip(moves, ranks, strict=True) if rank == best]


@dataclass(frozen=True)
class InitializeAgent:
    """schulte2021's agent for a network's first games: random, with a pull forward."""

    name: str

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move, drawn with weight 1, 2 or 4 for back, sideways and forward."""
        moves, weights = self._weighted(record)
        return rng.choices(moves, weights)[0]

    def policy(self, record: Record) -> Mapping[int, float]:
        """Return those weights as probabilities."""
        moves, weights = self._weighted(record)
        total = sum(weights)
        return {m.value: weight / total for m, weight in zip(moves, weights, strict=True)}

    def _weighted(self, record: Record) -> tuple[list[Move], list[int]]:
        position = record.position
        moves = position.legal_moves
        advances = [position.game.advance(position.state, m.value) for m in moves]
        return moves, [4 if advance > 0 else 2 if advance == 0 else 1 for advance in advances]


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

    def policy(self, record: Record) -> Mapping[int, float]:
        """Return equal shares of the best first moves."""
        return _shared(lookahead_moves(record.position, self.depth))


def _shared(moves: Sequence[Move]) -> dict[int, float]:
    """Return equal shares of some moves."""
    return {move.value: 1 / len(moves) for move in moves}


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
