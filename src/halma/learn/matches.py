"""Matches in lockstep: all games advance together, so that networks choose moves in batches."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
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


@dataclass(frozen=True)
class Pairing:
    """The sides of a match, and its games; a player may be in several pairings."""

    names: tuple[str, ...]
    players: Sequence[Player | AgentPlayer]
    games: int
    seed: int


def play_in_lockstep(
    game: Game,
    pairings: Sequence[Pairing],
    opening_plies: int,
    is_stopped: Callable[[], bool] = lambda: False,
    watch: Watch = lambda done, total, moves: None,
) -> list[Tally]:
    """Play matches of at least their number of games in whole sets, as the arena does.

    All games of a set have the same opening and dice, and the players take every seat. The games
    of all matches advance together: in every round, each game still going gets a move, a player
    of several matches chooses for all of them, and every agent has a thread. `watch` is called
    before each round.
    """
    tables = [_Table(game, pairing, opening_plies) for pairing in pairings]
    going = [seat for table in tables for seat in table.seats if not seat[0].is_over]
    total, moves_made = sum(len(table.seats) for table in tables), 0
    agents = sum(isinstance(player, AgentPlayer) for one in pairings for player in one.players)
    with ThreadPoolExecutor(max(agents, 1)) as threads:
        while going:
            if is_stopped():
                raise Interrupted
            watch(total - len(going), total, moves_made)
            turns: dict[int, tuple[Player | AgentPlayer, list[MatchGame]]] = {}
            for one, players in going:
                assert one.to_move is not None  # no game is over
                player = players[one.to_move]
                turns.setdefault(id(player), (player, []))[1].append(one)
            chosen_by_agents = [
                threads.submit(player.play, turn)
                for player, turn in turns.values()
                if isinstance(player, AgentPlayer)
            ]
            for player, turn in turns.values():
                if not isinstance(player, AgentPlayer):
                    moves = player.choose([one.record for one in turn], [one.rng for one in turn])
                    for one, move in zip(turn, moves, strict=True):
                        one.play(move)
                    moves_made += len(moves)
            for chosen in chosen_by_agents:
                chosen.result()
            going = [seat for seat in going if not seat[0].is_over]
    return [table.tally() for table in tables]


class _Table:
    """The games of a match."""

    def __init__(self, game: Game, pairing: Pairing, opening_plies: int) -> None:
        self._plan = Plan(game.name, pairing.names, game.players, pairing.seed, opening_plies)
        #: every game with its players
        self.seats = [
            (MatchGame(game, self._plan, number), pairing.players)
            for number in range(self._plan.games_for(pairing.games))
        ]

    def tally(self) -> Tally:
        """Return the results of games that are over."""
        tally = Tally(self._plan)
        for one, _ in self.seats:
            tally.add(one.played())
        return tally


@dataclass(frozen=True)
class AgentPlayer:
    """An agent, one game after the other; a game in which somebody's agent fails is lost."""

    agent: Agent

    def play(self, games: Sequence[MatchGame]) -> None:
        """Choose and play a move in each game."""
        for one in games:
            one.choose_and_play(self.agent)


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
    """A tree search with a network; the trees of all games grow together.

    Moves are sampled with weights policy^(1 / temperature); 0 plays the best.
    """

    game: Game
    evaluator: Evaluator
    options: _core.SearchOptions
    simulations: int
    #: of all searches; without one, each draws its own from the generator of its game, as the
    #: agent `net` does
    seed: int | None = None
    temperature: float = 0.0

    def __post_init__(self) -> None:
        self._seeds = None if self.seed is None else random.Random(self.seed)
        self._buffer: InferenceBuffer | None = None

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return a move for each game, found by its search."""
        searches = []
        for record, rng in zip(records, rngs, strict=True):
            seed = (self._seeds or rng).getrandbits(63)
            search = _core.Search(self.game.core, self.options, "network", seed=seed)
            search.set_record(record.core)
            search.begin(self.simulations)
            searches.append(search)
        if self._buffer is None or len(self._buffer.planes) < len(records):
            self._buffer = self.evaluator.buffer(len(records))
        run_with_network(searches, self._buffer)
        return [
            record.position.legal_moves[self._pick(search, rng)]
            for record, search, rng in zip(records, searches, rngs, strict=True)
        ]

    def _pick(self, search: _core.Search, rng: random.Random) -> int:
        """Return the index of the move to play."""
        if not self.temperature:
            return search.best()
        policy = search.policy_target()
        most = max(policy)
        weights = [(share / most) ** (1 / self.temperature) for share in policy]
        return rng.choices(range(len(weights)), weights)[0]
