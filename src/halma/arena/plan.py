"""What is played: everything that decides how game number n of a match goes."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import halma
from halma.agents import agent
from halma.arena.openings import default_plies
from halma.errors import HalmaError, UnknownVariantError
from halma.games import game as find_game
from halma.games.load import load

#: a game is stopped after so many moves unless its own rules do it earlier
MOST_PLIES = 2000


@dataclass(frozen=True)
class Plan:
    """A match without a length: game n is the same however many are played.

    Games come in sets. All games of a set have the same opening and the same dice, and
    among them the agents take every seat equally often.
    """

    game: str
    agents: tuple[str, ...]
    #: number of seats at the table
    players: int
    seed: int = 0
    opening_plies: int = 0
    #: positions that sets start from, in turn; the game's own start if there are none
    book: tuple[str, ...] = ()
    most_plies: int = MOST_PLIES

    @cached_property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """Who sits where in each game of a set: every way in which all agents take part.

        Two agents at a table for two change seats. At a table for three, one of them has
        one seat and the other two, in six ways; three agents sit down in six orders.
        """
        everybody = range(len(self.agents))
        ways = itertools.product(everybody, repeat=self.players)
        return tuple(way for way in ways if set(way) == set(everybody))

    @property
    def set_size(self) -> int:
        """Games in a set."""
        return len(self.seatings)

    def seating(self, number: int) -> tuple[int, ...]:
        """Return the agent in each seat of game `number`."""
        return self.seatings[number % self.set_size]

    def sets_for(self, games: int) -> int:
        """Return how many whole sets hold at least so many games."""
        return -(-games // self.set_size)

    @property
    def identity(self) -> str:
        """All of the above as text: what a stored match is recognised by."""
        book = hashlib.sha256("\n".join(self.book).encode()).hexdigest() if self.book else None
        return json.dumps(
            {
                "game": self.game,
                "agents": self.agents,
                "players": self.players,
                "seed": self.seed,
                "opening_plies": self.opening_plies,
                "book": book,
                "most_plies": self.most_plies,
                "halma": halma.__version__,
            }
        )


def make_plan(
    game: str,
    agents: Sequence[str],
    seed: int = 0,
    opening_plies: int | None = None,
    book: Sequence[str] = (),
    most_plies: int = MOST_PLIES,
) -> Plan:
    """Return a checked plan with canonical names and defaults filled in.

    `game` is a variant or what `halma.games.load.load` finds. Without `opening_plies`
    there are two random plies for each player, or none where chance makes games differ
    or where there is a book.
    """
    name, loaded = _find(game)
    names = tuple(agent(typed).name for typed in agents)
    if not 2 <= len(names) <= loaded.players:
        seats = "two agents" if loaded.players == 2 else f"2 to {loaded.players} agents"
        raise HalmaError(
            f"'{name}' is for {loaded.players} players, so a match of it takes {seats}, "
            f"not {len(names)}."
        )
    if opening_plies is None:
        opening_plies = 0 if book else default_plies(loaded)
    if not 0 <= opening_plies < most_plies:
        raise HalmaError(
            f"An opening has 0 to {most_plies - 1} plies, not {opening_plies}: "
            f"games are stopped after {most_plies}."
        )
    return Plan(name, names, loaded.players, seed, opening_plies, tuple(book), most_plies)


def _find(typed: str) -> tuple[str, halma.Game]:
    """Return a game and the name under which another process will find it."""
    try:
        found = find_game(typed)
        return found.name, found
    except UnknownVariantError:
        return typed.strip(), load(typed)
