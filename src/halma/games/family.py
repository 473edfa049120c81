"""A family: a set of variants that share rules, and how their names are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from halma.games.game import Game
from halma.names import Option, Value


@dataclass(frozen=True)
class Family:
    """How to recognise and build the variants of a family."""

    title: str
    #: how a variant's name looks, for people
    pattern: str
    #: well-known variants with a line each, for listings and conformance runs
    variants: Mapping[str, str]
    #: builds the variant of a bare name, or returns None when the name is another family's;
    #: takes the name and the resolved options
    build: Callable[[str, Mapping[str, Value]], Game | None]
    options: Sequence[Option] = ()
    #: named sets of options: a paper's rules
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
