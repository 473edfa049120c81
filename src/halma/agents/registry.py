"""Finding an agent by its name: one of halma's, of a file or module, or an installed one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from halma import plugins
from halma.agents import best, checkerboard, hub, human, mcts, minimax, q_network, racing, tables
from halma.agents.agent import Agent, AgentSpec
from halma.agents.own import WANTED, own_spec
from halma.errors import NameSyntaxError, UnknownAgentError, suggestion
from halma.names import check_characters, join, resolve, split

_SPECS = {
    spec.name: spec
    for spec in (
        best.SPEC,
        *racing.SPECS,
        mcts.SPEC,
        *minimax.SPECS,
        mcts.NET_SPEC,
        q_network.SPEC,
        *tables.SPECS,
        hub.SPEC,
        checkerboard.SPEC,
        human.SPEC,
    )
}


def register(spec: AgentSpec) -> None:
    """Make an agent known by name."""
    _SPECS[spec.name] = spec


def specs() -> Iterator[AgentSpec]:
    """Return the specs of all known agents."""
    return iter(_SPECS.values())


def spec_of(bare: str) -> AgentSpec | None:
    """Return the spec of an agent of halma's or of an installed package by its bare name."""
    return _SPECS.get(bare) or _installed(bare)


def agent(name: str) -> Agent:
    """Return the agent of a name.

    It is one of halma's, `agent("greedy:stochastic")`, or one of your own, `agent("mine.py")`,
    `agent("mine.py:MyAgent:depth=3")` or `agent("package.module:Class")`.
    """
    check_characters(name)
    first = name.partition(":")[0]
    known = _SPECS.get(first.strip())
    # The program of an engine may be a Python file, too: hub:ENGINE.py.
    if not (known and known.foreign) and plugins.is_file_reference(name):
        return _own(name)
    bare = split(first)[0]
    spec = spec_of(bare)
    if spec is None:
        if plugins.is_module_reference(name):
            return _own(name)
        raise _unknown(bare)
    if spec.no_path:
        path = name.partition(":")[2]
        if not path:
            raise NameSyntaxError(spec.no_path)
        return spec.build(name, {"path": path})
    return _build(spec, bare, split(name, main=spec.main)[1])


def _own(reference: str) -> Agent:
    """Return the agent of a class in a file or module."""
    found = plugins.find(reference, WANTED)
    if found is None:
        raise _unknown(reference.partition(":")[0])
    return _build(own_spec(found.thing, found.name), found.name, found.given)


def _installed(name: str) -> AgentSpec | None:
    """Return the spec of an agent that an installed package offers."""
    entry = plugins.installed(WANTED).get(name)
    return None if entry is None else own_spec(plugins.load_entry(entry, WANTED), name)


def _build(spec: AgentSpec, name: str, given: Mapping[str, str]) -> Agent:
    values = resolve(name, given, spec.options)
    return spec.build(join(name, values, spec.options, spec.main), values)


def _unknown(name: str) -> UnknownAgentError:
    names = [*_SPECS, *plugins.installed(WANTED)]
    return UnknownAgentError(
        f"There is no agent '{name[:60]}'."
        f"{plugins.suggest_file(name) or suggestion(name, names)} There are "
        f"{', '.join(names)}; one of your own is FILE.py or FILE.py:CLASS."
    )
