"""A requirement of the contract, and the sample of positions it is tested on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from halma.games.game import Game, Position

#: moves and outcomes after which a random game is abandoned
MAX_EVENTS = 1000

#: What a requirement is tested on: the game as a whole; the game, if its random games
#: ended without an exception (`kernel`: a loop in the core might not return otherwise);
#: or each sampled position of a kind.
Scope = Literal["game", "kernel", "any", "decision", "terminal", "chance"]


@dataclass
class Sample:
    """Random games of one game, and the positions they reached."""

    game: Game
    seed: int
    #: for each random game its states, each with the move played there, if any
    walks: list[list[tuple[bytes, int | None]]] = field(default_factory=list)
    #: distinct states by kind: decision, terminal, chance
    states: dict[str, list[bytes]] = field(default_factory=dict)
    #: whether all random games were played without an exception
    playable: bool = True

    def rng(self, purpose: object) -> random.Random:
        """Return a generator for one purpose, independent of the others."""
        return random.Random(f"{self.seed} {purpose}")

    def positions(self, kind: str) -> list[Position]:
        """Return the sampled positions of a kind."""
        return [Position(self.game, state) for state in self.states.get(kind, [])]


#: yields a sentence for each violation; takes the sample, and a position unless the scope
#: is the game
FindViolations = Callable[..., Iterator[str]]


@dataclass(frozen=True)
class Requirement:
    """A requirement of the contract, and the function that finds its violations."""

    name: str
    text: str
    scope: Scope
    find: FindViolations


def requirement(name: str, scope: Scope, text: str) -> Callable[[FindViolations], Requirement]:
    """Make a requirement of the function that finds its violations."""
    return lambda find: Requirement(name, text, scope, find)


def name(position: Position) -> str:
    """Return how a failure refers to a position: its text if it has one."""
    try:
        return repr(position.text)
    except Exception:
        return f"the state {position.state.hex()}"
