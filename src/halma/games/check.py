"""The conformance check: does a game keep every promise of `core/game.hpp`?

`check` plays random games and tries each of the `promises` on what it met. It never
stops at a broken one: a `Report` says for each promise whether it held, and where it did
not, at which position.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from halma.errors import error_text
from halma.games.game import Game, Position
from halma.games.load import load
from halma.games.promises import MAX_EVENTS, PROMISES, Promise, Sample, Try, name

__all__ = ["Item", "Report", "check", "load"]

#: failures kept for one promise
MAX_FAILURES = 5
#: chance that speaks so often in a row will go on for ever
MAX_CHANCE_RUN = 50
#: positions of a kind that are examined
MAX_POSITIONS = 120


@dataclass(frozen=True)
class Item:
    """One promise: how often it was put to the test and where it failed.

    `tried` is 0 where there was nothing to try it on, such as chance in a game without.
    """

    name: str
    promise: str
    tried: int
    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether no failure was found."""
        return not self.failures


@dataclass(frozen=True)
class Report:
    """What a check found."""

    game: str
    games: int
    seed: int
    items: tuple[Item, ...]

    @property
    def ok(self) -> bool:
        """Whether every promise held."""
        return all(item.ok for item in self.items)

    def __getitem__(self, name: str) -> Item:
        return next(item for item in self.items if item.name == name)

    def broken(self) -> list[str]:
        """Return the names of the promises that did not hold."""
        return [item.name for item in self.items if not item.ok]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        return {
            "game": self.game,
            "games": self.games,
            "seed": self.seed,
            "ok": self.ok,
            "items": [
                {
                    "name": item.name,
                    "promise": item.promise,
                    "ok": item.ok,
                    "tried": item.tried,
                    "failures": list(item.failures),
                }
                for item in self.items
            ],
        }

    def __str__(self) -> str:
        lines = []
        for item in self.items:
            lines.append(f"{'ok    ' if item.ok else 'FAILED'} {item.name:<10} {item.promise}")
            lines.extend(f"       {failure}" for failure in item.failures)
        return "\n".join(lines)


def check(game: Game, games: int = 20, seed: int = 0) -> Report:
    """Play random games and hold the game to every promise of the contract."""
    sample = Sample(game, seed)
    items = [_play_games(sample, games)]
    for promise in PROMISES:
        items.append(_try_promise(promise, sample))
    return Report(game.name, games, seed, tuple(items))


def _try_promise(promise: Promise, sample: Sample) -> Item:
    failures: list[str] = []
    tried = 0
    for target in _targets(promise, sample):
        tried += 1
        arguments = (sample,) if target is None else (sample, target)
        for sentence in _guarded(promise.broken, arguments):
            failures.append(sentence + _where(sample, target))
            if len(failures) == MAX_FAILURES:
                return Item(promise.name, promise.text, tried, tuple(failures))
    return Item(promise.name, promise.text, tried, tuple(failures))


def _targets(promise: Promise, sample: Sample) -> list[Position | None]:
    """Return the positions to try a promise on; None stands for the game as a whole."""
    if promise.on == "game" or (promise.on == "loop" and sample.sound):
        return [None]
    kinds = ("decision", "terminal", "chance") if promise.on == "any" else (promise.on,)
    return [position for kind in kinds for position in sample.positions(kind)]


def _guarded(broken: Try, arguments: tuple[Any, ...]) -> Iterator[str]:
    """Yield what `broken` yields; an exception is one more way to break a promise."""
    try:
        yield from broken(*arguments)
    except Exception as error:
        yield f"This was raised: {error_text(error)}."


def _where(sample: Sample, target: Position | None) -> str:
    if target is None:
        return f" (seed {sample.seed})"
    return f" At {name(target)} (seed {sample.seed})."


# Random games: they make the sample, and are the first promise.


def _play_games(sample: Sample, games: int) -> Item:
    failures: list[str] = []
    seen: set[bytes] = set()
    for number in range(games):
        rng = sample.rng(f"game {number}")
        walk: list[tuple[bytes, int | None]] = []
        sample.walks.append(walk)
        try:
            _walk(sample, rng, walk, seen)
        except Exception as error:
            sample.sound = False
            at = _where(sample, Position(sample.game, walk[-1][0])) if walk else ""
            failures.append(f"Game {number} stopped with {error_text(error)}.{at}")
            if len(failures) == MAX_FAILURES:
                break
    for states in sample.kinds.values():
        # A stable choice that is not only openings.
        if len(states) > MAX_POSITIONS:
            states[1:] = sample.rng("positions").sample(states[1:], MAX_POSITIONS - 1)
    return Item("games", "Random games can be played to their end.", games, tuple(failures))


class _EndlessChanceError(Exception):
    """Chance speaks again and again."""

    def __str__(self) -> str:
        return f"chance spoke more than {MAX_CHANCE_RUN} times in a row"


def _walk(
    sample: Sample,
    rng: random.Random,
    walk: list[tuple[bytes, int | None]],
    seen: set[bytes],
) -> None:
    """Play one random game; `walk` gets each state with the move played there, if any."""
    core = sample.game.core
    state = core.initial()
    chance_run = 0
    for _ in range(MAX_EVENTS):
        walk.append((state, None))
        if core.at_chance(state):
            kind, chance_run = "chance", chance_run + 1
            go_on, choices = core.resolve, [value for value, _ in core.outcomes(state)]
        else:
            go_on, choices = core.play, core.legal(state)
            kind, chance_run = "decision" if choices else "terminal", 0
        if chance_run > MAX_CHANCE_RUN:
            raise _EndlessChanceError
        if state not in seen:
            seen.add(state)
            sample.kinds.setdefault(kind, []).append(state)
        if kind == "terminal":
            return
        choice = rng.choice(choices)
        if kind == "decision":
            walk[-1] = (state, choice)
        state = go_on(state, choice)
