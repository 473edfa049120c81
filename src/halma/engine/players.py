"""The agents of an engine: built once for a thread, and limited anew for every search."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from halma import _core
from halma.agents import Agent, Analyst, HumanAgent, agent, check_agent, player_of
from halma.agents.mcts import TreeAgent
from halma.agents.minimax import MinimaxAgent
from halma.agents.registry import spec_of
from halma.errors import OptionError, UnknownAgentError
from halma.games import Game, Move, Record
from halma.search.analysis import Analysis
from halma.search.minimax import MAX_DEPTH

#: seconds of a search that is to go on until it is stopped
LONGEST = 600.0


@dataclass(frozen=True)
class SearchLimits:
    """What ends a search; without any, the agent's own limits do."""

    time: float | None = None
    simulations: int | None = None
    nodes: int | None = None
    depth: int | None = None

    @property
    def given(self) -> Mapping[str, float]:
        """The limits that are given, by name."""
        return {key: value for key, value in vars(self).items() if value is not None}


class AgentCache:
    """Agents by name and game, of one thread: searches cannot be shared by threads.

    With `most`, those that were not asked for longest are given up beyond that number.
    """

    def __init__(self, most: int | None = None) -> None:
        self._made: dict[tuple[str, Game], Agent] = {}
        self._most = most

    def player(self, name: str, record: Record, limits: SearchLimits) -> Agent:
        """Return the agent that plays in a record's position within some limits."""
        if (name, record.game) not in self._made:
            found = agent(name)
            if isinstance(found, HumanAgent):
                raise UnknownAgentError("'human' cannot answer a program: take another agent.")
            check_agent(found, record.game)  # also makes what copies of the agent share
            self._made[name, record.game] = found
        # Asked for last, kept longest.
        self._made[name, record.game] = made = self._made.pop((name, record.game))
        if self._most is not None and len(self._made) > self._most:
            del self._made[next(iter(self._made))]
        return limited(player_of(made, record), limits)


def limited(player: Agent, limits: SearchLimits) -> Agent:
    """Return an agent with other limits; one that does not search is as it was."""
    given = limits.given
    if isinstance(player, MinimaxAgent):
        _check(player.name, given, ("time", "nodes", "depth"))
        if not given:
            return player
        return replace(player, seconds=limits.time, nodes=limits.nodes, depth=limits.depth)
    if isinstance(player, TreeAgent):
        _check(player.name, given, ("time", "simulations"))
        if not given:
            return player
        return replace(player, seconds=limits.time, simulations=limits.simulations)
    return player


def check_trusted(name: str) -> None:
    """Refuse an agent that runs code of the user or another program.

    Those are named on the command line; lines of a protocol cannot.
    """
    spec = spec_of(name.partition(":")[0].strip())
    if spec is None or spec.foreign:
        raise UnknownAgentError(
            f"'{name[:60]}' cannot be chosen here: it is none of halma's own agents. "
            "Agents of yours are named on the command line, with --agent."
        )


def decide(player: Agent, record: Record, rng: random.Random) -> tuple[Move, Analysis | None]:
    """Return the move to play, and an analysis where that takes no longer."""
    if isinstance(player, MinimaxAgent) and not player.phases:
        analysis = player.analyse_best(record)
    elif isinstance(player, TreeAgent) and not player.temperature:
        analysis = player.analyse(record, rng)
    else:
        return player.choose(record, rng), None
    return analysis.best, analysis


def analyst(player: Agent) -> Analyst:
    """Return an agent that can analyse, or raise an error."""
    if not isinstance(player, Analyst):
        raise UnknownAgentError(f"'{player.name}' cannot analyse a position.")
    return player


def version() -> dict[str, str]:
    """Return the version of halma and how its core was built."""
    import halma

    return {"version": halma.__version__, "build": _core.build()}


def endless(player: Agent) -> SearchLimits:
    """Return limits that a search hardly reaches; a stop flag ends it."""
    if isinstance(player, MinimaxAgent):
        return SearchLimits(time=LONGEST, depth=MAX_DEPTH)
    return SearchLimits(time=LONGEST)


def _check(name: str, given: Mapping[str, float], known: tuple[str, ...]) -> None:
    for key in given:
        if key not in known:
            raise OptionError(f"'{name}' is limited by {' or '.join(known)}, not by '{key}'.")
