"""A kind of agent, before its options are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from halma.agents.agent import Agent
from halma.names import Option, Value


@dataclass(frozen=True)
class Kind:
    """A kind of agent: how its name looks and how one is made."""

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
    #: a key that takes all that stands after the colon as it is, such as a file's name
    rest: str | None = None
