"""Loading a game by variant name, or from a class in a module or file."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from halma.errors import HalmaError, UnknownVariantError, error_text
from halma.games.game import Game
from halma.games.registry import game


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
