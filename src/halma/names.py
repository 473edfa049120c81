"""The grammar of variant and agent names: `name:key=value,key=value`.

The key of one main option may be left out: `rhombus-7x7-6:liu2019` is
`rhombus-7x7-6:rules=liu2019`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halma.errors import NameSyntaxError, OptionError, suggestion

Value = str | int | float

#: characters of a name, which may have the path of a file in it
_LONGEST = 4000


@dataclass(frozen=True)
class Option:
    """An option of a name: a choice of words, a number in a range, a list of numbers, or text."""

    key: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 0
    #: whether the number may have a fraction
    decimal: bool = False
    #: whether the value is a list of numbers separated by slashes, such as -1/0.5/2
    series: bool = False
    #: whether the value is any text without commas, such as a file name
    text: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return key, default, help and the values allowed, for JSON."""
        allowed: dict[str, Any] = {}
        if self.choices:
            allowed = {"choices": list(self.choices)}
        elif not self.text:
            allowed = {"low": self.low, "high": self.high}
        return {"key": self.key, "default": self.default, "help": self.help, **allowed}

    def size(self, value: Value) -> float:
        """Return a number by which two values are compared: of a choice, its place in the list."""
        return self.choices.index(str(value)) if self.choices else float(value)

    def parse(self, text: str) -> Value:
        """Return the value, or raise an `OptionError` that lists the values allowed."""
        if self.choices:
            if text not in self.choices:
                allowed = ", ".join(self.choices)
                raise OptionError(
                    f"'{self.key}' cannot be '{text}': it is one of {allowed}."
                    + suggestion(text, self.choices)
                )
            return text
        if self.text:
            return text
        if self.series:
            for part in text.split("/"):
                self._number(part, text)
            return text
        return self._number(text, text)

    def _number(self, text: str, whole: str) -> float:
        """Return the number that `text`, the value `whole` or an element of it, stands for."""
        read = float if self.decimal else int
        try:
            number = read(text) if len(text) <= 12 else None
        except ValueError:
            number = None
        if number is None or not self.low <= number <= self.high:
            kind = "number" if self.decimal else "whole number"
            what = f"it is {kind}s" if self.series else f"it is a {kind}"
            raise OptionError(
                f"'{self.key}' cannot be '{whole[:40]}': {what} from {self.low} to {self.high}"
                + (" with slashes between them." if self.series else ".")
            )
        return number


def check_characters(name: str) -> None:
    """Raise a `NameSyntaxError` if a name has control characters, which are never meant."""
    if any(unicodedata.category(c) == "Cc" for c in name.strip()):
        raise NameSyntaxError(f"'{name}' has control characters.")


def split(text: str, main: str | None = None) -> tuple[str, dict[str, str]]:
    """Split `name:key=value,...` into the name and its options as text.

    `main` is the key of a first option given without one.
    """
    if len(text) > _LONGEST:
        raise NameSyntaxError(f"'{text[:40]}...' is too long to be a name.")
    name, colon, rest = text.strip().partition(":")
    if not name:
        raise NameSyntaxError(f"'{text}' has no name before the colon.")
    given: dict[str, str] = {}
    if not colon:
        return name, given
    for number, part in enumerate(rest.split(",")):
        key, equals, value = part.partition("=")
        key, value = key.strip(), value.strip()
        if not equals and main is not None and number == 0:
            key, value = main, key
        if not key or not value:
            raise NameSyntaxError(f"'{part}' in '{text}' is not of the form key=value.")
        if key in given:
            raise NameSyntaxError(f"'{key}' is given twice in '{text}'.")
        given[key] = value
    return name, given


def resolve(
    name: str,
    given: Mapping[str, str],
    options: Sequence[Option],
    presets: Mapping[str, Mapping[str, Value]] | None = None,
) -> dict[str, Value]:
    """Return the value of every option: its default, overridden by a preset, then by `given`."""
    presets = presets or {}
    known = {option.key: option for option in options}
    values: dict[str, Value] = {option.key: option.default for option in options}
    keys = [*known, "rules"] if presets else list(known)
    for key in given:
        if key not in keys:
            have = f"It has {', '.join(keys)}." if keys else "It has no options."
            raise OptionError(f"'{name}' has no option '{key}'. {have}{suggestion(key, keys)}")
    if presets and "rules" in given:
        preset = given["rules"]
        if preset not in presets:
            raise OptionError(
                f"'{name}' has no rules '{preset}': it has {', '.join(presets)}."
                + suggestion(preset, presets)
            )
        values.update(presets[preset])
    for key, text in given.items():
        if key != "rules" or not presets:
            values[key] = known[key].parse(text)
    return values


def join(
    name: str, values: Mapping[str, Value], options: Sequence[Option], main: str | None = None
) -> str:
    """Return the canonical name: the options that differ from their defaults, in declared order.

    A text of the `main` option, which is the first, is written without its key.
    """
    parts = [_pair(o, values[o.key], main) for o in options if values[o.key] != o.default]
    return f"{name}:{','.join(parts)}" if parts else name


def _pair(option: Option, value: Value, main: str | None) -> str:
    text = f"{value:.12g}" if isinstance(value, float) else str(value)
    bare = option.text and option.key == main and "=" not in text
    return text if bare else f"{option.key}={text}"
