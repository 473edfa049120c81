"""Games and agents of the user: classes in files, in modules and in installed packages.

A reference is `file.py:Class` or `package.module:Class`, or `file.py` alone where the file has
one class of the wanted kind. Options may follow: `file.py:Class:depth=3,rate=0.5` are keyword
arguments of the class. Installed packages offer classes through entry points.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from halma.errors import PluginError, error_text
from halma.names import Option, Value, split

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_FILE = re.compile(r"(?P<source>.+?\.py)(:(?P<cls>[^:]*)(:(?P<options>.*))?)?", re.DOTALL)
_MODULE = re.compile(
    r"(?P<source>[^\W\d]\w*(\.[^\W\d]\w*)*):(?P<cls>[^\W\d]\w*)(:(?P<options>.*))?", re.DOTALL
)
#: Options of the user's classes have no declared range.
_LARGEST = 1e12
#: Longest part of a wrong name that is shown.
_LONGEST_NAME = 100
_PACKAGE = Path(__file__).parent
#: Where the core calls the methods of games in Python.
_BRIDGE = _PACKAGE / "games" / "bridge.py"

#: Folders and files with code of the user, from which errors are explained.
_roots: set[Path] = set()
#: Modules of files, with the time of the file's last change.
_modules: dict[Path, tuple[int, ModuleType]] = {}


@dataclass(frozen=True)
class Wanted:
    """What a reference should lead to."""

    #: the noun for messages
    noun: str
    #: group of entry points
    group: str
    #: whether a class or an instance is one
    accepts: Callable[[Any], bool]
    #: a clause that says what it is
    definition: str


@dataclass(frozen=True)
class Found:
    """What a reference leads to."""

    #: the reference with its class and without options; it can be loaded again
    name: str
    #: a class or an instance
    thing: Any
    #: options as text
    given: dict[str, str]


def find(reference: str, wanted: Wanted) -> Found | None:
    """Return what a reference leads to; None if it is not one, or if there is no such module."""
    reference = reference.strip()
    if match := _FILE.fullmatch(reference):
        path = _expanded(match["source"])
        module = _module_of_file(path)
        source = display_path(path)
    elif match := _MODULE.fullmatch(reference):
        source = match["source"]
        found = _module_of_name(source)
        if found is None:
            return None
        module = found
    else:
        return None
    cls, options = match["cls"] or _only_class(module, source, wanted), match["options"]
    thing = getattr(module, cls, None)
    if thing is None:
        names = ", ".join(_classes(module, wanted))
        has = f" It has {names}." if names else f" It has no {wanted.noun}."
        raise PluginError(f"There is no '{cls}' in '{source}'.{has}")
    _check(thing, f"{source}:{cls}", wanted)
    return Found(f"{source}:{cls}", thing, split(f"{cls}:{options}")[1] if options else {})


def suggest_file(name: str) -> str:
    """Return ` Did you mean 'x.py'?` if a file here has this name without its suffix."""
    file = f"{name.rpartition('.')[0] or name}.py" if name.isprintable() else ""
    return f" Did you mean '{file}'?" if os.path.isfile(file) else ""


def installed(wanted: Wanted) -> dict[str, EntryPoint]:
    """Return the entry points through which installed packages offer things, by name."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in sorted(entry_points(group=wanted.group))}


def load_entry(entry: EntryPoint, wanted: Wanted) -> Any:
    """Return what an entry point refers to, of the wanted kind."""
    try:
        with redirect_stdout(sys.stderr):
            thing = entry.load()
    except (Exception, SystemExit) as error:
        package = entry.dist.name if entry.dist is not None else entry.module
        what = f"The {wanted.noun} '{entry.name}' of '{package}'"
        raise PluginError(f"{what} cannot be loaded: {error_text(error)}.") from error
    _add_root(sys.modules.get(entry.module))
    _check(thing, entry.name, wanted)
    return thing


def is_file_reference(text: str) -> bool:
    """Whether a text is a reference to a Python file."""
    return _FILE.fullmatch(text.strip()) is not None


def is_module_reference(text: str) -> bool:
    """Whether a text has the form of a reference to a class in a module."""
    return _MODULE.fullmatch(text.strip()) is not None


def from_folder(name: str, folder: Path) -> str:
    """Return a name that was written in a folder as it is written in this directory.

    The path of a file starts at the folder, or in this directory if there is no such file.
    Other names are returned as they are.
    """
    match = _FILE.fullmatch(name.strip())
    if match is None:
        return name
    path = _expanded(match["source"])
    found = folder / path if os.path.isfile(folder / path) else path
    return display_path(found) + name.strip()[match.end("source") :]


def to_folder(name: str, folder: Path) -> str:
    """Return a name as it is to be written in a folder; `from_folder` reads it there."""
    match = _FILE.fullmatch(name.strip())
    if match is None:
        return name
    path = _expanded(match["source"])
    return os.path.relpath(path, folder) + name.strip()[match.end("source") :]


def options_of(thing: Any) -> list[Option]:
    """Return the options of a class: the keyword arguments that have a plain default."""
    try:
        parameters = inspect.signature(thing).parameters if isinstance(thing, type) else {}
    except ValueError:  # a class that is written in C
        parameters = {}
    options = []
    for parameter in parameters.values():
        default = parameter.default
        if isinstance(default, bool):
            words = ("false", "true")
            options.append(Option(parameter.name, words[default], "", choices=words))
        elif isinstance(default, str):
            options.append(Option(parameter.name, default, "", text=True))
        elif isinstance(default, int | float):
            decimal = isinstance(default, float)
            options.append(
                Option(parameter.name, default, "", (), -_LARGEST, _LARGEST, decimal=decimal)
            )
    return options


def build(thing: Any, values: Mapping[str, Value], name: str) -> Any:
    """Return an instance of a class with these options; an instance is returned as it is."""
    if not isinstance(thing, type):
        return thing
    flags = {option.key for option in options_of(thing) if option.choices}
    arguments = {key: value == "true" if key in flags else value for key, value in values.items()}
    try:
        with redirect_stdout(sys.stderr):
            return thing(**arguments)
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"'{name}' cannot be built: {explain(error) or error_text(error)}."
        ) from error


def explain(error: BaseException) -> str | None:
    """Return where in the user's code an error comes from, and what it is; None if elsewhere.

    It has no full stop at the end: `mine.py, line 12, in choose: KeyError: 'a1'`.
    """
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if _is_users(code.co_filename):
            function = f", in {code.co_name}" if code.co_name != "<module>" else ""
            place = f"{display_path(Path(code.co_filename))}, line {line}{function}"
        elif Path(code.co_filename) == _BRIDGE and hasattr(frame.f_locals.get("self"), "game"):
            # What a method of a game returned is wrong, and the method is no longer running.
            kind = type(frame.f_locals["self"].game)
            where = display_path(Path(inspect.getfile(kind)))
            place = f"{where}, {kind.__name__}.{code.co_name.lstrip('_')}()"
    if place is None:
        return None
    return f"{place}: {error_text(error)}"


def display_path(path: Path) -> str:
    """Return a path relative to this directory if it is below it, or else in full."""
    full, here = Path(os.path.abspath(path)), Path.cwd()
    return str(full.relative_to(here) if full.is_relative_to(here) else full)


def _expanded(source: str) -> Path:
    """Return a path with `~` replaced, unless no user has that name."""
    try:
        return Path(source).expanduser()
    except (RuntimeError, ValueError):
        return Path(source)


def _module_of_file(path: Path) -> ModuleType:
    if not os.path.isfile(path):
        raise PluginError(f"There is no file '{str(path)[:_LONGEST_NAME]}'.")
    full, changed = path.resolve(), path.stat().st_mtime_ns
    if full in _modules and _modules[full][0] == changed:
        return _modules[full][1]
    spec = spec_from_file_location(str(full), full)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look their module up
    _roots.add(full.parent)
    # Last, so that a file beside it cannot hide a module that others import.
    if str(full.parent) not in sys.path:
        sys.path.append(str(full.parent))
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise PluginError(
            f"'{path}' cannot be run: {explain(error) or error_text(error)}."
        ) from error
    _modules[full] = changed, module
    return module


def _module_of_name(name: str) -> ModuleType | None:
    """Import a module, also from the working directory; None if there is none."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        with redirect_stdout(sys.stderr):
            module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise PluginError(f"'{name}' cannot be imported: {error}.") from error
    except (Exception, SystemExit) as error:
        raise PluginError(f"'{name}' cannot be imported: {error_text(error)}.") from error
    finally:
        sys.path.remove(here)
    _add_root(module)
    return module


def _add_root(module: ModuleType | None) -> None:
    """Remember where a module's code is: its file, or the folder of its package."""
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return
    depth = module.__name__.count(".") + hasattr(module, "__path__")
    path = Path(file).resolve()
    _roots.add(path.parents[depth - 1] if depth else path)


def _is_users(filename: str) -> bool:
    path = Path(filename)
    return not path.is_relative_to(_PACKAGE) and any(
        path.is_relative_to(root) and "site-packages" not in path.relative_to(root).parts
        for root in _roots
    )


def _classes(module: ModuleType, wanted: Wanted) -> list[str]:
    """Return the names of the wanted classes that a module defines itself."""
    found = {
        name: thing
        for name, thing in vars(module).items()
        if isinstance(thing, type)
        and thing.__module__ == module.__name__
        and not name.startswith("_")
        and wanted.accepts(thing)
    }
    # A base class is not meant, unless all are: then building it says which methods are missing.
    return [name for name, thing in found.items() if not inspect.isabstract(thing)] or [*found]


def _only_class(module: ModuleType, source: str, wanted: Wanted) -> str:
    names = _classes(module, wanted)
    if not names:
        raise PluginError(f"There is no {wanted.noun} in '{source}': {wanted.definition}.")
    if len(names) > 1:
        raise PluginError(
            f"'{source}' has several classes that may be meant: write "
            f"{' or '.join(f'{source}:{name}' for name in names[:4])}."
        )
    return names[0]


def _check(thing: Any, name: str, wanted: Wanted) -> None:
    if not wanted.accepts(thing):
        raise PluginError(f"'{name}' does not give the {wanted.noun} wanted: {wanted.definition}.")
