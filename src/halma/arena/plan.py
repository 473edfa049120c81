"""The plan of a match: everything that determines its game number n."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import halma
from halma.agents import agent
from halma.arena.openings import default_plies
from halma.errors import HalmaError
from halma.games import game as find_game

#: ply limit of a game unless another is given
MAX_PLIES = 2000


@dataclass(frozen=True)
class Plan:
    """A match of any length: game n does not depend on how many games are played.

    Games come in sets. All games of a set have the same opening and the same dice, and
    over a set every agent takes every seat equally often.
    """

    game: str
    agents: tuple[str, ...]
    #: number of seats
    players: int
    seed: int = 0
    opening_plies: int = 0
    #: start positions of the sets, used in turn; without any, the game's own start
    book: tuple[str, ...] = ()
    max_plies: int = MAX_PLIES

    @cached_property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """The agents' seats in each game of a set: all assignments in which every agent plays.

        Two agents in a game for two change seats. In a game for three, two agents have six
        assignments, one of them taking two seats; three agents have six orders.
        """
        agents = range(len(self.agents))
        assignments = itertools.product(agents, repeat=self.players)
        return tuple(seats for seats in assignments if set(seats) == set(agents))

    @property
    def set_size(self) -> int:
        """Games in a set."""
        return len(self.seatings)

    def seating(self, number: int) -> tuple[int, ...]:
        """Return the agent in each seat of game `number`."""
        return self.seatings[number % self.set_size]

    def sets_for(self, games: int) -> int:
        """Return the number of sets with at least this many games."""
        return -(-games // self.set_size)

    def games_for(self, games: int) -> int:
        """Return a number of games rounded up to whole sets."""
        return self.sets_for(games) * self.set_size

    @property
    def identity(self) -> str:
        """The plan as JSON text, which identifies a stored match."""
        book = hashlib.sha256("\n".join(self.book).encode()).hexdigest() if self.book else None
        return json.dumps({**asdict(self), "book": book, "halma": halma.__version__})


def make_plan(
    game: str,
    agents: Sequence[str],
    seed: int = 0,
    opening_plies: int | None = None,
    book: Sequence[str] = (),
    max_plies: int = MAX_PLIES,
) -> Plan:
    """Check the arguments and return a plan with canonical names.

    `opening_plies` defaults to two for each player, or to none with a book or in a game of
    chance.
    """
    loaded = find_game(game)
    name = loaded.name
    names = tuple(agent(typed).name for typed in agents)
    if not 2 <= len(names) <= loaded.players:
        seats = "two agents" if loaded.players == 2 else f"2 to {loaded.players} agents"
        raise HalmaError(
            f"'{name}' is for {loaded.players} players, so a match of it takes {seats}, "
            f"not {len(names)}."
        )
    if opening_plies is None:
        opening_plies = 0 if book else default_plies(loaded)
    if not 0 <= opening_plies < max_plies:
        raise HalmaError(
            f"An opening has 0 to {max_plies - 1} plies, not {opening_plies}: "
            f"games are stopped after {max_plies}."
        )
    return Plan(name, names, loaded.players, seed, opening_plies, tuple(book), max_plies)
