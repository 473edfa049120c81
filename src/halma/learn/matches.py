"""Matches in lockstep: all games advance together, so that networks choose moves in batches."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from halma import _core
from halma.agents import Agent
from halma.arena.games import MatchGame
from halma.arena.plan import Plan
from halma.arena.tally import Tally
from halma.games import Game, Move, Record
from halma.interrupt import Interrupted
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.search.tree_search import run_with_network

#: Called with the finished games, all games, and the moves made so far.
Watch = Callable[[int, int, int], None]


class Player(Protocol):
    """Chooses moves in many games at once."""

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return a legal move for each game; the player is to move in all of them."""


def play_match(
    game: Game,
    names: Sequence[str],
    players: Sequence[Player | AgentPlayer],
    games: int,
    seed: int,
    opening_plies: int,
    is_stopped: Callable[[], bool] = lambda: False,
    watch: Watch = lambda done, total, moves: None,
) -> Tally:
    """Play at least `games` games in whole sets, as the arena does, and count them.

    All games of a set have the same opening and dice, and the players take every seat. `watch`
    is called after every round, in which each game still going has got a move.
    """
    plan = Plan(game.name, tuple(names), game.players, seed, opening_plies)
    all_games = [MatchGame(game, plan, number) for number in range(plan.games_for(games))]
    going = [one for one in all_games if not one.is_over]
    moves_made = 0
    while going:
        watch(len(all_games) - len(going), len(all_games), moves_made)
        for index, player in enumerate(players):
            turn = [one for one in going if one.to_move == index]
            if is_stopped():
                raise Interrupted
            if isinstance(player, AgentPlayer):
                for one in turn:
                    one.choose_and_play(player.agent)
            elif turn:
                moves = player.choose([one.record for one in turn], [one.rng for one in turn])
                for one, move in zip(turn, moves, strict=True):
                    one.play(move)
                moves_made += len(moves)
        going = [one for one in going if not one.is_over]
    tally = Tally(plan)
    for one in all_games:
        tally.add(one.played())
    return tally


@dataclass(frozen=True)
class AgentPlayer:
    """An agent, one game after the other; a game in which somebody's agent fails is lost."""

    agent: Agent


@dataclass(frozen=True)
class PolicyPlayer:
    """A network's most probable moves, without search (hsueh2023, section IV)."""

    evaluator: Evaluator

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return the most probable legal move of each game."""
        logits, _ = self.evaluator.evaluate(np.stack([record.encode() for record in records]))
        chosen = []
        for position, row in zip((record.position for record in records), logits, strict=True):
            core, state = position.game.core, position.state
            values = [row[core.action(state, move.value)] for move in position.legal_moves]
            chosen.append(position.legal_moves[int(np.argmax(values))])
        return chosen


@dataclass
class SearchPlayer:
    """A tree search with a network; the trees of all games grow together."""

    game: Game
    evaluator: Evaluator
    options: _core.SearchOptions
    simulations: int
    seed: int

    def __post_init__(self) -> None:
        self._seeds = random.Random(self.seed)
        self._buffer: InferenceBuffer | None = None

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return the best move of each game's search."""
        searches = []
        for record in records:
            search = _core.Search(
                self.game.core, self.options, "network", seed=self._seeds.getrandbits(62)
            )
            search.set_record(record.core)
            search.begin(self.simulations)
            searches.append(search)
        if self._buffer is None or len(self._buffer.planes) < len(records):
            self._buffer = self.evaluator.buffer(len(records))
        run_with_network(searches, self._buffer)
        return [
            record.position.legal_moves[search.best()]
            for record, search in zip(records, searches, strict=True)
        ]
