"""What is known of an agent before its options are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halma import _core
from halma.agents.agent import Agent
from halma.names import Option, Value


@dataclass(frozen=True)
class AgentSpec:
    """An agent's name, its options and how one is made."""

    name: str
    #: a line for listings
    about: str
    #: takes the canonical name and the resolved options
    build: Callable[[str, Mapping[str, Value]], Agent]
    options: Sequence[Option] = ()
    #: the option that may stand bare
    main: str | None = None
    #: a name to try, where the bare one lacks something
    example: str = ""
    #: a key that takes everything after the colon as it is, such as a file's name
    rest: str | None = None


def declared_option(info: _core.OptionInfo, **changes: Any) -> Option:
    """Return an agent option for an option that the core declares; booleans are off and on."""
    about = changes.pop("about", info.about)
    default = changes.pop("default", info.default)
    if info.type == "bool":
        return Option(info.name, "on" if default else "off", about, choices=("off", "on"))
    if info.type == "choice":
        return Option(
            info.name, default, about, choices=changes.get("choices", tuple(info.choices))
        )
    return Option(
        info.name,
        "auto" if default is None else default,
        about,
        low=info.low,
        high=info.high,
        decimal=info.type == "float",
    )


def declared_value(info: _core.OptionInfo, value: Value) -> Any:
    """Return the core's value of an agent option made by `declared_option`."""
    if info.type == "bool":
        return value == "on"
    return None if value == "auto" else value
