"""Batches of training samples, made ahead by threads in arrays that are reused."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from halma import _core
from halma.games import Game
from halma.learn.replay_buffer import ReplayBuffer

#: Batches made ahead by each thread.
_AHEAD = 2
#: Legal moves that arrays have room for at first.
_FIRST_WIDTH = 64

Indices = np.ndarray[Any, np.dtype[np.int64]]
Symmetries = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass
class Batch:
    """Training samples on the CPU, in pinned memory where a GPU will copy them from there."""

    #: float32 (n, planes, rows, columns)
    planes: torch.Tensor
    #: policy indices of legal moves, then -1: int32 (n, width)
    actions: torch.Tensor
    #: policy targets of those: float32 (n, width)
    targets: torch.Tensor
    #: every player's score, the mover first: float32 (n, players)
    outcomes: torch.Tensor
    #: rows of the replay buffer, and the symmetry each is seen in: (n,)
    rows: Indices
    symmetries: Symmetries


class BatchArrays:
    """The memory of one batch."""

    def __init__(self, game: Game, size: int, pinned: bool = False) -> None:
        self._size, self._pinned = size, pinned
        self.planes = self._new((size, *game.shape), torch.float32)
        self.outcomes = self._new((size, game.players), torch.float32)
        self.widen(_FIRST_WIDTH)
        #: event after which a GPU has copied the batch, if any
        self.copied: Any = None

    def widen(self, width: int) -> None:
        """Make room for this many legal moves."""
        self.actions = self._new((self._size, width), torch.int32)
        self.targets = self._new((self._size, width), torch.float32)

    def _new(self, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        return torch.zeros(shape, dtype=dtype, pin_memory=self._pinned)


class Batches:
    """Iterates over `steps` random batches of a replay buffer; the same seed draws the same.

    Every sample is drawn once before any is drawn again.
    """

    def __init__(
        self,
        buffer: ReplayBuffer,
        batch_size: int,
        steps: int,
        symmetries: bool,
        seed: tuple[int, ...],
        threads: int = 1,
        pinned: bool = False,
    ) -> None:
        self._buffer = buffer
        self._size = min(batch_size, len(buffer.samples))
        self._steps = steps
        self._symmetries = buffer.game.core.symmetries if symmetries else 1
        self._rng = np.random.default_rng(seed)
        self._threads = threads
        self._pinned = pinned

    def __iter__(self) -> Iterator[tuple[Batch, BatchArrays]]:
        """Yield batches with the arrays they lie in, which are overwritten some steps later."""
        ahead = _AHEAD * self._threads
        # One more is in use by the trainer.
        free = deque(
            BatchArrays(self._buffer.game, self._size, self._pinned) for _ in range(ahead + 1)
        )
        coming: deque[tuple[Future[Batch], BatchArrays]] = deque()
        draws = self._draws()
        with ThreadPoolExecutor(self._threads) as makers:
            for _ in range(self._steps):
                while len(coming) < ahead and (drawn := next(draws, None)) is not None:
                    arrays = free.popleft()
                    coming.append((makers.submit(self.make, *drawn, arrays), arrays))
                future, arrays = coming.popleft()
                yield future.result(), arrays
                free.append(arrays)

    def _draws(self) -> Iterator[tuple[Indices, Symmetries]]:
        """Yield the rows and symmetries of every batch."""
        left = np.zeros(0, np.int64)
        for _ in range(self._steps):
            while len(left) < self._size:
                left = np.concatenate([left, self._rng.permutation(self._buffer.samples)])
            rows, left = left[: self._size], left[self._size :]
            yield rows, self._rng.integers(0, self._symmetries, self._size, dtype=np.uint8)

    def make(self, rows: Indices, symmetries: Symmetries, arrays: BatchArrays) -> Batch:
        """Write a batch into arrays."""
        if arrays.copied is not None:
            arrays.copied.synchronize()
        games, number = self._buffer.games, len(rows)
        while True:
            width = _core.make_examples(
                self._buffer.game.core,
                games.states,
                games.plies,
                games.repetitions,
                games.no_progress,
                games.policy_offsets,
                games.policy_actions,
                games.policy_weights,
                rows,
                symmetries,
                arrays.planes.numpy(),
                arrays.actions.numpy(),
                arrays.targets.numpy(),
            )
            if width <= arrays.actions.shape[1]:
                break
            arrays.widen(2 * width)
        np.take(games.outcomes, rows, axis=0, out=arrays.outcomes.numpy()[:number])
        return Batch(
            arrays.planes[:number],
            arrays.actions[:number],
            arrays.targets[:number],
            arrays.outcomes[:number],
            rows,
            symmetries,
        )
