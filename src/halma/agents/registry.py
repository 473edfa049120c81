"""Finding an agent by its name."""

from __future__ import annotations

from collections.abc import Iterator

from halma.agents import (
    greedy,
    human,
    initialize,
    learned,
    lookahead,
    mcts,
    minimax,
    net,
    optimal,
    random,
    searching,
)
from halma.agents.agent import Agent
from halma.agents.kind import Kind
from halma.errors import UnknownAgentError, suggestion
from halma.names import join, resolve, split

_KINDS = {
    kind.name: kind
    for kind in (
        random.KIND,
        greedy.KIND,
        initialize.KIND,
        lookahead.KIND,
        mcts.KIND,
        minimax.KIND,
        *searching.KINDS,
        net.KIND,
        optimal.KIND,
        optimal.TABLE_KIND,
        learned.KIND,
        human.KIND,
    )
}


def register(kind: Kind) -> None:
    """Make a kind of agent known by name."""
    _KINDS[kind.name] = kind


def kinds() -> Iterator[Kind]:
    """Return all known kinds of agents."""
    return iter(_KINDS.values())


def agent(name: str) -> Agent:
    """Return the agent of this name, e.g. `agent("greedy:stochastic")`."""
    bare = split(name[:500].partition(":")[0])[0]
    kind = _KINDS.get(bare)
    if kind is None:
        raise UnknownAgentError(
            f"There is no agent '{bare[:60]}'.{suggestion(bare, _KINDS)} "
            f"There are {', '.join(_KINDS)}."
        )
    if kind.rest is not None:
        return kind.build(name, {kind.rest: name.partition(":")[2]})
    _, given = split(name[:500], main=kind.main)
    values = resolve(bare, given, kind.options)
    return kind.build(join(bare, values, kind.options), values)
