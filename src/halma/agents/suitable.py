"""Whether an agent can play a game, found out before anything is played, and agents that can."""

from __future__ import annotations

import random

from halma import _core
from halma.agents.agent import Agent, GameChecker
from halma.agents.registry import agent
from halma.errors import AgentError, HalmaError, UnknownAgentError, error_text
from halma.games import Game, Record

#: Quick agents to measure or teach others with, the preferred ones first; the last one plays
#: every game.
_QUICK = ("greedy", "minimax:depth=2", "expectimax:depth=2", "paranoid:depth=1", "mcts:sims=50")


def check_agent(player: Agent, game: Game) -> None:
    """Raise a `HalmaError` that says why an agent cannot play a game, if it cannot.

    Agents that search check it without searching; any other agent is asked for its first move.
    """
    try:
        if isinstance(player, GameChecker):
            player.check(game)
            return
        rng = random.Random(0)
        record = Record(game)
        record.roll(rng)
        if not record.is_over:
            player.choose(record, rng)
    except HalmaError:
        raise
    except OSError as error:
        raise UnknownAgentError(f"'{error.filename}': {error.strerror}.") from None
    except Exception as error:
        raise AgentError(f"Its first move fails with {error_text(error)}.") from error


def quick_agents(game: Game) -> list[str]:
    """Return quick agents that can play a game, the preferred ones first; there is one at least.

    Without features minimax sees nothing but results, so it is left out.
    """
    names = _QUICK if _core.default_weights(game.core) else (_QUICK[0], _QUICK[-1])
    return [name for name in names if _plays(name, game)]


def _plays(name: str, game: Game) -> bool:
    try:
        check_agent(agent(name), game)
    except HalmaError:
        return False
    return True
