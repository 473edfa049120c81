"""The games of a plan as they are played: one class for a game, for workers and learning alike."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from functools import cache

from halma.agents import Agent, agent
from halma.arena.openings import play_opening
from halma.arena.plan import Plan
from halma.games import Game, Move
from halma.games.load import load


@dataclass(frozen=True)
class Played:
    """A finished game, as it is stored and counted."""

    #: its place in the match, from 0
    number: int
    #: names, seat by seat
    agents: tuple[str, ...]
    start: str
    #: how many of the first moves and outcomes were the opening
    opening: int
    #: moves and outcomes of chance as text, in order
    moves: tuple[str, ...]
    #: moves of players alone
    plies: int
    result: tuple[float, ...]
    end: str
    #: what dice and players drew from
    seed: str
    seconds: float


class MatchGame:
    """A game of a plan that is being played: opening, dice, seats, limits, result.

    Opening and dice depend on the set alone. Players draw from generators that depend on
    the game and the seat, so that two equal agents do not repeat one game.
    """

    def __init__(self, game: Game, plan: Plan, number: int) -> None:
        self._plan = plan
        self._number = number
        self._began = time.perf_counter()
        self._seating = plan.seating(number)
        self._seed = f"{plan.seed}/game {number}"
        set_number = number // plan.set_size
        book = plan.book
        start = game.position(book[set_number % len(book)]) if book else None
        self.record, self._dice = play_opening(
            game, f"{plan.seed}/set {set_number}", plan.opening_plies, start
        )
        self._opening = len(self.record)
        self._rngs = [random.Random(f"{self._seed}/player {seat}") for seat in range(plan.players)]
        self._resolve_chance()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by its rules or reached the plan's ply limit."""
        return self.record.is_over or self.record.plies >= self._plan.most_plies

    @property
    def to_move(self) -> int | None:
        """The agent to move, as an index into the plan's agents; None once the game is over."""
        return None if self.is_over else self._seating[self.record.position.mover]

    @property
    def rng(self) -> random.Random:
        """The generator of the player to move."""
        return self._rngs[self.record.position.mover]

    def play(self, move: Move) -> None:
        """Play a move and resolve the chance nodes that follow."""
        self.record.play(move)
        self._resolve_chance()

    def _resolve_chance(self) -> None:
        if not self.is_over:
            self.record.roll(self._dice)

    def played(self) -> Played:
        """Return the finished game."""
        record, names = self.record, self._plan.agents
        return Played(
            number=self._number,
            agents=tuple(names[index] for index in self._seating),
            start=record.start.text,
            opening=self._opening,
            moves=tuple(record.texts),
            plies=record.plies,
            result=record.result,
            end=record.end or "by the ply limit",
            seed=self._seed,
            seconds=time.perf_counter() - self._began,
        )


class Table:
    """Plays any game of one plan; which games were played before makes no difference."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.game = load(plan.game)
        self.agents = [_agent(name) for name in plan.agents]

    def play(self, number: int) -> Played:
        """Play game `number` from its opening to its end."""
        game = MatchGame(self.game, self.plan, number)
        while (index := game.to_move) is not None:
            game.play(self.agents[index].choose(game.record, game.rng))
        return game.played()


@cache
def _agent(name: str) -> Agent:
    """Build an agent once per process; some are expensive."""
    return agent(name)
