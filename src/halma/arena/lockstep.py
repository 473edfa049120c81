"""Games of matches that advance together, so that a network evaluates their leaves in batches.

A network takes less time for each position of a batch than for one alone, and evaluates it alike.
Every game has its own generators, so its moves are those of a game that is played by itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from halma.agents import Agent, agent, player_of
from halma.agents.best import BestAgent
from halma.agents.external import ExternalAgent
from halma.agents.mcts import NetAgent, TreeAgent
from halma.agents.own import OwnAgent
from halma.arena.games import MatchGame, PlayedGame
from halma.arena.plan import Plan
from halma.errors import AgentError
from halma.games import Game, Record, game
from halma.networks import load_on
from halma.search import search_options
from halma.search.batched import SearchPlayer

P = TypeVar("P")

#: games that advance together, at most; more of them gain little on a CPU
_MOST_GAMES, _MOST_GAMES_ON_GPU = 8, 256
#: Simulations, and seconds, that a move in all of these games may take together: no result is
#: known before the games end.
_MOST_SIMULATIONS, _MOST_SECONDS = 3200, 1.0


@dataclass(frozen=True)
class AgentPlayer:
    """An agent, one game after the other; a game in which somebody's agent fails is lost."""

    agent: Agent

    def play(self, games: Sequence[MatchGame]) -> None:
        """Choose and play a move in each game."""
        for one in games:
            one.choose_and_play(self.agent)


@dataclass(frozen=True)
class BatchedAgent(AgentPlayer):
    """A network's agent, whose searches in all games grow together."""

    searches: SearchPlayer

    def play(self, games: Sequence[MatchGame]) -> None:
        """Choose and play a move in each game."""
        rngs = [one.rng for one in games]
        before = [rng.getstate() for rng in rngs]
        began = time.perf_counter()
        try:
            moves = self.searches.choose([one.record for one in games], rngs)
        except AgentError:
            # One by one, to see whose position it was.
            for rng, state in zip(rngs, before, strict=True):
                rng.setstate(state)
            super().play(games)
            return
        share = (time.perf_counter() - began) / len(games)
        for one, move in zip(games, moves, strict=True):
            one.play(move)
            one.seconds += share


def turns_of(games: Iterable[tuple[MatchGame, Sequence[P]]]) -> list[tuple[P, list[MatchGame]]]:
    """Return each player with the games in which it is to move; none of them is over."""
    turns: dict[int, tuple[P, list[MatchGame]]] = {}
    for one, players in games:
        assert one.to_move is not None
        player = players[one.to_move]
        turns.setdefault(id(player), (player, []))[1].append(one)
    return list(turns.values())


def searches_together(one: Agent) -> bool:
    """Whether the searches of an agent in many games can grow together.

    Searches that end by the clock, and moves that are sampled, are left to the agent itself.
    """
    return isinstance(one, NetAgent) and not one.seconds and not one.temperature


def games_together(plans: Sequence[Plan], games: int, workers: int, device: str = "cpu") -> int:
    """Return how many of the games that are left a worker plays at the same time.

    It is 1 unless a network plays, and where an agent may keep something from move to move of one
    game, which the others would disturb.
    """
    agents = [_resolved(name, plan.game) for plan in plans for name in plan.agents]
    simulations = [
        one.simulations or 1
        for one in agents
        if isinstance(one, NetAgent) and searches_together(one)
    ]
    if not simulations or any(_keeps_a_game(one) for one in agents):
        return 1
    seconds = max(getattr(one, "seconds", None) or 0.0 for one in agents)
    if device != "cpu" and not seconds:
        return max(1, min(_MOST_GAMES_ON_GPU, -(-games // workers)))
    by_clock = int(_MOST_SECONDS / seconds) if seconds else _MOST_GAMES
    by_work = _MOST_SIMULATIONS // max(simulations)
    return max(1, min(_MOST_GAMES, by_clock, by_work, games // (2 * workers)))


def check_engines(plans: Sequence[Plan]) -> None:
    """Start every program that plays once; raise an error if one does not get ready."""
    try:
        for plan in plans:
            for one in _engines(plan):
                one.check(_game(plan.game))
    finally:
        close_engines(plans)


def close_engines(plans: Sequence[Plan]) -> None:
    """End the programs that this process has started for some plans."""
    for plan in plans:
        for one in _engines(plan):
            one.close()


def _engines(plan: Plan) -> list[ExternalAgent]:
    agents = map(_agent, plan.agents)
    return [one for one in agents if isinstance(one, ExternalAgent)]


def play_games(
    plans: Sequence[Plan], tasks: Sequence[tuple[int, int]], device: str = "cpu"
) -> list[tuple[int, PlayedGame]]:
    """Play games together, each given by the index of its plan and its number in it.

    Networks are evaluated on `device`. On a CPU the result does not depend on games played
    before, or at the same time.
    """
    games = [MatchGame(_game(plans[index].game), plans[index], number) for index, number in tasks]
    players = [
        [_player(name, plans[index].game, device) for name in plans[index].agents]
        for index, _ in tasks
    ]
    for _ in play_out(list(zip(games, players, strict=True))):
        pass
    return [(index, one.played()) for (index, _), one in zip(tasks, games, strict=True)]


def play_out(seated: Sequence[tuple[MatchGame, Sequence[AgentPlayer]]]) -> Iterator[int]:
    """Play games to their ends, each with its players; after each round, yield how many are over.

    In a round every game that is not over gets a move.
    """
    while going := [seat for seat in seated if not seat[0].is_over]:
        for player, turn in turns_of(going):
            player.play(turn)
        yield sum(one.is_over for one, _ in seated)


def play_match_game(plan: Plan, number: int) -> PlayedGame:
    """Play game `number` of a plan; the result does not depend on games played before."""
    ((_, played),) = play_games([plan], [(0, number)])
    return played


def _keeps_a_game(one: Agent) -> bool:
    """Whether an agent may keep something of the game it plays: a tree, a search, or its own."""
    return isinstance(one, OwnAgent | BestAgent | ExternalAgent) or (
        isinstance(one, TreeAgent) and one.reuse
    )


#: Games and agents are built once per process; some are expensive.
_game = cache(game)
_agent = cache(agent)


def _resolved(name: str, variant: str) -> Agent:
    """Return an agent, or for `best` the network that plays in its place, if it is one."""
    found = _agent(name)
    player = player_of(found, Record(_game(variant)))
    return player if isinstance(player, NetAgent) else found


@cache
def _player(name: str, variant: str, device: str) -> AgentPlayer:
    return player_in(_resolved(name, variant), _game(variant), device)


def player_in(found: Agent, loaded: Game, device: str = "cpu") -> AgentPlayer:
    """Return the player that an agent is in a variant; `device` is that of networks."""
    if not isinstance(found, NetAgent) or not searches_together(found):
        return AgentPlayer(found)
    assert found.simulations is not None  # there is no other limit
    evaluator = (
        found.evaluator(loaded)
        if device == "cpu"
        else load_on(device, found.path(loaded), loaded, found.any_rules)
    )
    options = search_options(loaded, **found.search_settings)
    return BatchedAgent(found, SearchPlayer(loaded, evaluator, options, found.simulations))
