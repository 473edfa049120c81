"""Finding a variant by its name, or a game by its class in a module or file."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from halma.errors import HalmaError, UnknownVariantError, error_text, suggestion
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


def load(name: str) -> Game:
    """Return the variant of this name, or the game of `package.module:Class` or `file.py:Class`."""
    source, _, kind = name.strip().rpartition(":")
    if source.endswith(".py") or kind.endswith(".py"):
        if not kind.isidentifier():
            raise HalmaError(f"'{name}' does not say which class: write FILE.py:CLASS.")
        return _instance(_module_of_file(Path(source)), kind, name)
    try:
        return game(name)
    except UnknownVariantError as unknown:
        dotted = re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", source)
        if not dotted or not kind.isidentifier():
            raise
        module = _module_of_name(source)
        if module is None:
            raise HalmaError(f"There is no module '{source}'. {unknown}") from None
    return _instance(module, kind, name)


def _module_of_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise HalmaError(f"There is no file '{path}'.")
    spec = importlib.util.spec_from_file_location(str(path), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[str(path)] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise HalmaError(f"'{path}' cannot be run: {error_text(error)}.") from error
    return module


def _module_of_name(name: str) -> ModuleType | None:
    """Import a module, also from the working directory; None if there is none."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise HalmaError(f"'{name}' cannot be imported: {error}.") from error
    except Exception as error:
        raise HalmaError(f"'{name}' cannot be imported: {error_text(error)}.") from error
    finally:
        sys.path.remove(here)


def _instance(module: ModuleType, kind: str, name: str) -> Game:
    found = getattr(module, kind, None)
    if found is None:
        raise HalmaError(f"There is no '{kind}' in '{module.__name__}'.")
    if isinstance(found, Game):
        return found
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise HalmaError(f"'{kind}' is not a game: it does not derive from halma.Game.")
    build: Callable[[], Game] = found
    try:
        return build()
    except Exception as error:
        raise HalmaError(f"'{name}' cannot be built: {error_text(error)}.") from error
