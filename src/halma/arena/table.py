"""A table at which the games of a plan are played, one by one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache

from halma.agents import Agent, agent, play_game
from halma.arena.openings import play_opening
from halma.arena.plan import Plan
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


class Table:
    """Plays any game of one plan; which games were played before makes no difference."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.game = load(plan.game)
        self.agents = [_agent(name) for name in plan.agents]

    def play(self, number: int) -> Played:
        """Play game `number` from its opening to its end.

        Opening and dice depend on the set alone. Players draw from generators that depend
        on the game and the seat, so that two equal agents do not repeat one game.
        """
        plan = self.plan
        set_number = number // plan.set_size
        book = plan.book
        start = self.game.position(book[set_number % len(book)]) if book else None
        began = time.perf_counter()
        record, dice = play_opening(
            self.game, f"{plan.seed}/set {set_number}", plan.opening_plies, start
        )
        opening = len(record)
        seated = [self.agents[index] for index in plan.seating(number)]
        seed = f"{plan.seed}/game {number}"
        for _ in play_game(record, seated, seed, plan.most_plies, dice):
            pass
        return Played(
            number=number,
            agents=tuple(player.name for player in seated),
            start=record.start.text,
            opening=opening,
            moves=tuple(record.texts),
            plies=record.plies,
            result=record.result,
            end=record.end or "by the ply limit",
            seed=seed,
            seconds=time.perf_counter() - began,
        )


@cache
def _agent(name: str) -> Agent:
    """Build an agent once per process; some are expensive."""
    return agent(name)
