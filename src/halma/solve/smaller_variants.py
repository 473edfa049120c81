"""The largest smaller variant of a family that fits into memory, to name it in a refusal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from halma.errors import HalmaError
from halma.games import Game, families, game
from halma.solve.engines import engine_for

#: Names tried at most; each is built to see its size.
_MAX_NAMES = 1500


def largest_that_fits(asked: Game, memory: int) -> str:
    """Return a clause that names the largest smaller variant that fits, or an empty string."""
    best, size = None, 0
    for variant in _smaller_variants(asked):
        if variant.core.index_size <= size or variant == asked:
            continue
        engine = engine_for(variant, threads=1)
        if engine is not None and engine.bytes_needed <= memory:
            best, size = variant, variant.core.index_size
    if best is None:
        return ""
    return f"; the largest variant that fits is '{best.name}' with {size:,} positions"


def _smaller_variants(asked: Game) -> Iterator[Game]:
    """Yield variants whose name has smaller numbers, and the well-known ones of the family."""
    bare, colon, options = asked.name.partition(":")
    parts = re.split(r"(\d+)", bare)
    numbers = [int(number) for number in parts[1::2]]
    smaller = product(*(range(number, 0, -1) for number in numbers))
    names = []
    for chosen, _ in zip(smaller, range(_MAX_NAMES), strict=False):
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
