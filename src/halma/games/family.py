"""A family: a set of variants that share rules, and how their names are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
    #: what a variant of this bare name changes of the options' defaults
    defaults: Callable[[str], Mapping[str, Value]] = lambda name: {}

    def options_of(self, name: str) -> list[Option]:
        """Return the options of a bare name with that variant's own defaults."""
        changed = self.defaults(name)
        return [replace(o, default=changed.get(o.key, o.default)) for o in self.options]
