"""A family: variants that share rules, and the parser of their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from halma.games.game import Game
from halma.names import Option, Value


@dataclass(frozen=True)
class Family:
    """The variants of a family: their names, options and constructor."""

    title: str
    #: form of a variant's name, for help texts
    pattern: str
    #: well-known variants with a description each
    variants: Mapping[str, str]
    #: takes a bare name and resolved options; returns the variant, or None if the name is
    #: another family's
    build: Callable[[str, Mapping[str, Value]], Game | None]
    options: Sequence[Option] = ()
    #: named sets of options: a paper's rules
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    #: defaults of options that differ for the variant of a bare name
    defaults: Callable[[str], Mapping[str, Value]] = lambda name: {}

    def options_of(self, name: str) -> list[Option]:
        """Return the options of a bare name with that variant's defaults."""
        changed = self.defaults(name)
        return [replace(o, default=changed.get(o.key, o.default)) for o in self.options]
