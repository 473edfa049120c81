"""Finding an agent by its name."""

from __future__ import annotations

from collections.abc import Iterator

from halma.agents import best, human, mcts, minimax, racing, tables
from halma.agents.agent import Agent, AgentSpec
from halma.errors import NameSyntaxError, UnknownAgentError, suggestion
from halma.names import join, resolve, split

_SPECS = {
    spec.name: spec
    for spec in (
        best.SPEC,
        *racing.SPECS,
        mcts.SPEC,
        *minimax.SPECS,
        mcts.NET_SPEC,
        *tables.SPECS,
        human.SPEC,
    )
}


def register(spec: AgentSpec) -> None:
    """Make an agent known by name."""
    _SPECS[spec.name] = spec


def specs() -> Iterator[AgentSpec]:
    """Return the specs of all known agents."""
    return iter(_SPECS.values())


def spec_of(name: str) -> AgentSpec:
    """Return the spec of an agent by its name, with or without options."""
    bare = split(name[:500].partition(":")[0])[0]
    spec = _SPECS.get(bare)
    if spec is None:
        raise UnknownAgentError(
            f"There is no agent '{bare[:60]}'.{suggestion(bare, _SPECS)} "
            f"There are {', '.join(_SPECS)}."
        )
    return spec


def agent(name: str) -> Agent:
    """Return the agent of this name, e.g. `agent("greedy:stochastic")`."""
    spec = spec_of(name)
    bare = spec.name
    if spec.no_path:
        path = name.partition(":")[2]
        if not path:
            raise NameSyntaxError(spec.no_path)
        return spec.build(name, {"path": path})
    _, given = split(name[:500], main=spec.main)
    values = resolve(bare, given, spec.options)
    return spec.build(join(bare, values, spec.options), values)
