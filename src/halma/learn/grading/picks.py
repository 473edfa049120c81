"""The moves that agents pick, in worker processes: in their own games, and in given positions.

A network's searches of many games grow together, so that it evaluates their leaves in batches.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from halma.agents import Agent, agent
from halma.agents.mcts import NetAgent
from halma.arena.games import MatchGame
from halma.arena.lockstep import searches_together
from halma.arena.plan import Plan
from halma.errors import HalmaError
from halma.executors import Executor
from halma.games import Game, Move, Position, Record, game
from halma.networks import load_on
from halma.processes import map_ordered
from halma.search.batched import Player, SearchPlayer
from halma.search.options import search_options

#: Games and positions of a block that a network searches together.
_BATCH = {"cpu": 128, "cuda": 1024}
#: Positions of a block for other agents; of their games, each is a block.
_POSITIONS = 50
#: A game ends where a position occurs for this many times: players who have drawn go in circles,
#: and those positions would outnumber all others.
_OCCURRENCES = 3


class Pick(NamedTuple):
    """A move that an agent picked."""

    state: bytes
    move: int
    #: the game's number, or the position's
    group: int
    #: plies played before, those of the opening included; None outside games
    ply: int | None = None


@dataclass(frozen=True)
class _Block:
    """Moves that are picked together."""

    #: names of the variant and the agent
    variant: str
    agent: str
    seed: int
    #: of networks: `cpu` or `cuda`
    device: str
    #: file of the agent's network in place of the one that its name has
    network: Path | None


@dataclass(frozen=True)
class GameBlock(_Block):
    """Games of an agent against itself."""

    numbers: range
    #: random plies at the start of each
    opening_plies: int

    def picks(self) -> list[Pick]:
        """Play the games; return the moves after their openings."""
        variant, player = _player(self.variant, self.agent, self.device, self.network)
        plan = Plan(variant.name, (self.agent,), variant.players, self.seed, self.opening_plies)
        games = {number: MatchGame(variant, plan, number) for number in self.numbers}
        seen: Counter[tuple[int, bytes]] = Counter()
        found = []
        while games := {
            number: one
            for number, one in games.items()
            if not one.is_over and seen[number, one.record.position.state] < _OCCURRENCES
        }:
            records = [one.record for one in games.values()]
            moves = player.choose(records, [one.rng for one in games.values()])
            for (number, one), move in zip(games.items(), moves, strict=True):
                state = one.record.position.state
                seen[number, state] += 1
                found.append(Pick(state, move.value, number, one.record.plies))
                one.play(move)
        return found


@dataclass(frozen=True)
class PositionBlock(_Block):
    """Positions without a past."""

    #: number of the first one
    first: int
    states: tuple[bytes, ...]

    def picks(self) -> list[Pick]:
        """Return a move for each position."""
        variant, player = _player(self.variant, self.agent, self.device, self.network)
        records = [Record(variant, Position(variant, state)) for state in self.states]
        numbers = range(self.first, self.first + len(records))
        rngs = [random.Random(f"{self.seed}/position {number}") for number in numbers]
        moves = player.choose(records, rngs)
        return [
            Pick(state, move.value, number)
            for state, move, number in zip(self.states, moves, numbers, strict=True)
        ]


def block_sizes(name: str, device: str) -> tuple[int, int]:
    """Return how many games and how many positions of an agent make a block."""
    if searches_together(agent(name)):
        return _BATCH[device], _BATCH[device]
    return 1, _POSITIONS


def pick_all(
    tasks: Sequence[GameBlock | PositionBlock], workers: int | Executor
) -> Iterator[tuple[GameBlock | PositionBlock, list[Pick] | HalmaError]]:
    """Yield every block with its picks, in order, or with the error of its agent."""
    with closing(map_ordered(_run, tasks, workers)) as results:
        yield from zip(tasks, results, strict=True)


def _run(block: GameBlock | PositionBlock) -> list[Pick] | HalmaError:
    try:
        return block.picks()
    except HalmaError as error:
        return error


@dataclass(frozen=True)
class _OneByOne:
    """An agent that picks one move after the other."""

    agent: Agent

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        return [self.agent.choose(*one) for one in zip(records, rngs, strict=True)]


@lru_cache(maxsize=4)
def _player(variant: str, name: str, device: str, network: Path | None) -> tuple[Game, Player]:
    """Return a variant and the player of it that an agent is; kept, as some are expensive."""
    loaded, one = game(variant), agent(name)
    if isinstance(one, NetAgent) and network is not None:
        one = replace(one, file=network)
    if not isinstance(one, NetAgent) or not searches_together(one):
        return loaded, _OneByOne(one)
    assert one.simulations is not None  # there is no other limit
    evaluator = load_on(device, one.path(loaded), loaded, one.any_rules)
    options = search_options(loaded, **one.search_settings)
    return loaded, SearchPlayer(loaded, evaluator, options, one.simulations)
