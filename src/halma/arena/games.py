"""A game of a match: opening, seats, dice, limits, result."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from halma.agents import Agent
from halma.arena.openings import play_opening
from halma.arena.plan import Plan
from halma.errors import AgentError
from halma.games import Game, Move

#: how the end of a game begins that a player lost because somebody's agent failed
BY_ERROR = "by an error"


@dataclass(frozen=True)
class PlayedGame:
    """A finished game, as it is stored and counted."""

    #: index in the match
    number: int
    #: names, seat by seat
    agents: tuple[str, ...]
    start: str
    #: number of moves and chance outcomes that belong to the opening
    opening: int
    #: moves and chance outcomes as text, in order
    moves: tuple[str, ...]
    #: number of moves, without chance outcomes
    plies: int
    result: tuple[float, ...]
    end: str
    #: seed of the players' random generators
    seed: str
    seconds: float


class MatchGame:
    """A game of a plan that is being played.

    Opening and dice depend on the set alone. Players draw from generators that depend on
    the game and the seat, so that two equal agents do not repeat one game.
    """

    def __init__(self, game: Game, plan: Plan, number: int) -> None:
        self._plan = plan
        self._number = number
        #: seconds that players took to choose
        self.seconds = 0.0
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
        self._error: AgentError | None = None
        self._resolve_chance()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by its rules, at the plan's ply limit, or by an error."""
        plies = self.record.plies
        return self.record.is_over or plies >= self._plan.max_plies or self._error is not None

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

    def choose_and_play(self, agent: Agent) -> None:
        """Play the agent's move; with an error of somebody's agent its player loses the game."""
        began = time.perf_counter()
        try:
            move = agent.choose(self.record, self.rng)
        except AgentError as error:
            self._error = error
        else:
            self.play(move)
        self.seconds += time.perf_counter() - began

    def _resolve_chance(self) -> None:
        if not self.is_over:
            self.record.roll(self._dice)

    def played(self) -> PlayedGame:
        """Return the finished game."""
        record, names = self.record, self._plan.agents
        result, end = record.result, record.end or "by the ply limit"
        if self._error is not None:
            result = record.forfeited_by(record.position.mover)
            end = f"{BY_ERROR}: {self._error}".rstrip(".")
        return PlayedGame(
            number=self._number,
            agents=tuple(names[index] for index in self._seating),
            start=record.start.text,
            opening=self._opening,
            moves=tuple(record.texts),
            plies=record.plies,
            result=result,
            end=end,
            seed=self._seed,
            seconds=self.seconds,
        )
