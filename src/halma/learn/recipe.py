"""Recipes: a complete setting of a training run, in TOML.

A recipe names its method and overrides what it wants of that method's settings. It may
extend another recipe. `halma.recipes` holds those that come with the package:
`load("hsueh2023/ewn-3x3-3", {"search.simulations": 400})`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import halma
from halma.errors import RecipeError, suggestion
from halma.files import read_file
from halma.games import Game, game
from halma.learn import settings as typed
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.sections.common import OBSERVING
from halma.learn.sections.dqn import DqnSettings
from halma.learn.sections.tabular import TabularSettings
from halma.learn.settings import Plain
from halma.plugins import from_folder, is_file_reference, to_folder
from halma.structure import plain

#: Where the recipes are that come with the package.
FOLDER = Path(halma.__file__).parent / "recipes"
#: Longest chain of recipes that extend each other.
_MAX_DEPTH = 10
#: Largest file that may be a recipe, in bytes.
_MAX_SIZE = 1 << 17
#: Most dots outside comments: the time to read dotted keys grows with the square of their length.
_MAX_DOTS = 1500
#: Settings that name games and agents, which may be in files; some have several of them.
_OPPONENTS = ("evaluation.opponents", "selfplay.opponents")
_NAMES = ("game", "warm_start.agent", "play.opponent", *_OPPONENTS)

#: Methods of training, with what can be set of each.
METHODS: dict[str, type[TabularSettings] | type[AlphaZeroSettings] | type[DqnSettings]] = {
    "tabular": TabularSettings,
    "alphazero": AlphaZeroSettings,
    "dqn": DqnSettings,
}


@dataclass(frozen=True)
class Recipe:
    """Settings of a method, checked against its game; `name` is where they come from."""

    name: str
    method: str
    settings: Any

    @property
    def flat(self) -> dict[str, Plain]:
        """All settings by their keys, the method first."""
        return {"method": self.method, **typed.flat(self.settings)}

    @property
    def game(self) -> Game:
        """The variant."""
        return game(self.settings.game)

    def changed(self, changes: Mapping[str, Plain]) -> Recipe:
        """Return this recipe with other values of some keys, checked."""
        return checked(self.name, {**self.flat, **changes})

    def difference(self, other: Recipe) -> str | None:
        """Return a clause about the first setting that differs and changes what is learned."""
        theirs = other.flat
        for key, value in self.flat.items():
            if key not in theirs:
                return f"it has no '{key}'"
            if theirs[key] != value and not observes(key):
                there, here = typed.write_value(theirs[key]), typed.write_value(value)
                return f"'{key}' is {there} there and {here} here"
        return None

    def changes_from(self, other: Recipe) -> dict[str, Plain]:
        """Return the settings that differ from another recipe of the same method."""
        theirs = other.flat
        return {key: value for key, value in self.flat.items() if theirs.get(key) != value}

    def toml(self, folder: Path = Path()) -> str:
        """Return all settings as TOML with comments; `load` reads it from a file in the folder."""
        about = "# All settings of this run."
        flat = typed.flat(self.settings)
        named = {key: _renamed(key, value, to_folder, folder) for key, value in flat.items()}
        settings = typed.read(METHODS[self.method], named)
        return f"{about}\nmethod = {typed.write_value(self.method)}\n{typed.write(settings)}"


def load(name: str, changes: Mapping[str, Plain] | None = None) -> Recipe:
    """Return the recipe of a name or in a file, with changes; all of it is checked."""
    return checked(name, {**_merged(name, None, 0), **(changes or {})})


def names() -> list[str]:
    """Return the names of the recipes that come with the package."""
    files = FOLDER.rglob("*.toml")
    return sorted(str(path.relative_to(FOLDER).with_suffix("").as_posix()) for path in files)


def observes(key: str) -> bool:
    """Whether a setting does not change what is learned, so that a run may go on with another."""
    return key.partition(".")[0] in OBSERVING


def parse_changes(recipe: Recipe, texts: Iterable[str]) -> dict[str, Plain]:
    """Read `key=value` texts, as after `--set`."""
    kind = METHODS[recipe.method]
    changes: dict[str, Plain] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            raise RecipeError(f"'{text[:60]}' is not of the form key=value.")
        if key in changes:
            raise RecipeError(f"'{key}' is set twice.")
        changes[key] = typed.from_text(kind, key, value)
    return changes


def checked(name: str, given: Mapping[str, Any]) -> Recipe:
    """Return the recipe of some values by key, the method among them."""
    values = dict(given)
    method = values.pop("method", None)
    if not isinstance(method, str) or method not in METHODS:
        said = "does not say" if method is None else f"cannot have {str(method)[:40]!r} for"
        near = suggestion(method, METHODS) if isinstance(method, str) else ""
        raise RecipeError(
            f"The recipe '{name}' {said} its 'method': it is one of {', '.join(METHODS)}.{near}"
        )
    try:
        settings = typed.read(METHODS[method], values)
        chosen = game(settings.game)
        if is_file_reference(settings.game):
            settings = replace(settings, game=chosen.name)
        settings.check(chosen)
    except RecipeError as error:
        raise RecipeError(f"Recipe '{name}': {error}") from None
    return Recipe(name, method, settings)


def _merged(name: str, beside: Path | None, depth: int) -> dict[str, Any]:
    """Return the values of a recipe by key, on top of those that it extends."""
    path = _find(name, beside)
    if depth > _MAX_DEPTH:
        raise RecipeError(f"The recipe '{name}' extends itself in the end.")
    content = read_file(path, _MAX_SIZE, RecipeError)
    lines = (line for line in content.split(b"\n") if not line.startswith(b"#"))
    if sum(line.count(b".") for line in lines) > _MAX_DOTS:
        raise RecipeError(f"'{path}' is not a recipe: it has more than {_MAX_DOTS:,} dots.")
    try:
        given = tomllib.loads(content.decode())
    except ValueError as error:  # also of a number with thousands of digits
        raise RecipeError(f"'{path}' is not TOML: {error}.") from None
    except RecursionError:
        raise RecipeError(f"'{path}' is not a recipe: it is nested too deeply.") from None
    if fault := plain(given):
        raise RecipeError(f"'{path}' is not a recipe: it {fault}.")
    parent = given.pop("extends", None)
    if parent is None:
        return _read(given, path.parent)
    if not isinstance(parent, str):
        raise RecipeError(f"In '{path}', 'extends' is not the name of a recipe.")
    return _merged(parent, path.parent, depth + 1) | _read(given, path.parent)


def _read(given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the values of a recipe in a folder by key; files that it names may be beside it."""
    return {key: _renamed(key, value, from_folder, folder) for key, value in _flat(given).items()}


def _renamed(key: str, value: Any, rename: Callable[[str, Path], str], folder: Path) -> Any:
    """Return a setting with the names of games and agents in it as a folder needs them."""
    if key not in _NAMES or not isinstance(value, str):
        return value
    if key in _OPPONENTS:
        return " ".join(rename(name, folder) for name in value.split())
    return rename(value, folder)


def _flat(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a TOML document by key: `search.simulations`; sections do not nest."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, dict):
            found |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            found[name] = value
    return found


def _find(name: str, beside: Path | None) -> Path:
    """Return the file of a recipe: `x.toml` is a path, any other name one of the package's."""
    if name.endswith(".toml"):
        path = Path(name) if beside is None else beside / name
        if not path.is_file():
            raise RecipeError(f"There is no recipe '{path}'.")
        return path
    known = names()
    if name not in known:
        raise RecipeError(
            f"There is no recipe '{name[:60]}'.{suggestion(name, known)} "
            f"There are {', '.join(known)}; a file's name ends in .toml."
        )
    return FOLDER / f"{name}.toml"
