"""Games of a Q network against an opponent, many at once, so that it evaluates batches."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from halma import _core
from halma.agents import Agent
from halma.errors import AgentError, RunError
from halma.games import Game, Record
from halma.interrupt import Interrupted
from halma.learn.batches import FIRST_WIDTH, Batch
from halma.learn.transitions import Positions, encode_positions, seat
from halma.selfplay import FinishedGames
from halma.selfplay.records import finished_game

#: From planes (n, planes, rows, columns) to Q-values (n, actions).
QValues = Callable[[Tensor], np.ndarray[Any, np.dtype[np.float32]]]


class _Episode:
    """One game, with the decisions in it so far."""

    def __init__(self, game: Game, number: int, seed: str, epsilon: float) -> None:
        self.record = Record(game)
        self.number, self.epsilon = number, epsilon
        #: moves of the network
        self.moves = 0
        self.rng = random.Random(f"{seed}/{number}")
        self._decisions: list[bytes] = []

    def next_turn(self, opponent: Agent) -> bool:
        """Play the opponent's moves; return whether the network is to move."""
        record = self.record
        while True:
            if not record.is_over:
                record.roll(self.rng)
            if record.is_over:
                return False
            self._decisions.append(record.core.state())
            if record.position.mover == seat(self.number):
                return True
            self.play(opponent.choose(record, self.rng).value)

    def play(self, move: int) -> None:
        """Play a legal move."""
        self.record.core.play(move)

    def recent(self, history: int) -> tuple[bytes, int]:
        """Return the last decisions, oldest first, and how many there are before the current."""
        found = self._decisions[-history:]
        earlier = len(found) - 1
        return b"".join([found[0]] * (history - len(found)) + found), earlier


class Episodes:
    """Plays games of a network, epsilon of whose moves are random, against an opponent."""

    def __init__(
        self,
        game: Game,
        opponent: Agent,
        move_limit: int,
        q_values: QValues,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._game = game
        self._opponent = opponent
        self._move_limit = move_limit
        self._q_values = q_values
        self._is_stopped = is_stopped
        self._batch = Batch(game, 1, FIRST_WIDTH)

    def play(self, numbers: Sequence[int], epsilons: Sequence[float], seed: str) -> FinishedGames:
        """Return games by their numbers; they do not depend on which are played together."""
        episodes = [
            _Episode(self._game, number, seed, epsilon)
            for number, epsilon in zip(numbers, epsilons, strict=True)
        ]
        going = episodes
        while going:
            if self._is_stopped():
                raise Interrupted
            going = [one for one in going if self._is_going(one)]
            best = self._best_moves([one for one in going if one.rng.random() >= one.epsilon])
            for one in going:
                move = best.get(one.number)
                if move is None:
                    move = one.rng.choice(self._game.core.legal(one.record.core.state()))
                one.play(move)
                one.moves += 1
        return FinishedGames.join([self._finished(one) for one in episodes])

    def _is_going(self, one: _Episode) -> bool:
        """Go on to the network's next decision; return whether there is one."""
        try:
            return one.next_turn(self._opponent) and one.moves < self._move_limit
        except AgentError as error:
            raise RunError(f"The opponent cannot go on: {error}") from None

    def _best_moves(self, deciding: Sequence[_Episode]) -> dict[int, int]:
        """Return the legal moves with the highest Q-values, by the number of the game."""
        if not deciding:
            return {}
        game, number = self._game, len(deciding)
        history, size = game.core.history, game.core.state_size
        states, earlier = zip(*(one.recent(history) for one in deciding), strict=True)
        limit = game.limits.no_progress
        records = [one.record for one in deciding]
        if len(self._batch.planes) < number:
            self._batch = Batch(game, number, self._batch.width)
        positions = Positions(
            np.frombuffer(b"".join(states), np.uint8).reshape(number, history, size),
            np.array(earlier, np.int32),
            np.array([record.repetitions for record in records], np.int32),
            np.array([_share(record.halfmove_clock, limit) for record in records], np.float32),
        )
        encode_positions(self._batch, positions, np.zeros(number, np.uint8))
        actions = self._batch.actions[:number].numpy()
        values = self._q_values(self._batch.planes[:number])
        legal = np.where(actions < 0, -np.inf, np.take_along_axis(values, actions.clip(0), axis=1))
        # Actions stand in the order of legal moves.
        return {
            one.number: game.core.legal(one.record.core.state())[place]
            for one, place in zip(deciding, legal.argmax(axis=1).tolist(), strict=True)
        }

    def _finished(self, one: _Episode) -> FinishedGames:
        end = one.record.core.end
        return finished_game(
            one.record, one.number, end=_core.End.PLIES if end == _core.End.NONE else end
        )


def _share(clock: int, limit: int) -> float:
    """Return the share of a no-progress limit that is used; a limit of 0 is none."""
    return min(1.0, clock / limit) if limit else 0.0
