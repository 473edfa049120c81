"""Matches in which all games are played at the same time, move by move."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from halma.arena.games import MatchGame
from halma.arena.plan import Plan
from halma.arena.tally import Tally
from halma.games import Game
from halma.learn.players import Player


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
    total = plan.games_for(games)
    tables = [MatchGame(game, plan, number) for number in range(total)]
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
        tally.add(table.played())
    return tally
