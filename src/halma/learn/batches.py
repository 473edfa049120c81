"""Batches of training samples, made ahead by threads in arrays that are reused."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from halma import _core
from halma.games import Game
from halma.learn.replay_buffer import ReplayBuffer

#: Batches made ahead by each thread.
_AHEAD = 2
#: Legal moves that arrays have room for at first.
FIRST_WIDTH = 64

Array = np.ndarray[Any, Any]
Indices = np.ndarray[Any, np.dtype[np.int64]]
Symmetries = np.ndarray[Any, np.dtype[np.uint8]]


class SampleArrays(NamedTuple):
    """What training samples are made of: an entry for each state, as in `FinishedGames`."""

    states: Array
    plies: Array
    repetitions: Array
    no_progress: Array
    #: entries of the policy targets: those of row i are from offset i to offset i + 1
    policy_offsets: Array
    policy_actions: Array
    policy_weights: Array


class Batch:
    """Training samples on the CPU, in pinned memory where a GPU will copy them from there."""

    def __init__(self, game: Game, size: int, width: int, pinned: bool = False) -> None:
        self._game, self._size, self._pinned = game, size, pinned
        #: float32 (size, planes, rows, columns)
        self.planes = self._new((size, *game.shape), torch.float32)
        #: value targets, the mover's score first: float32 (size, players)
        self.outcomes = self._new((size, game.players), torch.float32)
        self._widen(width)
        #: rows of the replay buffer, and the symmetry each is seen in: (size,)
        self.rows: Indices
        self.symmetries: Symmetries
        #: event after which a GPU has copied the batch, if any
        self.copied: Any = None

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        """Planes, actions, targets and outcomes."""
        return self.planes, self.actions, self.targets, self.outcomes

    @property
    def padding(self) -> tuple[float | None, ...]:
        """What stands behind the legal moves of a position."""
        return None, -1, 0, None

    @property
    def width(self) -> int:
        """Legal moves that there is room for."""
        return self.actions.shape[1]

    def encode(self, arrays: SampleArrays, rows: Indices, symmetries: Symmetries) -> None:
        """Write planes, legal actions and policy targets of some rows; make room for all moves."""
        while True:
            needed = _core.make_examples(
                self._game.core,
                *arrays,
                rows,
                symmetries,
                self.planes.numpy(),
                self.actions.numpy(),
                self.targets.numpy(),
            )
            if needed <= self.width:
                return
            self._widen(2 * needed)

    def _widen(self, width: int) -> None:
        #: policy indices of legal moves, then -1: int32 (size, width)
        self.actions = self._new((self._size, width), torch.int32)
        #: policy targets of those: float32 (size, width)
        self.targets = self._new((self._size, width), torch.float32)

    def _new(self, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        return torch.zeros(shape, dtype=dtype, pin_memory=self._pinned)


@dataclass
class Batches:
    """Iterates over `steps` random batches of a replay buffer; the same seed draws the same.

    Every sample is drawn once before any is drawn again.
    """

    buffer: ReplayBuffer
    batch_size: int
    steps: int
    symmetries: bool
    seed: tuple[int, ...]
    threads: int = 1
    pinned: bool = False
    #: legal moves that the next batches have room for; grows when it is too small
    width: int = FIRST_WIDTH

    def __iter__(self) -> Generator[Batch, None, None]:
        """Yield batches, whose arrays are overwritten some steps later.

        Close the iterator where not all are drawn: it waits for its threads.
        """
        size = min(self.batch_size, len(self.buffer.samples))
        ahead = _AHEAD * self.threads
        # One more is in use by the trainer.
        free = deque(
            Batch(self.buffer.game, size, self.width, self.pinned) for _ in range(ahead + 1)
        )
        coming: deque[Future[Batch]] = deque()
        draws = self._draws(size)
        with ThreadPoolExecutor(self.threads) as makers:
            for _ in range(self.steps):
                while len(coming) < ahead and (drawn := next(draws, None)) is not None:
                    coming.append(makers.submit(self.make, *drawn, free.popleft()))
                batch = coming.popleft().result()
                yield batch
                free.append(batch)

    def _draws(self, size: int) -> Iterator[tuple[Indices, Symmetries]]:
        """Yield the rows and symmetries of every batch."""
        rng = np.random.default_rng(self.seed)
        symmetries = self.buffer.game.core.symmetries if self.symmetries else 1
        left = np.zeros(0, np.int64)
        for _ in range(self.steps):
            while len(left) < size:
                left = np.concatenate([left, rng.permutation(self.buffer.samples)])
            rows, left = left[:size], left[size:]
            yield rows, rng.integers(0, symmetries, size, dtype=np.uint8)

    def make(self, rows: Indices, symmetries: Symmetries, batch: Batch) -> Batch:
        """Write the samples of some rows into a batch of their number."""
        if batch.copied is not None:
            batch.copied.synchronize()
        batch.rows, batch.symmetries = rows, symmetries
        games = self.buffer.games
        arrays = SampleArrays(
            games.states,
            games.plies,
            games.repetitions,
            games.no_progress,
            games.policy_offsets,
            games.policy_actions,
            games.policy_weights,
        )
        batch.encode(arrays, rows, symmetries)
        self.width = max(self.width, batch.width)
        np.take(self.buffer.value_targets, rows, axis=0, out=batch.outcomes.numpy())
        return batch
