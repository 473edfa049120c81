"""The search space: settings of a recipe and the values that are tried of each."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from halma.errors import RecipeError
from halma.learn.recipe import METHODS, Recipe
from halma.learn.settings import Plain, SearchRange, declared, from_text, unknown, write_value

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial

#: Significant digits of a number that is tried: enough to tune, few enough to read.
_DIGITS = 4
#: What perturbing multiplies a number on a logarithmic scale with; on a linear one, the share of
#: the range that is added. Both are as likely as their opposites.
_FACTOR, _STEP = 1.25, 0.1
#: Probability that perturbing draws a new value instead.
_REDRAWN = 0.25


@dataclass(frozen=True)
class TunedKey:
    """A setting that is tuned."""

    key: str
    #: int, float, bool or str
    kind: type
    range: SearchRange
    #: the recipe's own value
    default: Plain

    @property
    def text(self) -> str:
        """The range, as a person would type it."""
        if self.range.values:
            return ",".join(_plain_text(value) for value in self.range.values)
        ends = f"{_number(self.kind, self.range.low)}..{_number(self.kind, self.range.high)}"
        return ends + (" (log)" if self.range.log else "")

    @property
    def distribution(self) -> BaseDistribution:
        """The range for Optuna."""
        from optuna import distributions as kinds

        tried = self.range
        if tried.values:
            return kinds.CategoricalDistribution(tried.values)
        if self.kind is int:
            return kinds.IntDistribution(int(tried.low), int(tried.high), log=tried.log)
        return kinds.FloatDistribution(tried.low, tried.high, log=tried.log)

    @property
    def has_default(self) -> bool:
        """Whether the recipe's own value is in the range."""
        if self.range.values:
            return self.default in self.range.values
        return self.range.low <= float(self.default) <= self.range.high  # type: ignore[arg-type]

    def rounded(self, value: Any) -> Plain:
        """Return a suggested value as it is tried: with few digits, within the range."""
        if self.range.values or self.kind is int:
            found: Plain = value
            return found
        return min(max(float(f"{value:.{_DIGITS}g}"), self.range.low), self.range.high)

    def drawn(self, rng: random.Random) -> Plain:
        """Return a value drawn from the whole range."""
        tried = self.range
        if tried.values:
            return rng.choice(tried.values)
        if tried.log:
            return self._number(math.exp(rng.uniform(math.log(tried.low), math.log(tried.high))))
        return self._number(rng.uniform(tried.low, tried.high))

    def perturbed(self, value: Plain, rng: random.Random) -> Plain:
        """Return a value near another one: of numbers a step up or down, sometimes any value."""
        if rng.random() < _REDRAWN:
            return self.drawn(rng)
        tried = self.range
        if tried.values:
            return value
        number, up = float(value), rng.random() < 0.5  # type: ignore[arg-type]
        if tried.log:
            return self._number(number * _FACTOR if up else number / _FACTOR, number)
        step = _STEP * (tried.high - tried.low)
        return self._number(number + step if up else number - step, number)

    def _number(self, number: float, before: float | None = None) -> Plain:
        """Return a number within the range; a whole one differs from the one before."""
        low, high = self.range.low, self.range.high
        if self.kind is int:
            whole = round(number)
            if before is not None and whole == before:
                whole += 1 if number >= before else -1
            return min(max(whole, math.ceil(low)), math.floor(high))
        return self.rounded(min(max(number, low), high))


def tuned_keys(
    recipe: Recipe, texts: Sequence[str] = (), equal_time: bool = False, while_running: bool = False
) -> tuple[TunedKey, ...]:
    """Return the settings to tune: those of `texts`, or all that are declared for it and are read.

    A text is a key, or `key=low..high`, or `key=value,value`. Unless trials take equal time, what
    changes the cost of an iteration is tuned only where it is named. With `while_running`, runs
    change their settings on the way.
    """
    known = declared(METHODS[recipe.method])
    if texts:
        return _named_keys(recipe, texts, while_running)
    found = []
    for key, (kind, about) in known.items():
        tried = about.search
        if tried is None or _unread(recipe, key, tried):
            continue
        if (tried.changes_cost and not equal_time) or (tried.only_at_start and while_running):
            continue
        found.append(TunedKey(key, kind, tried, recipe.flat[key]))
    return tuple(found)


def _named_keys(recipe: Recipe, texts: Sequence[str], while_running: bool) -> tuple[TunedKey, ...]:
    known = declared(METHODS[recipe.method])
    found: dict[str, TunedKey] = {}
    for text in texts:
        key, equals, values = (part.strip() for part in text.partition("="))
        if key not in known:
            raise unknown(key, known)
        if key in found:
            raise RecipeError(f"'{key}' is given twice.")
        kind, about = known[key]
        if about.search is None:
            able = ", ".join(name for name, (_, other) in known.items() if other.search)
            raise RecipeError(f"'{key}' cannot be tuned. These can: {able}.")
        if fault := _unread(recipe, key, about.search):
            raise RecipeError(f"'{key}' cannot be tuned: {fault}.")
        if while_running and about.search.only_at_start:
            raise RecipeError(
                f"'{key}' cannot be tuned by population-based training: a run keeps the value "
                "that it began with."
            )
        tried = _read_range(recipe, key, kind, about.search, values) if equals else about.search
        found[key] = TunedKey(key, kind, tried, recipe.flat[key])
    return tuple(found.values())


def _unread(recipe: Recipe, key: str, tried: SearchRange) -> str:
    """Return why a setting has no effect in a recipe, as a clause; empty where it has one."""
    if tried.only_with is None:
        return ""
    name, values = tried.only_with
    other = f"{key.rpartition('.')[0]}.{name}"
    value = recipe.flat[other]
    if value in values or (not values and value):
        return ""
    wanted = " or ".join(map(write_value, values)) or "above 0"
    return f"it has an effect where '{other}' is {wanted}, and that is {write_value(value)}"


def _read_range(recipe: Recipe, key: str, kind: type, tried: SearchRange, text: str) -> SearchRange:
    """Return the range of a key as it was typed; its values are checked as those of the setting."""
    method = METHODS[recipe.method]
    low, dots, high = (part.strip() for part in text.partition(".."))
    if not dots:
        values = tuple(from_text(method, key, part) for part in text.split(","))
        if len(set(values)) < max(2, len(values)):
            raise RecipeError(
                f"'{key}' cannot be tuned over '{text[:60]}': it takes a range, "
                f"as in {key}={_example(kind, tried)}, or two or more values, with commas."
            )
        return replace(tried, values=values)  # type: ignore[arg-type]
    if kind not in (int, float):
        raise RecipeError(f"'{key}' has no range: give values with commas between them.")
    ends = [float(from_text(method, key, end)) for end in (low, high)]  # type: ignore[arg-type]
    if ends[0] >= ends[1]:
        raise RecipeError(f"The range '{text[:60]}' of '{key}' is empty: it is low..high.")
    if tried.log and ends[0] <= 0:
        raise RecipeError(
            f"The range of '{key}' cannot begin at {low}: it is tried on a logarithmic scale."
        )
    return replace(tried, low=ends[0], high=ends[1], values=())


def _example(kind: type, tried: SearchRange) -> str:
    if tried.values:
        return ",".join(map(_plain_text, tried.values))
    return f"{_number(kind, tried.low)}..{_number(kind, tried.high)}"


def suggest(trial: Trial, keys: Iterable[TunedKey]) -> dict[str, Plain]:
    """Return what Optuna suggests for a trial, by key; what it suggested before stays the same."""
    return {key.key: key.rounded(_suggested(trial, key)) for key in keys}


def _suggested(trial: Trial, key: TunedKey) -> Any:
    tried = key.range
    if tried.values:
        return trial.suggest_categorical(key.key, list(tried.values))
    if key.kind is int:
        return trial.suggest_int(key.key, int(tried.low), int(tried.high), log=tried.log)
    return trial.suggest_float(key.key, tried.low, tried.high, log=tried.log)


def defaults_within(keys: Iterable[TunedKey]) -> dict[str, Plain]:
    """Return the recipe's own values of the keys whose ranges have them."""
    return {key.key: key.default for key in keys if key.has_default}


def tried_values(keys: Iterable[TunedKey], params: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the settings of a trial with Optuna's parameters; of others, the recipe's own."""
    return {
        key.key: key.rounded(params[key.key]) if key.key in params else key.default for key in keys
    }


def _number(kind: type, number: float) -> str:
    return f"{number:.0f}" if kind is int else f"{number:g}"


def _plain_text(value: Plain) -> str:
    return value if isinstance(value, str) else write_value(value)
