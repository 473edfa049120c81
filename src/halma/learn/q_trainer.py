"""The Q network in training: temporal-difference errors, learning steps, and its target network."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from halma.games import Game
from halma.interrupt import Interrupted
from halma.learn.sections.dqn import DqnLearningSettings, DqnSettings
from halma.learn.trainer import (
    Arrays,
    NetworkTrainer,
    NotANumberError,
    set_weights,
    weights_of,
    weights_under,
)
from halma.learn.training_step import TrainingStep
from halma.learn.transitions import TransitionBatch, TransitionBuffer
from halma.networks.architectures.blocks import Network

#: Prefix of the target network's weights in a checkpoint.
TARGET = "target."
#: Steps between two looks at the losses on a GPU, which has to be waited for.
_CHECK_EVERY = 16
#: Batches in turn: one is filled while a GPU copies the other.
_BATCHES = 2


@dataclass(frozen=True)
class QLosses:
    """Means over some steps."""

    #: Huber loss
    loss: float
    #: absolute temporal-difference error
    td_error: float
    steps: int
    seconds: float


class QStep(TrainingStep):
    """Steps of deep Q-learning; the figures are the Huber loss and the absolute error.

    All of it is in float32: a reward of 0.01 beside one of 10 is lost in bfloat16.
    """

    def __init__(
        self, network: Network, learning: DqnLearningSettings, device: torch.device
    ) -> None:
        super().__init__(network, learning, device, compiled=False)
        self.target = copy.deepcopy(network).eval().requires_grad_(False)
        self._discount = learning.discount

    def update_target(self) -> None:
        """Give the network's weights to the target network."""
        self.target.load_state_dict(self.network.state_dict())

    def losses(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss of a `TransitionBatch`."""
        planes, actions, chosen, outcomes = inputs
        number = len(planes) // 2
        planes = planes.contiguous(memory_format=torch.channels_last)
        q_values, _ = self.network(planes[:number])
        found = (legal_values(q_values, actions[:number], 0.0) * chosen[:number]).sum(1)
        with torch.no_grad():
            following, _ = self.target(planes[number:])
            best = legal_values(following, actions[number:], -torch.inf).amax(1)
            rewards, ended = outcomes[:number].unbind(1)
            wanted = td_targets(rewards, ended, best, self._discount)
        loss = functional.smooth_l1_loss(found, wanted)
        return loss, torch.stack((loss, (found - wanted).abs().mean()))


def legal_values(values: Tensor, actions: Tensor, otherwise: float) -> Tensor:
    """Return the values of legal moves: (n, width).

    `values` is (n, policy indices); `actions` has the indices of legal moves, then -1, where the
    result is `otherwise`: (n, width).
    """
    picked = values.gather(1, actions.clamp(min=0).long())
    return picked.masked_fill(actions < 0, otherwise)


def td_targets(rewards: Tensor, ended: Tensor, best: Tensor, discount: float) -> Tensor:
    """Return what Q-values should be: the reward, and the best that follows unless the game ended.

    All are (n,).
    """
    return rewards + discount * (1 - ended) * best


class QTrainer(NetworkTrainer):
    """The trainer of a Q network."""

    _step: QStep

    def __init__(self, game: Game, settings: DqnSettings, device: str, threads: int = 1) -> None:
        self._learning = settings.learning
        super().__init__(game, settings, device, threads, compiled=False)
        size = self._learning.batch_size
        self._batches = [TransitionBatch(game, size, self._on_gpu) for _ in range(_BATCHES)]

    def _make_step(self, compiled: bool) -> TrainingStep:
        return QStep(self.network, self._learning, self.device)

    def learn(self, buffer: TransitionBuffer, steps: int, seed: tuple[int, ...]) -> QLosses:
        """Make steps on random transitions of the replay buffer."""
        rng = np.random.default_rng(seed)
        learning = self._learning
        symmetries = self.game.core.symmetries if learning.symmetry else 1
        unchecked: list[tuple[Any, ...]] = []
        began = time.perf_counter()
        self._thread_count.begin()
        with self._training(seed):
            sums = torch.zeros(2, device=self.device)
            for number in range(1, steps + 1):
                if self._stopped:
                    raise Interrupted
                batch = self._batches[number % _BATCHES]
                if batch.copied is not None:
                    batch.copied.synchronize()
                places = buffer.draw(learning.batch_size, rng)
                mirrors = rng.integers(0, symmetries, 2 * len(places), dtype=np.uint8)
                buffer.fill(batch, places, mirrors)
                self.steps += 1
                with self._thread_count.applied():
                    figures = self._step(batch, self._warmed_up(learning.rate))
                sums += figures
                unchecked.append((self.steps, figures, places, mirrors))
                if not self._on_gpu or number % _CHECK_EVERY == 0 or number == steps:
                    self._check(unchecked, buffer)
                if self.steps % learning.target_period == 0:
                    self._step.update_target()
            loss, td_error = (sums / max(steps, 1)).tolist()
        return QLosses(loss, td_error, steps, time.perf_counter() - began)

    def _check(self, unchecked: list[tuple[Any, ...]], buffer: TransitionBuffer) -> None:
        """Raise `NotANumberError` for the first loss that is not finite."""
        finite = torch.isfinite(torch.stack([figures for _, figures, _, _ in unchecked])).all(1)
        for (step, _, places, mirrors), is_finite in zip(unchecked, finite.tolist(), strict=True):
            if not is_finite:
                again = TransitionBatch(self.game, len(places))
                buffer.fill(again, places, mirrors)
                names = ("planes", "actions", "targets", "outcomes")
                raise NotANumberError(step, {name: getattr(again, name).numpy() for name in names})
        unchecked.clear()

    def q_values(self, planes: Tensor) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the Q-values of positions, those of illegal actions included: (n, actions)."""
        self.network.eval()
        with torch.no_grad(), self._step.queue():
            there = planes.to(self.device).contiguous(memory_format=torch.channels_last)
            found: np.ndarray[Any, np.dtype[np.float32]] = self.network(there)[0].cpu().numpy()
        return found

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return a copy of the state of both networks and the optimiser."""
        target = weights_of(self._step.target)
        return super().state() | {TARGET + name: array for name, array in target.items()}

    def restore(self, state: Arrays, steps: int) -> None:
        """Continue from what `state` returned."""
        super().restore(state, steps)
        set_weights(self._step.target, weights_under(state, TARGET))

    def restart(self, weights: Arrays) -> None:
        """Continue from weights alone."""
        set_weights(self.network, weights)
        self._step.update_target()
