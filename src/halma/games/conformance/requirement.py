"""A requirement of the contract, and the sample of positions it is tested on."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeVar

from halma.games.game import Game, Position

#: moves and outcomes after which a random game is abandoned
MAX_EVENTS = 1000

#: What a requirement is tested on: the game as a whole; the game, if its random games
#: ended without an exception (`kernel`: a loop in the core might not return otherwise);
#: or each sampled position of a kind.
Scope = Literal["game", "kernel", "any", "decision", "terminal", "chance"]

_Item = TypeVar("_Item")


@dataclass
class Sample:
    """Random games of one game, and the positions they reached."""

    game: Game
    seed: int
    #: for each random game its states, each with the move played there, if any
    walks: list[list[tuple[bytes, int | None]]] = field(default_factory=list)
    #: distinct states by kind: decision, terminal, chance
    states: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    #: whether all random games were played without an exception
    playable: bool = True
    #: violations found by the requirement under test
    violations: list[str] = field(default_factory=list)

    def expect(self, holds: bool, otherwise: str) -> None:
        """Report a violation unless a condition holds."""
        if not holds:
            self.violations.append(otherwise)

    def fail(self, violation: str) -> None:
        """Report a violation."""
        self.violations.append(violation)

    def rng(self, purpose: object) -> random.Random:
        """Return a generator for one purpose, independent of the others."""
        return random.Random(f"{self.seed} {purpose}")

    def some(self, items: Sequence[_Item], most: int, purpose: object) -> list[_Item]:
        """Return at most `most` of the items."""
        return self.rng(purpose).sample(items, min(len(items), most))

    def positions(self, *kinds: str) -> list[Position]:
        """Return the sampled positions of these kinds."""
        return [Position(self.game, state) for kind in kinds for state in self.states[kind]]

    def name(self, state: bytes) -> str:
        """Return how a failure refers to a position: its text if it has one."""
        try:
            return repr(self.game.format_position(state))
        except Exception:
            return f"the state {state.hex()}"


@dataclass(frozen=True)
class Requirement:
    """A requirement of the contract."""

    name: str
    scope: Scope
    text: str
    #: reports violations; takes the sample, and a position unless the scope is the game
    test: Callable[..., None]


def requirement(name: str, scope: Scope, text: str) -> Callable[[Callable[..., None]], Requirement]:
    """Make a requirement of the function that tests it."""
    return partial(Requirement, name, scope, text)
