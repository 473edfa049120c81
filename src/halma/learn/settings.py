"""Settings as typed classes: the meaning of a key, its range, and what papers used.

A section of a recipe is a frozen dataclass whose fields are made by `setting`. From the
class follow the check of a recipe (`read`), the names of all keys (`keys`) and the commented
TOML that is kept with a run (`write`).
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass
from typing import Any, TypeVar, get_type_hints

from halma import _core
from halma.errors import RecipeError, suggestion

Plain = str | int | float | bool | tuple[str, ...]
T = TypeVar("T")

#: The type of a setting that is a list.
Texts = tuple[str, ...]

_KINDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Texts: "a list of texts",
}
_OPTION_TYPES: dict[str, Any] = {"int": int, "float": float, "bool": bool, "choice": str}
_WIDTH = 92


@dataclass(frozen=True)
class About:
    """A setting's explanation and range."""

    help: str
    #: what papers used, for the reader
    papers: str = ""
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def comment(self) -> str:
        """The explanation, the choices and what papers used, in one line."""
        parts = [self.help]
        if self.choices:
            parts.append(f"One of {', '.join(self.choices)}.")
        if self.papers:
            parts.append(f"{self.papers}.")
        return " ".join(parts)


def setting(
    default: Plain,
    help: str,
    allowed: tuple[float, float] | tuple[str, ...] = (-math.inf, math.inf),
    papers: str = "",
) -> Any:
    """Declare a setting of a section; `allowed` is a number's range, or the choices of a text."""
    if isinstance(default, str) and isinstance(allowed[0], str):
        about = About(help, papers, choices=allowed)
    else:
        about = About(help, papers, *allowed)
    return field(default=default, metadata={"about": about})


def section_from(
    name: str,
    options: Iterable[_core.OptionInfo],
    papers: Mapping[str, str],
    choices: Mapping[str, tuple[str, ...]] | None = None,
    **defaults: Plain,
) -> Any:
    """Return a section with a setting for every option that the core declares.

    `defaults` and `choices` are given where they differ from the declaration's.
    """
    entries = []
    for option in options:
        default: Any = option.default
        allowed = (choices or {}).get(option.name) or tuple(option.choices)
        only = f" For {', '.join(option.rules)}." if option.rules else ""
        made = setting(
            defaults.get(option.name, default),
            option.about + only,
            allowed or ((option.low, option.high) if option.high else (-math.inf, math.inf)),
            papers.get(option.name, ""),
        )
        entries.append((option.name, _OPTION_TYPES[option.type], made))
    return make_dataclass(name, entries, frozen=True)


def read(kind: type[T], given: Mapping[str, Any]) -> T:
    """Return the settings of a mapping, or raise a `RecipeError`; missing keys are defaults."""
    return _read(kind, given, "", list(keys(kind)))


def keys(kind: type[Any], prefix: str = "") -> Iterator[str]:
    """Yield every key with its section: `search.simulations`."""
    hints = get_type_hints(kind)
    for entry in fields(kind):
        if is_dataclass(hints[entry.name]):
            yield from keys(hints[entry.name], f"{prefix}{entry.name}.")
        else:
            yield prefix + entry.name


def flat(settings: Any, prefix: str = "") -> dict[str, Plain]:
    """Return all settings by their keys: `{"search.simulations": 800, ...}`."""
    found: dict[str, Plain] = {}
    for entry in fields(settings):
        value = getattr(settings, entry.name)
        if is_dataclass(value):
            found |= flat(value, f"{prefix}{entry.name}.")
        else:
            found[prefix + entry.name] = value
    return found


def nested(flat_settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections of flat settings: the inverse of `flat`."""
    found: dict[str, Any] = {}
    for key, value in flat_settings.items():
        *sections, last = key.split(".")
        place = found
        for name in sections:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise RecipeError(f"'{key}' is asked for, but '{name}' is not a section.")
        place[last] = value
    return found


def from_text(kind: type[Any], key: str, text: str) -> Plain:
    """Read the value of a key as typed on a command line; semicolons separate a list."""
    known = list(keys(kind))
    if key not in known:
        raise unknown(key, known)
    wanted, about = _declared(kind, key)
    if wanted is str:
        value: Any = text.strip().strip("\"'")
    elif wanted is bool:
        value = {"true": True, "false": False}.get(text.strip().lower(), text)
    elif wanted == Texts:
        value = [part.strip() for part in text.split(";") if part.strip()]
    else:
        value = text
        for convert in (int, float):
            try:
                value = convert(text)
                break
            except ValueError:
                continue
    return _checked(wanted, about, key, value)


def write(settings: Any) -> str:
    """Return settings as TOML, every key under a comment that explains it."""
    return "\n".join(_lines(settings, "")) + "\n"


def write_value(value: Plain) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return f"[{', '.join(map(write_value, value))}]"
    return repr(value)


def unknown(key: str, known: list[str]) -> RecipeError:
    """Return the error about a key that does not exist, with the nearest that does."""
    # People forget the section more often than they misspell the key.
    last = key.rpartition(".")[2]
    same = [name for name in known if name.rpartition(".")[2] == last]
    sections = {name.rpartition(".")[0] for name in known if "." in name}
    near = f" Did you mean '{same[0]}'?" if same else suggestion(key, [*known, *sections])
    return RecipeError(f"There is no setting '{key[:60]}'.{near or ' There are ' + _list(known)}")


def _list(names: list[str]) -> str:
    return ", ".join(names) + "."


def _read(kind: type[T], given: Mapping[str, Any], prefix: str, known: list[str]) -> T:
    hints = get_type_hints(kind)
    entries = {entry.name: entry for entry in fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in given.items():
        key = prefix + name
        if name not in entries:
            raise unknown(key, known)
        wanted = hints[name]
        if is_dataclass(wanted):
            if not isinstance(value, Mapping):
                raise RecipeError(f"'{key}' cannot be {_show(value)}: it is a section, [{key}].")
            values[name] = _read(wanted, value, f"{key}.", known)  # type: ignore[arg-type]
        else:
            values[name] = _checked(wanted, entries[name].metadata["about"], key, value)
    return kind(**values)


def _declared(kind: type[Any], key: str) -> tuple[type[Any], About]:
    """Return the type of a known key, and its explanation and range."""
    *sections, last = key.split(".")
    for name in sections:
        kind = get_type_hints(kind)[name]
    entry = next(entry for entry in fields(kind) if entry.name == last)
    return get_type_hints(kind)[last], entry.metadata["about"]


def _checked(wanted: type[Any], about: About, key: str, value: Any) -> Plain:
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if wanted == Texts:
        right = isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)
        value = tuple(value) if right else value
    else:
        right = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    if right and about.choices:
        right = value in about.choices
    elif right and wanted in (int, float):
        right = math.isfinite(value) and about.low <= value <= about.high
    if right:
        found: Plain = value
        return found
    if about.choices:
        near = suggestion(value, about.choices) if isinstance(value, str) else ""
        allowed = f"it is one of {', '.join(about.choices)}.{near}"
    else:
        allowed = f"it is {_KINDS[wanted]}{_range(about)}."
    raise RecipeError(f"'{key}' cannot be {_show(value)}: {allowed}")


def _range(about: About) -> str:
    low = f" from {about.low:,.12g}" if about.low > -math.inf else ""
    return low + (f" to {about.high:,.12g}" if about.high < math.inf else "")


def _show(value: Any) -> str:
    text = write_value(value) if isinstance(value, str | int | float) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _lines(settings: Any, prefix: str) -> Iterator[str]:
    """Yield the lines of a section, its own keys before its sections, as TOML requires."""
    inner = [entry for entry in fields(settings) if is_dataclass(getattr(settings, entry.name))]
    for entry in fields(settings):
        if entry in inner:
            continue
        comment = entry.metadata["about"].comment
        yield from textwrap.wrap(comment, _WIDTH, initial_indent="# ", subsequent_indent="# ")
        yield f"{entry.name} = {write_value(getattr(settings, entry.name))}"
    for entry in inner:
        yield ""
        yield f"[{prefix}{entry.name}]"
        yield from _lines(getattr(settings, entry.name), f"{prefix}{entry.name}.")
