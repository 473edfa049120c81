"""Finding a game by its name: a variant, a class in a file or module, or an installed one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from halma import plugins
from halma.errors import HalmaError, PluginError, UnknownVariantError, suggestion
from halma.games import darkchess, draughts, einstein, frogs, sternhalma
from halma.games.family import Family
from halma.games.game import Game
from halma.names import Value, check_characters, join, resolve, split

_FAMILIES: list[Family] = [
    sternhalma.FAMILY,
    draughts.FAMILY,
    einstein.FAMILY,
    darkchess.FAMILY,
    frogs.FAMILY,
]

#: What `file.py:Class` and entry points must lead to.
WANTED = plugins.Wanted(
    "game",
    "halma.games",
    lambda thing: (
        isinstance(thing, Game | Family) or (isinstance(thing, type) and issubclass(thing, Game))
    ),
    "a game is a class that derives from halma.games.ScriptedGame",
)


def register(family: Family) -> None:
    """Register a family, so that its variants are found by name."""
    if family not in _FAMILIES:
        _FAMILIES.append(family)


def families() -> Iterator[Family]:
    """Return all known families, those of installed packages last."""
    yield from _FAMILIES
    yield from _installed()


def variant_names() -> list[str]:
    """Return the names of the well-known variants, family by family."""
    return [name for family in families() for name in family.variants]


def game(name: str) -> Game:
    """Return the game of a name.

    It is a variant, `game("rhombus-7x7-6:rules=liu2019")`, or a game of your own,
    `game("hexapawn.py")`, `game("hexapawn.py:Hexapawn")` or `game("package.module:Class")`.
    """
    check_characters(name)
    if plugins.is_file_reference(name):
        return _own(name)
    found = _find(name)
    if found is not None:
        return found
    if plugins.is_module_reference(name):
        return _own(name)
    raise _unknown(name, plugins.suggest_file(split(name, main="rules")[0]))


def variant(name: str) -> Game:
    """Return a variant that is known by name: unlike `game`, this looks at no file of the user."""
    found = _find(name)
    if found is None:
        raise _unknown(name)
    return found


def _find(name: str) -> Game | None:
    bare, given = split(name, main="rules")
    # Installed packages are asked last: looking for them takes time.
    built = (_build(family, bare, given) for family in families())
    return next((found for found in built if found is not None), None)


def _unknown(name: str, file: str = "") -> UnknownVariantError:
    """Return the error of a name; `file` is a suggestion that goes before those of variants."""
    bare = split(name, main="rules")[0]
    patterns = "; ".join(family.pattern for family in families())
    return UnknownVariantError(
        f"There is no variant '{bare[:60]}'.{file or suggestion(bare, variant_names())} "
        f"Names: {patterns}; a game of your own is FILE.py or FILE.py:CLASS."
    )


def short_name(name: str) -> str:
    """Return a variant's name by its rule set, if one has all of its options.

    `short_name("rhombus-7x7-6:win=fill")` is `rhombus-7x7-6:he2016`.
    """
    bare, colon, _ = name.partition(":")
    for family in families() if colon else ():
        for rules in family.presets:
            with suppress(HalmaError):
                if variant(f"{bare}:{rules}").name == name:
                    return f"{bare}:{rules}"
    return name


def _own(reference: str) -> Game:
    """Return the game of a class in a file or module."""
    found = plugins.find(reference, WANTED)
    if found is None:
        source = reference.partition(":")[0]
        raise UnknownVariantError(f"There is no variant and no module '{source[:60]}'.")
    if isinstance(found.thing, Family):
        raise UnknownVariantError(f"'{found.name}' is a family: register() makes it known by name.")
    built = _build(_family_of(found.thing, found.name), found.name, found.given)
    assert built is not None
    return built


@cache
def _installed() -> tuple[Family, ...]:
    """Return the families and games of installed packages."""
    found = []
    for name, entry in plugins.installed(WANTED).items():
        try:
            thing = plugins.load_entry(entry, WANTED)
        except PluginError as error:
            found.append(_broken(name, error))
        else:
            found.append(thing if isinstance(thing, Family) else _family_of(thing, name, name))
    return tuple(found)


def _broken(name: str, error: PluginError) -> Family:
    """Return a family without variants that raises an error where its name is asked for."""

    def refuse(bare: str, values: Mapping[str, Value]) -> None:
        if bare == name:
            raise error

    return Family(f"{name} (cannot be loaded)", name, {}, refuse)


def _family_of(thing: Any, name: str, identity: str = "") -> Family:
    """Return a family whose only variant is a class of the user, or an instance of one.

    The identity is by default what the class calls itself.
    """
    options = plugins.options_of(thing)

    def construct(bare: str, values: Mapping[str, Value]) -> Game | None:
        if bare != name:
            return None
        built: Game = plugins.build(thing, values, name)
        built.rename(name, join(identity or built.identity, values, options))
        return built

    about = (thing.__doc__ or "").strip().split("\n")[0]
    title = getattr(thing, "title", "") or type(thing).__name__
    return Family(title, name, {name: about}, construct, options)


def _build(family: Family, bare: str, given: Mapping[str, str]) -> Game | None:
    """Return a family's variant of a name and options; None if the name is another family's."""
    # Built with defaults first: options are checked only if the name is this family's.
    options = family.options_of(bare)
    found = family.build(bare, {option.key: option.default for option in options})
    if found is None or not given:
        return found
    values = resolve(bare, given, options, family.presets)
    built = family.build(bare, values)
    assert built is not None
    built.rename(join(found.name, values, options))
    return built
