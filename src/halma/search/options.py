"""Options of searches, made from the core's declarations (`core/search/options.hpp`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar

from halma import _core
from halma.errors import OptionError
from halma.games import Game

T = TypeVar("T")

#: the declarations of options of tree search, by name
DECLARED = {info.name: info for info in _core.search_options()}
#: the selection rules, by name
RULES = {rule.name: rule for rule in _core.rules()}
#: rules whose leaves a network may evaluate
NETWORK_RULES = tuple(name for name, rule in RULES.items() if rule.for_networks)


#: Leaves of one tree that wait for evaluation together, with a rule that evaluates all moves.
_EXPANDED = 64


def leaves_at_once(options: _core.SearchOptions) -> int:
    """Return how many leaves of a tree a network should evaluate together."""
    return _EXPANDED if RULES[options.rule].expands_all else 1


def set_options(options: T, what: str, known: Collection[str], values: Mapping[str, Any]) -> T:
    """Set values by name and return the options; raise an `OptionError` if one is not allowed."""
    for name, value in values.items():
        if name not in known:
            raise OptionError(f"{what} has no option '{name}': it has {', '.join(known)}.")
        try:
            setattr(options, name, value)
        except TypeError:
            kind = type(value).__name__
            raise OptionError(f"{what}: '{name}' cannot be of the type {kind}.") from None
        except ValueError as error:
            raise OptionError(f"Options of {what.lower()}: {error}") from None
    return options


def search_options(game: Game, **values: Any) -> _core.SearchOptions:
    """Return options with these values, or raise an `OptionError` if they do not fit the game."""
    options = set_options(_core.SearchOptions(), "Tree search", DECLARED, values)
    if game.players != 2:
        for wanted, what in (
            (RULES[options.rule].two_players, f"rule={options.rule}"),
            (options.solver, "solver"),
        ):
            if wanted:
                raise OptionError(
                    f"'{what}' is for two players, and '{game.name}' has {game.players}."
                )
    return options


def check_rule(values: Mapping[str, Any]) -> None:
    """Raise an `OptionError` if a value is set that the rule does not read."""
    rule = values.get("rule", DECLARED["rule"].default)
    for name in _unread(rule, values):
        readers = " or rule=".join(DECLARED[name].rules)
        raise OptionError(f"'{name}' is read by rule={readers}, not by rule={rule}.")


def reads_all(rule: str, values: Mapping[str, Any]) -> bool:
    """Whether a rule reads all values that are set."""
    return not any(_unread(rule, values))


def _unread(rule: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options that are set and that a rule does not read."""
    for name, value in values.items():
        rules = DECLARED[name].rules
        if rules and rule not in rules and value != DECLARED[name].default:
            yield name
