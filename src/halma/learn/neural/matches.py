"""Matches in which all games are played at the same time, move by move."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from halma.arena.openings import play_opening
from halma.arena.plan import MOST_PLIES, Plan
from halma.arena.table import Played
from halma.arena.tally import Tally
from halma.games import Game, Record
from halma.learn.neural.players import Player


def play_match(
    game: Game,
    names: Sequence[str],
    players: Sequence[Player],
    games: int,
    seed: int,
    opening_plies: int,
    stopped: Callable[[], bool] = lambda: False,
) -> Tally | None:
    """Play at least so many games in whole sets, as the arena does, and count them.

    All games of a set have the same opening and dice, and all take every seat. Nothing is
    returned if it was stopped.
    """
    plan = Plan(game.name, tuple(names), game.players, seed, opening_plies)
    began = time.perf_counter()
    tables = [_Table(game, plan, number) for number in range(plan.sets_for(games) * plan.set_size)]
    going = tables
    while going:
        for who, player in enumerate(players):
            turn = [table for table in going if table.to_move == who]
            if stopped():
                return None
            if turn:
                moves = player.choose(
                    [table.record for table in turn], [table.rng for table in turn]
                )
                for table, move in zip(turn, moves, strict=True):
                    table.play(move)
        going = [table for table in going if table.to_move is not None]
    tally = Tally(plan)
    for table in tables:
        tally.add(table.played(time.perf_counter() - began))
    return tally


class _Table:
    """One game of a match."""

    def __init__(self, game: Game, plan: Plan, number: int) -> None:
        self.plan, self.number = plan, number
        self.record, self._dice = play_opening(
            game, f"{plan.seed}/set {number // plan.set_size}", plan.opening_plies
        )
        self._opening = len(self.record)
        self._seed = f"{plan.seed}/game {number}"
        self._rngs = [random.Random(f"{self._seed}/player {seat}") for seat in range(plan.players)]
        self._seating = plan.seating(number)
        self._go_on()

    @property
    def rng(self) -> random.Random:
        """What the player to move draws from."""
        return self._rngs[self.record.position.mover]

    def play(self, move: int) -> None:
        """Play a move, and let chance speak."""
        position = self.record.position
        self.record.play(next(m for m in position.legal_moves if m.value == move))
        self._go_on()

    def _go_on(self) -> None:
        if not self.record.is_over:
            self.record.roll(self._dice)
        over = self.record.is_over or self.record.plies >= self.plan.most_plies
        #: which agent is to move; None once the game is over
        self.to_move = None if over else self._seating[self.record.position.mover]

    def played(self, seconds: float) -> Played:
        """Return the game as it is counted."""
        record: Record = self.record
        return Played(
            number=self.number,
            agents=tuple(self.plan.agents[who] for who in self._seating),
            start=record.start.text,
            opening=self._opening,
            moves=tuple(record.texts),
            plies=record.plies,
            result=record.result,
            end=record.end or "by the ply limit",
            seed=self._seed,
            seconds=seconds,
        )


__all__ = ["MOST_PLIES", "play_match"]
