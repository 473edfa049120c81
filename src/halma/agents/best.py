"""`best`: the strongest player of a variant, network or classical, under one name.

A variant whose solution is at hand is played perfectly, one that a network comes with halma for, by
that network, unless the game knows a search that is no weaker. Of others the game says what it is
(`Game.strongest`), or it follows from what the game offers; where an evaluator comes with halma,
alpha-beta uses it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from halma import _core
from halma.agents.agent import Agent, AgentSpec, Analyst, GameChecker
from halma.errors import OptionError, UnknownAgentError
from halma.games import Game, Move, Record
from halma.names import Option, Value, join, resolve, split
from halma.networks import shipped_for
from halma.networks.sparse_network import shipped_evaluator_for
from halma.search.minimax import MAX_DEPTH, has_chance

if TYPE_CHECKING:
    from halma.search.analysis import Analysis

#: the highest level, the player at its full strength
TOP = 10
#: Options that say how much is searched, and the least of it, that of level 1: a network's own
#: move, a look at most moves, or a search of about one ply.
_LEAST = {"net": {"sims": 1}, "mcts": {"sims": 30}}
_LEAST_NODES = {"nodes": 100}
#: Simulations of a network's search at most, and what boards of many cells share: up to about a
#: second on one core.
_NET_SIMULATIONS, _NET_CELLS = 800, 65_000
_LIMITS = ("time", "sims", "depth")


@dataclass
class BestAgent:
    """Plays and analyses as the strongest player of the record's variant does."""

    name: str = "best"
    level: int = TOP
    #: limits of the search in place of a level, by name
    limits: Mapping[str, Value] = field(default_factory=dict)
    _made: dict[str, Agent] = field(default_factory=dict, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the move of the strongest player."""
        return self.player(record).choose(record, rng)

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return the analysis of the strongest player."""
        player = self.player(record)
        if not isinstance(player, Analyst):
            raise UnknownAgentError(f"'{player.name}' cannot analyse a position.")
        return player.analyse(record, rng)

    def check(self, game: Game) -> None:
        """Raise an error if the strongest player cannot play a game with these limits."""
        player = self.player(Record(game))
        if isinstance(player, GameChecker):
            player.check(game)

    def player(self, record: Record) -> Agent:
        """Return the agent that plays in the record's position."""
        from halma.agents.registry import agent

        name = best_name(record, self.level, self.limits)
        if name not in self._made:
            # One at a time: a network or a transposition table is large.
            self._made = {name: agent(name)}
        return self._made[name]


def player_of(agent: Agent, record: Record) -> Agent:
    """Return the agent itself, or for `best` the one that plays in its place."""
    return agent.player(record) if isinstance(agent, BestAgent) else agent


def best_name(record: Record, level: int = TOP, limits: Mapping[str, Value] | None = None) -> str:
    """Return the name of the agent that `best` stands for in the record's position."""
    from halma.agents.registry import spec_of
    from halma.solve.solver import endgames_at_hand, is_at_hand

    game, limits = record.game, limits or {}
    # Perfect play needs no search; a level below the highest, a depth or simulations ask for one.
    if level == TOP and set(limits) <= {"time"} and is_at_hand(game):
        return "optimal"
    name = _by_network(game) or game.strongest or _by_hooks(game)
    spec = spec_of(name.partition(":")[0])
    if spec is None or spec.no_path:
        return name  # of a file: it has no levels
    bare, given = split(name, main=spec.main)
    known = {option.key for option in spec.options}
    least = _LEAST.get(bare, _LEAST_NODES)
    full = {key: given.pop(key) for key in least if key in given}
    for key in limits:
        if key not in known:
            takes = " or ".join(limit for limit in _LIMITS if limit in known)
            raise OptionError(
                f"'best' is {bare} in '{game.name}', which is limited by {takes}, not by '{key}'."
            )
    if limits:
        given |= {key: f"{value:.12g}" for key, value in limits.items()}
    else:
        given |= {key: str(_share(least[key], int(most), level)) for key, most in full.items()}
    if "evaluator" in known and "evaluator" not in given and (own := shipped_evaluator_for(game)):
        given["evaluator"] = own
    if "endgames" in known and "endgames" not in given and _core.capabilities(game.core)["slices"]:
        left = len(game.scene(record.position.state).pieces)
        if pieces := endgames_at_hand(game, left):
            given["endgames"] = str(pieces)
    return join(bare, resolve(bare, given, spec.options), spec.options, spec.main)


def _share(least: int, most: int, level: int) -> int:
    """Return the budget of a level; from each to the next it grows by the same factor."""
    return round(least * math.pow(most / least, (level - 1) / (TOP - 1)))


def _by_network(game: Game) -> str:
    """Return the player with the network that comes with halma, if it is the strongest."""
    name = shipped_for(game)
    if name is None or game.prefers_search:
        return ""
    _, rows, columns = game.shape
    affordable = round(_NET_CELLS / (rows * columns), -2)
    return f"net:{name},sims={min(_NET_SIMULATIONS, affordable):.0f}"


def _by_hooks(game: Game) -> str:
    """Return the strongest player of a game that does not say."""
    offered = _core.capabilities(game.core)
    if game.players == 2 and offered["features"]:
        return "expectimax:nodes=2000000" if has_chance(game) else "alphabeta:nodes=1000000"
    sims = 10_000 if offered["compiled"] else 1000
    return f"mcts:sims={sims}" + (",solver=on" if game.players == 2 else "")


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    limits = {key: given[key] for key in _LIMITS if given[key]}
    if limits and given["level"] != TOP:
        raise OptionError(f"'level' and '{next(iter(limits))}' cannot be given together.")
    return BestAgent(name, int(given["level"]), limits)


SPEC = AgentSpec(
    "best",
    _build,
    options=(
        Option("level", TOP, "Strength; each level searches several times more.", low=1, high=TOP),
        Option("time", 0.0, "Seconds a move.", low=0.001, high=86_400, decimal=True),
        Option("sims", 0, "Simulations a move, of a tree search.", low=1, high=10**7),
        Option("depth", 0, "Plies of the search, of minimax.", low=1, high=MAX_DEPTH),
    ),
    main="level",
)
