"""The plan of a match: everything that determines its game number n."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import halma
from halma.agents import agent
from halma.arena.openings import default_plies
from halma.arena.schedule import Schedule
from halma.errors import HalmaError
from halma.games import game as find_game

#: ply limit of a game unless another is given
MAX_PLIES = 2000


@dataclass(frozen=True)
class Plan:
    """A match of any length: game n does not depend on how many games are played.

    Games come in sets. All games of a set have the same opening and the same dice, and over a set
    every agent has every seat equally often.
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
    #: the team of each seat, which one agent plays; without any, every seat is on its own
    teams: tuple[int, ...] = ()
    #: seats of the first of two agents; 0: all ways to be seated, in turn
    seats: int = 0

    @property
    def sides(self) -> int:
        """What is placed in a game: its teams, or its players where there are none."""
        return len(set(self.teams)) or self.players

    @cached_property
    def schedule(self) -> Schedule:
        """The agent of each side in each game."""
        return Schedule(len(self.agents), self.sides, self.seats * self.sides // self.players)

    @property
    def set_size(self) -> int:
        """Games in a set."""
        return self.schedule.set_size

    def seating(self, number: int) -> tuple[int, ...]:
        """Return the agent in each seat of game `number`: two agents in a game for two change."""
        by_side = self.schedule.agents_by_side(number)
        return tuple(by_side[team] for team in self.teams) or by_side

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
        about = {**asdict(self), "book": book, "set_size": self.set_size}
        for key in ("teams", "seats"):  # matches without them are found as they were stored
            if not about[key]:
                del about[key]
        return json.dumps({**about, "halma": halma.__version__})


def make_plan(
    game: str,
    agents: Sequence[str],
    seed: int = 0,
    opening_plies: int | None = None,
    book: Sequence[str] = (),
    max_plies: int = MAX_PLIES,
    seats: int = 0,
    in_turn: bool = False,
) -> Plan:
    """Check the arguments and return a plan with canonical names.

    `opening_plies` defaults to two for each player, or to none with a book or in a game of
    chance. With `in_turn` there may be more agents than seats.
    """
    loaded = find_game(game)
    name, teams = loaded.name, loaded.teams
    names = tuple(agent(typed).name for typed in agents)
    sides = loaded.sides
    if len(names) < 2 or (len(names) > sides and not in_turn):
        most = "two agents" if sides == 2 else f"2 to {sides} agents"
        about = f"{loaded.players} players" + (f" in {sides} teams" if teams else "")
        raise HalmaError(
            f"'{name}' is for {about}, so a match of it takes {most}, not {len(names)}."
        )
    if seats:
        _check_seats(name, seats, loaded.players, sides, len(names))
    if opening_plies is None:
        opening_plies = 0 if book else default_plies(loaded)
    if not 0 <= opening_plies < max_plies:
        raise HalmaError(
            f"An opening has 0 to {max_plies - 1} plies, not {opening_plies}: "
            f"games are stopped after {max_plies}."
        )
    players, starts = loaded.players, tuple(book)
    return Plan(name, names, players, seed, opening_plies, starts, max_plies, teams, seats)


def _check_seats(name: str, seats: int, players: int, sides: int, agents: int) -> None:
    """Refuse a number of seats for the first agent that a game does not have."""
    if agents != 2:
        raise HalmaError(
            f"A number of seats is given for the first of two agents, not of {agents}."
        )
    each = players // sides
    if not (0 < seats < players and seats % each == 0):
        possible = " or ".join(str(number) for number in range(each, players, each))
        noun = "seat" if possible == "1" else "seats"
        raise HalmaError(
            f"In '{name}' the first of two agents can have {possible} {noun}, not {seats}."
        )
