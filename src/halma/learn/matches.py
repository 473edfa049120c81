"""Matches in lockstep: all games advance together, so that networks choose moves in batches."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from halma.arena.games import MatchGame
from halma.arena.lockstep import AgentPlayer, turns_of
from halma.arena.plan import Plan
from halma.arena.tally import Tally
from halma.games import Game, Move, Record
from halma.interrupt import Interrupted
from halma.search.batched import Player
from halma.search.evaluator import Evaluator

#: Called with the finished games, all games, and the moves made so far.
Watch = Callable[[int, int, int], None]


@dataclass(frozen=True)
class Pairing:
    """The sides of a match, and its games; a player may be in several pairings."""

    names: tuple[str, ...]
    players: Sequence[Player | AgentPlayer]
    games: int
    seed: int


def play_in_lockstep(
    game: Game,
    pairings: Sequence[Pairing],
    opening_plies: int,
    is_stopped: Callable[[], bool] = lambda: False,
    watch: Watch = lambda done, total, moves: None,
) -> list[Tally]:
    """Play matches of at least their number of games in whole sets, as the arena does.

    All games of a set have the same opening and dice, and the players take every seat. The games
    of all matches advance together: in every round, each game still going gets a move, a player
    of several matches chooses for all of them, and every player has a thread, so that one network
    works while another waits for the GPU, or on a core of its own. `watch` is called before each
    round.
    """
    tables = [_Table(game, pairing, opening_plies) for pairing in pairings]
    play_seats([seat for table in tables for seat in table.seats], is_stopped, watch)
    return [table.tally() for table in tables]


def play_seats(
    seats: Sequence[tuple[MatchGame, Sequence[Player | AgentPlayer]]],
    is_stopped: Callable[[], bool] = lambda: False,
    watch: Watch = lambda done, total, moves: None,
) -> None:
    """Play games to their ends, each with its players."""
    going = [seat for seat in seats if not seat[0].is_over]
    total, moves_made = len(seats), 0
    different = {id(player) for _, players in seats for player in players}
    with ThreadPoolExecutor(max(len(different), 1)) as threads:
        while going:
            if is_stopped():
                raise Interrupted
            watch(total - len(going), total, moves_made)
            turns = [threads.submit(_play_turn, player, turn) for player, turn in turns_of(going)]
            moves_made += sum(turn.result() for turn in turns)
            going = [seat for seat in going if not seat[0].is_over]


def _play_turn(player: Player | AgentPlayer, games: Sequence[MatchGame]) -> int:
    """Choose and play a move in each game; return the number of moves that a network chose."""
    if isinstance(player, AgentPlayer):
        player.play(games)
        return 0
    moves = player.choose([one.record for one in games], [one.rng for one in games])
    for one, move in zip(games, moves, strict=True):
        one.play(move)
    return len(moves)


def plan_of(game: Game, pairing: Pairing, opening_plies: int) -> Plan:
    """Return the plan of a match."""
    return Plan(
        game.name, pairing.names, game.players, pairing.seed, opening_plies, teams=game.teams
    )


class _Table:
    """The games of a match."""

    def __init__(self, game: Game, pairing: Pairing, opening_plies: int) -> None:
        self._plan = plan_of(game, pairing, opening_plies)
        #: every game with its players
        self.seats = [
            (MatchGame(game, self._plan, number), pairing.players)
            for number in range(self._plan.games_for(pairing.games))
        ]

    def tally(self) -> Tally:
        """Return the results of games that are over."""
        tally = Tally(self._plan)
        for one, _ in self.seats:
            tally.add(one.played())
        return tally


@dataclass(frozen=True)
class PolicyPlayer:
    """A network's most probable moves, without search (hsueh2023, section IV)."""

    evaluator: Evaluator

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return the most probable legal move of each game."""
        logits, _ = self.evaluator.evaluate(np.stack([record.encode() for record in records]))
        chosen = []
        for position, row in zip((record.position for record in records), logits, strict=True):
            core, state = position.game.core, position.state
            values = [row[core.action(state, move.value)] for move in position.legal_moves]
            chosen.append(position.legal_moves[int(np.argmax(values))])
        return chosen
