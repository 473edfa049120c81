"""What families are made of: variants that share rules, and the notation of their positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from halma.errors import PositionError
from halma.games.game import Game
from halma.names import Option, Value

#: A size in a name, as part of a regular expression: without zeros in front, and in no other
#: digits than these, so that a variant has one name.
SIZE = "(0|[1-9][0-9]{0,2})"


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
    #: the page of its rules in docs/rules, without its suffix
    page: str = ""
    #: defaults of options that differ for the variant of a bare name
    defaults: Callable[[str], Mapping[str, Value]] = lambda name: {}

    def options_of(self, name: str) -> list[Option]:
        """Return the options of a bare name with that variant's defaults."""
        changed = self.defaults(name)
        return [replace(o, default=changed.get(o.key, o.default)) for o in self.options]


# Notation: fields of a position, rows of a board, glyphs of pieces.


def split_fields(text: str, counts: Sequence[int], contents: str, example: str) -> list[str]:
    """Split a position at spaces; `counts` are the numbers of fields it may have."""
    fields = text.split()
    if len(fields) not in counts:
        raise PositionError(
            f"A position is {contents}, such as '{example}'; this one has {len(fields)} parts."
        )
    return fields


def choice(text: str, choices: Sequence[str], subject: str) -> int:
    """Return the index of a field's text among its possible texts."""
    if text not in tuple(choices):
        *most, last = [f"'{each}'" for each in choices]
        raise PositionError(f"The {subject} is {', '.join(most)} or {last}, not '{text[:20]}'.")
    return choices.index(text)


def join_rows(glyphs: str, lengths: Sequence[int]) -> str:
    """Write a board row by row, `/` between rows."""
    return "/".join(glyphs[a:b] for a, b in pairwise(accumulate(lengths, initial=0)))


def split_rows(text: str, lengths: Sequence[int], rows: str = "rows") -> str:
    """Return the glyphs of a board written by `join_rows`; `rows` is what rows are called."""
    parts = text.split("/")
    if [len(part) for part in parts] != list(lengths):
        if len(set(lengths)) == 1:
            raise PositionError(f"The board must have {len(lengths)} {rows} of {lengths[0]} cells.")
        raise PositionError(f"The board must have {rows} of {', '.join(map(str, lengths))} cells.")
    return "".join(parts)


class Glyphs:
    """The characters of the core's piece numbers."""

    def __init__(self, glyphs: Mapping[int, str], expected: str) -> None:
        self._glyphs = glyphs
        self._pieces = {glyph: piece for piece, glyph in glyphs.items()}
        self._expected = expected

    def __getitem__(self, piece: int) -> str:
        return self._glyphs[piece]

    def piece(self, glyph: str) -> int:
        """Return the piece number of a character, or raise a `PositionError`."""
        if glyph not in self._pieces:
            raise PositionError(f"'{glyph}' is neither {self._expected}.")
        return self._pieces[glyph]
