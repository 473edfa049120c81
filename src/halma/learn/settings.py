"""Settings as typed classes: the meaning of a key, its range, and what papers used.

A section of a recipe is a frozen dataclass whose fields are made by `setting`. From the
class follow the check of a recipe (`read`), all keys (`declared`) and the commented
TOML that is kept with a run (`write`).
"""

from __future__ import annotations

import json
import math
import reprlib
import sys
import textwrap
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass, replace
from operator import attrgetter
from typing import Any, get_type_hints

from halma import _core
from halma.errors import RecipeError, suggestion

Plain = str | int | float | bool | tuple[str, ...]

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
class SearchRange:
    """The values of a setting that `halma tune` tries: an interval of numbers, or some values."""

    low: float = 0.0
    high: float = 0.0
    #: numbers are tried on a logarithmic scale
    log: bool = False
    values: tuple[str | int | float | bool, ...] = ()
    #: a setting of the same section, and its values with which this one is read; without any
    #: values, all but 0
    only_with: tuple[str, tuple[Plain, ...]] | None = None
    #: whether an iteration takes more or less time with another value
    changes_cost: bool = False
    #: whether a run keeps the value that it began with
    only_at_start: bool = False


@dataclass(frozen=True)
class About:
    """A setting's explanation, with what papers used, its range, and that of tuning."""

    help: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    search: SearchRange | None = None

    @property
    def comment(self) -> str:
        """The explanation and the choices, in one line."""
        return self.help + (f" One of {', '.join(self.choices)}." if self.choices else "")


def setting(
    default: Plain,
    help: str,
    allowed: tuple[float, float] | tuple[str, ...] = (-math.inf, math.inf),
    search: SearchRange | None = None,
) -> Any:
    """Declare a setting of a section; `allowed` is a number's range, or the choices of a text.

    `search` has the values that tuning tries; a setting without it is not tuned.
    """
    if isinstance(default, str) and isinstance(allowed[0], str):
        about = About(help, choices=allowed, search=search)
    else:
        low, high = allowed
        about = About(help, low, high, search=search)  # type: ignore[arg-type]
    return field(default=default, metadata={"about": about})


def section_from(
    options: Iterable[_core.OptionInfo],
    papers: Mapping[str, str],
    choices: Mapping[str, tuple[str, ...]] | None = None,
    search: Mapping[str, SearchRange] | None = None,
    **defaults: Plain,
) -> Any:
    """Return a class with a setting for every option that the core declares, to derive from.

    `papers` says what papers used. `defaults` and `choices` are given where they differ from the
    declaration's; `search` has the values that tuning tries.
    """
    entries = []
    for option in options:
        parts = [
            option.about,
            f"For {', '.join(option.rules)}." if option.rules else "",
            f"{papers[option.name]}." if option.name in papers else "",
        ]
        allowed: Any = (choices or {}).get(option.name) or tuple(option.choices)
        if not allowed:
            allowed = (option.low, option.high) if option.high else (-math.inf, math.inf)
        default: Any = defaults.get(option.name, option.default)
        tried = (search or {}).get(option.name)
        if tried is not None and option.rules:
            tried = replace(tried, only_with=("rule", tuple(option.rules)))
        made = setting(default, " ".join(filter(None, parts)), allowed, tried)
        entries.append((option.name, _OPTION_TYPES[option.type], made))
    return make_dataclass("DeclaredOptions", entries, frozen=True)


def declared(kind: type[Any]) -> dict[str, tuple[Any, About]]:
    """Return type and explanation of every key, with its section: `search.simulations`."""
    found: dict[str, tuple[Any, About]] = {}
    hints = get_type_hints(kind)
    for entry in fields(kind):
        hint = hints[entry.name]
        if is_dataclass(hint):
            inner = declared(hint)  # type: ignore[arg-type]
            found |= {f"{entry.name}.{key}": about for key, about in inner.items()}
        else:
            found[entry.name] = hint, entry.metadata["about"]
    return found


def read(kind: type[Any], given: Mapping[str, Any]) -> Any:
    """Return the settings of values by key, or raise a `RecipeError`; missing keys are defaults."""
    known = declared(kind)
    sections: dict[str, dict[str, Plain]] = {"": {}}
    for key, value in given.items():
        if key not in known:
            raise unknown(key, known)
        section, _, name = key.rpartition(".")
        sections.setdefault(section, {})[name] = _checked(*known[key], key, value)
    own, settings = sections.pop(""), kind()
    inner = {name: replace(getattr(settings, name), **sections[name]) for name in sections}
    return replace(settings, **own, **inner)


def flat(settings: Any) -> dict[str, Plain]:
    """Return all settings by their keys: `{"search.simulations": 800, ...}`."""
    return {key: attrgetter(key)(settings) for key in declared(type(settings))}


def from_text(kind: type[Any], key: str, text: str) -> Plain:
    """Read the value of a key as typed on a command line; semicolons separate a list."""
    known = declared(kind)
    if key not in known:
        raise unknown(key, known)
    wanted, about = known[key]
    if wanted is str:
        value: Any = text.strip().strip("\"'")
    elif wanted is bool:
        value = {"true": True, "false": False}.get(text.strip().lower(), text)
    elif wanted == Texts:
        value = [part.strip() for part in text.split(";") if part.strip()]
    else:
        value = text
        for convert in (int, float):
            with suppress(ValueError):
                value = convert(text)
                break
    return _checked(wanted, about, key, value)


def write(settings: Any) -> str:
    """Return settings as TOML, every key under a comment that explains it."""
    lines, current = [], ""
    for key, (_, about) in declared(type(settings)).items():
        section, _, name = key.rpartition(".")
        if section != current:
            lines += ["", f"[{section}]"]
            current = section
        lines += textwrap.wrap(about.comment, _WIDTH, initial_indent="# ", subsequent_indent="# ")
        lines.append(f"{name} = {write_value(attrgetter(key)(settings))}")
    return "\n".join(lines) + "\n"


def write_value(value: Plain) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return f"[{', '.join(map(write_value, value))}]"
    return repr(value)


def unknown(key: str, known: Iterable[str]) -> RecipeError:
    """Return the error about a key that does not exist, with the nearest that does."""
    # People forget the section more often than they misspell the key.
    last = key.rpartition(".")[2]
    same = [name for name in known if name.rpartition(".")[2] == last]
    if any(name.startswith(f"{key}.") for name in known):
        near = f" It is a section, [{key}]."
    else:
        near = f" Did you mean '{same[0]}'?" if same else suggestion(key, known)
    there_are = f" There are {', '.join(known)}."
    return RecipeError(f"There is no setting '{key[:60]}'.{near or there_are}")


def _checked(wanted: type[Any], about: About, key: str, value: Any) -> Plain:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if wanted is float and whole and abs(value) <= sys.float_info.max:
        value = float(value)
    if wanted == Texts:
        right = isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)
        value = tuple(value) if right else value
    else:
        right = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    if right and about.choices:
        right = value in about.choices
    elif right and wanted in (int, float):
        right = abs(value) != math.inf and about.low <= value <= about.high
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
    try:
        plain = isinstance(value, str | int | float)
        text = write_value(value) if plain else reprlib.repr(value)  # of any depth
    except ValueError:  # it has more digits than Python writes
        return "so large a number"
    return text if len(text) <= 40 else text[:37] + "..."
