"""Batches of examples, made ahead by threads into arrays that are used again and again."""

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
from halma.learn.replay_buffer import Window

#: batches made ahead, for every thread that makes them
_AHEAD = 2
#: legal moves that arrays have room for at first
_FIRST_WIDTH = 64

Indices = np.ndarray[Any, np.dtype[np.int64]]


@dataclass
class Batch:
    """Examples on the CPU, pinned where a GPU will fetch them."""

    planes: torch.Tensor
    #: policy indices of legal moves, -1 behind them
    actions: torch.Tensor
    #: what each should have
    shares: torch.Tensor
    #: what every player scored, the mover first
    outcomes: torch.Tensor
    #: which rows of the window these are, and in which mirror
    rows: Indices
    mirrors: np.ndarray[Any, np.dtype[np.uint8]]


class _Arrays:
    """Room for one batch."""

    def __init__(self, game: Game, size: int, pinned: bool) -> None:
        self._game, self._size, self._pinned = game, size, pinned
        self.planes = self._new((size, *game.shape), torch.float32)
        self.outcomes = self._new((size, game.players), torch.float32)
        self.widen(_FIRST_WIDTH)
        #: a GPU is done with them after this
        self.fetched: Any = None

    def widen(self, width: int) -> None:
        """Make room for so many legal moves."""
        self.actions = self._new((self._size, width), torch.int32)
        self.shares = self._new((self._size, width), torch.float32)

    def _new(self, shape: tuple[int, ...], kind: torch.dtype) -> torch.Tensor:
        return torch.zeros(shape, dtype=kind, pin_memory=self._pinned)


class Batches:
    """Draws so many batches from a window; the same seed draws the same ones.

    Every position comes once before any comes again.
    """

    def __init__(
        self,
        window: Window,
        batch: int,
        steps: int,
        mirrors: bool,
        seed: tuple[int, ...],
        threads: int = 1,
        pinned: bool = False,
    ) -> None:
        self._window = window
        self._size = min(batch, len(window.learnt))
        self._steps = steps
        self._mirrors = window.game.core.symmetries if mirrors else 1
        self._rng = np.random.default_rng(seed)
        self._threads = threads
        self._pinned = pinned

    def __iter__(self) -> Iterator[tuple[Batch, _Arrays]]:
        """Yield batches with the arrays they lie in; those are overwritten some steps later."""
        ahead = _AHEAD * self._threads
        # One more is in the learner's hands.
        free = deque(_Arrays(self._window.game, self._size, self._pinned) for _ in range(ahead + 1))
        coming: deque[tuple[Future[Batch], _Arrays]] = deque()
        draws = self._draws()
        with ThreadPoolExecutor(self._threads) as makers:
            for _ in range(self._steps):
                while len(coming) < ahead and (drawn := next(draws, None)) is not None:
                    arrays = free.popleft()
                    coming.append((makers.submit(self.make, *drawn, arrays), arrays))
                future, arrays = coming.popleft()
                yield future.result(), arrays
                free.append(arrays)

    def _draws(self) -> Iterator[tuple[Indices, np.ndarray[Any, np.dtype[np.uint8]]]]:
        """Yield the rows and mirrors of every batch."""
        left = np.zeros(0, np.int64)
        for _ in range(self._steps):
            while len(left) < self._size:
                left = np.concatenate([left, self._rng.permutation(self._window.learnt)])
            rows, left = left[: self._size], left[self._size :]
            yield rows, self._rng.integers(0, self._mirrors, self._size, dtype=np.uint8)

    def make(
        self, rows: Indices, mirrors: np.ndarray[Any, np.dtype[np.uint8]], arrays: _Arrays
    ) -> Batch:
        """Write a batch into arrays."""
        if arrays.fetched is not None:
            arrays.fetched.synchronize()
        w, number = self._window.rows, len(rows)
        while True:
            most = _core.make_examples(
                self._window.game.core,
                w["states"],
                w["plies"],
                w["repetitions"],
                w["no_progress"],
                w["policy_offsets"],
                w["policy_actions"],
                w["policy_weights"],
                rows,
                mirrors,
                arrays.planes.numpy(),
                arrays.actions.numpy(),
                arrays.shares.numpy(),
            )
            if most <= arrays.actions.shape[1]:
                break
            arrays.widen(2 * most)
        np.take(w["outcomes"], rows, axis=0, out=arrays.outcomes.numpy()[:number])
        return Batch(
            arrays.planes[:number],
            arrays.actions[:number],
            arrays.shares[:number],
            arrays.outcomes[:number],
            rows,
            mirrors,
        )
