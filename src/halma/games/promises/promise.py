"""What a promise is, and what it is tried on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from halma.games.game import Game, Position

#: a random game is left after so many moves and outcomes
MAX_EVENTS = 1000
#: positions one count of a game tree may visit in Python
PERFT_BUDGET = 4000

#: what a promise is tried on: the game as a whole, the game if random games came to an end
#: (a loop in the core might not otherwise), or each position of a kind
Kind = Literal["game", "loop", "any", "decision", "terminal", "chance"]


@dataclass
class Sample:
    """What random games left behind for the promises to be tried on."""

    game: Game
    seed: int
    walks: list[list[tuple[bytes, int | None]]] = field(default_factory=list)
    kinds: dict[str, list[bytes]] = field(default_factory=dict)
    #: whether the games could be played at all, so that kernels will come back
    sound: bool = True

    def rng(self, salt: object) -> random.Random:
        """Return a generator for one purpose, so that promises do not disturb each other."""
        return random.Random(f"{self.seed} {salt}")

    def positions(self, kind: str) -> list[Position]:
        """Return what was met of a kind."""
        return [Position(self.game, state) for state in self.kinds.get(kind, [])]


Try = Callable[..., Iterator[str]]


@dataclass(frozen=True)
class Promise:
    """A promise, and the function that yields a sentence for every way it is broken."""

    name: str
    text: str
    on: Kind
    broken: Try


PROMISES: list[Promise] = []


def promise(name: str, on: Kind, text: str) -> Callable[[Try], Try]:
    """Register a function that yields a sentence for every way a promise is broken.

    On `game` it gets the sample, on a kind of position the sample and one position.
    """

    def add(broken: Try) -> Try:
        PROMISES.append(Promise(name, text, on, broken))
        return broken

    return add


def name(position: Position) -> str:
    """Return how a failure refers to a position: its text if it has one."""
    try:
        return repr(position.text)
    except Exception:
        return f"the state {position.state.hex()}"
