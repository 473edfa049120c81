"""The plan of a match: everything that determines its game number n."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise, product

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

    Games come in sets, of one game for each agent. All games of a set have the same opening
    and the same dice, and over a set every agent has every seat once.
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
    def patterns(self) -> tuple[tuple[int, ...], ...]:
        """The agents by seat in the first game of each set, used in turn; agent 0 sits first.

        Every assignment of seats in which all agents play is one of these, or one of them with
        the agents exchanged in a circle. Those that give all agents as many seats come first, of
        them those in which neighbours differ.
        """
        others = product(range(self.set_size), repeat=self.players - 1)
        assignments = [(0, *seats) for seats in others if len({0, *seats}) == self.set_size]
        return tuple(sorted(assignments, key=_unevenness))

    @property
    def set_size(self) -> int:
        """Games in a set: each agent has each seat once."""
        return len(self.agents)

    def seating(self, number: int) -> tuple[int, ...]:
        """Return the agent in each seat of game `number`: two agents in a game for two change."""
        set_number, shift = divmod(number, self.set_size)
        pattern = self.patterns[set_number % len(self.patterns)]
        return tuple((who + shift) % self.set_size for who in pattern)

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
        return json.dumps({**about, "halma": halma.__version__})


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


def _unevenness(seats: tuple[int, ...]) -> tuple[int, int]:
    """Return the difference in seats between agents, and the neighbours that are one agent."""
    counts = Counter(seats).values()
    alike = sum(here == there for here, there in pairwise((*seats, seats[0])))
    return max(counts) - min(counts), alike
