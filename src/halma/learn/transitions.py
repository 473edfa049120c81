"""Transitions of deep Q-learning: found in games, kept in a replay buffer, drawn in batches.

A transition is a decision of the network, its action and reward, the network's next decision, and
whether the game ended instead. Positions are kept as states, with the earlier ones that planes
show.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from halma import _core
from halma.games import Game
from halma.learn.batches import FIRST_WIDTH, Batch, SampleArrays
from halma.learn.sections.dqn import RewardSettings
from halma.search.racing import advances
from halma.selfplay import FinishedGames

Array = np.ndarray[Any, np.dtype[Any]]


class Positions(NamedTuple):
    """Decisions as arrays with an entry for each."""

    #: uint8 (n, history, bytes of a state): each decision with those before it, oldest first
    states: Array
    #: int32 (n): how many of the states before a decision there are
    earlier: Array
    #: int32 (n): earlier occurrences of the position
    repetitions: Array
    #: float32 (n): halfmove clock as a share of the no-progress limit
    no_progress: Array


@dataclass(frozen=True)
class Transitions:
    """Transitions as arrays with an entry for each; axis 1 has the decision and the next one.

    Where the game ended, the next decision repeats the first and has no meaning.
    """

    #: uint8 (n, 2, history, bytes of a state); this and the next three are those of `Positions`
    states: Array
    #: int32 (n, 2)
    earlier: Array
    #: int32 (n, 2)
    repetitions: Array
    #: float32 (n, 2)
    no_progress: Array
    #: uint16 (n): policy index of the move
    actions: Array
    #: float32 (n)
    rewards: Array
    #: bool (n)
    ended: Array

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def empty(cls, game: Game, number: int) -> Transitions:
        """Return room for a number of transitions."""
        core = game.core
        return cls(
            states=np.zeros((number, 2, core.history, core.state_size), np.uint8),
            earlier=np.zeros((number, 2), np.int32),
            repetitions=np.zeros((number, 2), np.int32),
            no_progress=np.zeros((number, 2), np.float32),
            actions=np.zeros(number, np.uint16),
            rewards=np.zeros(number, np.float32),
            ended=np.zeros(number, bool),
        )

    def arrays(self) -> list[Array]:
        """Return all arrays."""
        return [getattr(self, each.name) for each in fields(self)]


def seat(number: int) -> int:
    """Return the player that the network is in a game: it moves first in every other one."""
    return number % 2


def own_rewards(game: Game, games: FinishedGames, settings: RewardSettings) -> tuple[Array, Array]:
    """Return the rows in which the network moves, and the reward of each: (moves,).

    The last move of a game that is won or lost has the reward for that, whoever moved last.
    """
    game_of = np.repeat(np.arange(len(games)), np.diff(games.row_offsets))
    seats = (games.numbers % 2).astype(np.int64)
    own = games.movers == seats[game_of]
    rows = np.flatnonzero(own & (games.moves != _core.NO_MOVE))
    rewards = np.zeros(len(rows), np.float32)
    if settings.advance and game.has_advance:
        forward = advances(game, games.states[rows], games.moves[rows])
        rewards += (settings.advance * forward).astype(np.float32)
    last = _is_last(game_of[rows])
    scores = games.scores[np.arange(len(games)), seats][game_of[rows[last]]]
    rewards[last] += np.select([scores == 1, scores == 0], [settings.win, settings.loss], 0.0)
    return rows, rewards


def find_transitions(game: Game, games: FinishedGames, settings: RewardSettings) -> Transitions:
    """Return the transitions of games, in order.

    A game that was stopped by its number of moves did not end, and the position after its last
    move is not among its rows: that move is left out.
    """
    rows, rewards = own_rewards(game, games, settings)
    game_of = np.searchsorted(games.row_offsets, rows, side="right") - 1
    last = _is_last(game_of)
    stopped = games.ends[game_of] == _core.End.PLIES.value
    following = np.where(last, rows, np.append(rows[1:], 0))
    kept = ~(last & stopped)
    pairs = np.stack([rows, following], axis=1)[kept]
    history = game.core.history
    earlier = np.minimum(games.plies[pairs], history - 1)
    back = np.minimum(np.arange(history)[::-1], earlier[:, :, None])
    actions = [
        game.core.action(games.states[row].tobytes(), int(games.moves[row])) for row in rows[kept]
    ]
    return Transitions(
        states=games.states[pairs[:, :, None] - back],
        earlier=earlier.astype(np.int32),
        repetitions=games.repetitions[pairs],
        no_progress=games.no_progress[pairs],
        actions=np.array(actions, np.uint16),
        rewards=rewards[kept],
        ended=last[kept],
    )


def _is_last(game_of: Array) -> Array:
    """Return whether each entry is the last of its game; `game_of` ascends."""
    return np.append(game_of[1:] != game_of[:-1], True)[: len(game_of)]


class TransitionBatch(Batch):
    """Transitions to learn from: planes and legal actions of decisions, then of the next ones.

    The targets of a decision are 1 at its action. The outcomes of the first rows, which are as many
    as there are transitions, are reward and end.
    """

    def __init__(self, game: Game, transitions: int, pinned: bool = False) -> None:
        super().__init__(game, 2 * transitions, FIRST_WIDTH, pinned)


class TransitionBuffer:
    """The newest transitions, at most `capacity` of them."""

    def __init__(self, game: Game, capacity: int) -> None:
        self.game = game
        self._kept = Transitions.empty(game, capacity)
        #: transitions added so far, and those before a run was resumed that are not here
        self.added = 0
        self._missing = 0

    def __len__(self) -> int:
        return min(self.added - self._missing, len(self._kept))

    def resume(self, added: int) -> None:
        """Go on in the place after a number of transitions, none of which are here."""
        self.added = self._missing = max(0, added)

    def add(self, new: Transitions) -> None:
        """Add transitions; they replace the oldest."""
        capacity = len(self._kept)
        places = (self.added + np.arange(len(new))) % capacity
        for kept, array in zip(self._kept.arrays(), new.arrays(), strict=True):
            kept[places[-capacity:]] = array[-capacity:]
        self.added += len(new)

    def draw(self, number: int, rng: np.random.Generator) -> Array:
        """Return the places of random transitions: (number,)."""
        ages = rng.integers(0, len(self), number)
        return (self.added - 1 - ages) % len(self._kept)

    def fill(self, batch: TransitionBatch, places: Array, symmetries: Array) -> None:
        """Write transitions into a batch; every position is seen in a symmetry: (2 number,)."""
        number, kept = len(places), self._kept
        # Decisions first, then the next ones.
        positions = Positions(
            *(np.concatenate(list(array[places].swapaxes(0, 1))) for array in kept.arrays()[:4])
        )
        encode_positions(batch, positions, symmetries, kept.actions[places])
        outcomes = batch.outcomes.numpy()
        outcomes[:number, 0] = kept.rewards[places]
        outcomes[:number, 1] = kept.ended[places]


def encode_positions(
    batch: Batch,
    positions: Positions,
    symmetries: Array,
    actions: Array = np.zeros(0, np.uint16),  # noqa: B008
) -> None:
    """Write planes and legal actions of n positions into the first rows of a batch.

    `symmetries` are those that they are seen in: uint8 (n). The first positions have a target of 1
    at one of the `actions`: uint16 (n at most).
    """
    number, history = positions.states.shape[:2]
    rows = np.arange(number) * history + history - 1

    def column(values: Array) -> Array:
        """Return an entry for every state; only those of decisions are looked at."""
        found = np.zeros(number * history, values.dtype)
        found[rows] = values
        return found

    targets = np.zeros(number * history + 1, np.int64)
    targets[rows[: len(actions)] + 1] = 1
    arrays = SampleArrays(
        np.ascontiguousarray(positions.states).reshape(number * history, -1),
        column(positions.earlier),
        column(positions.repetitions),
        column(positions.no_progress),
        np.cumsum(targets),
        actions,
        np.ones(len(actions), np.float32),
    )
    batch.encode(arrays, rows, symmetries)
