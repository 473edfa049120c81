"""Finding a variant by its name."""

from __future__ import annotations

from collections.abc import Iterator

from halma.errors import UnknownVariantError, suggestion
from halma.games import darkchess, draughts, einstein, frogs, sternhalma
from halma.games.family import Family
from halma.games.game import Game
from halma.names import join, resolve, split

_FAMILIES: list[Family] = [
    sternhalma.FAMILY,
    draughts.FAMILY,
    einstein.FAMILY,
    darkchess.FAMILY,
    frogs.FAMILY,
]


def register(family: Family) -> None:
    """Register a family, so that its variants are found by name."""
    if family not in _FAMILIES:
        _FAMILIES.append(family)


def families() -> Iterator[Family]:
    """Return all known families."""
    return iter(_FAMILIES)


def variant_names() -> list[str]:
    """Return the names of the well-known variants, family by family."""
    return [name for family in _FAMILIES for name in family.variants]


def game(name: str) -> Game:
    """Return the variant of this name, e.g. `game("rhombus-7x7-6:rules=liu2019")`."""
    bare, given = split(name[:500], main="rules")
    for family in _FAMILIES:
        # Built with defaults first: options are checked only if the name is this family's.
        options = family.options_of(bare)
        defaults = {option.key: option.default for option in options}
        found = family.build(bare, defaults)
        if found is None:
            continue
        if not given:
            return found
        values = resolve(bare, given, options, family.presets)
        built = family.build(bare, values)
        assert built is not None
        built.name = join(found.name, values, options)
        return built
    patterns = "; ".join(family.pattern for family in _FAMILIES)
    raise UnknownVariantError(
        f"There is no variant '{bare[:60]}'.{suggestion(bare, variant_names())} Names: {patterns}."
    )
