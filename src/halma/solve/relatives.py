"""Smaller variants of the same family, for people who asked for too much."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from halma.errors import HalmaError
from halma.games import Game, families, game

#: Names tried at most; each is built to see how large it is.
_MOST = 1500


def largest_relative(asked: Game, memory: int) -> str:
    """Return a clause that names the largest smaller relative that fits, or nothing."""
    from halma.solve.engines import ENGINES

    best, size = None, 0
    for relative in _relatives(asked):
        if relative.core.index_size <= size or relative == asked:
            continue
        engine = next((kind(relative, 1) for kind in ENGINES if kind.suits(relative, None)), None)
        if engine is not None and engine.bytes_needed <= memory:
            best, size = relative, relative.core.index_size
    if best is None:
        return ""
    return f"; the largest relative that fits is '{best.name}' with {size:,} positions"


def _relatives(asked: Game) -> Iterator[Game]:
    """Yield variants whose name has smaller numbers, and the well-known ones of the family."""
    bare, colon, options = asked.name.partition(":")
    parts = re.split(r"(\d+)", bare)
    numbers = [int(number) for number in parts[1::2]]
    smaller = product(*(range(number, 0, -1) for number in numbers))
    names = []
    for chosen, _ in zip(smaller, range(_MOST), strict=False):
        parts[1::2] = map(str, chosen)
        names.append("".join(parts))
    for family in families():
        if family.title == asked.title:
            names += family.variants
    for name in dict.fromkeys(names):
        try:
            yield game(f"{name}{colon}{options}")
        except HalmaError:
            continue
