"""The network in training: loss, optimiser, and what of them a checkpoint keeps."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from halma.errors import RunError
from halma.games import Game
from halma.learn.alphazero_settings import NeuralLearningSettings, NeuralSettings
from halma.learn.batches import Batch, Batches, _Arrays
from halma.learn.replay_buffer import Window
from halma.networks.architectures.blocks import Network
from halma.networks.architectures.build import build
from halma.networks.network_file import new_network

Arrays = Mapping[str, np.ndarray[Any, Any]]

#: values are kept so far from 0 and 1 when their logarithms are taken
_LEAST = 1e-6
#: losses are looked at so often on a GPU, where looking makes it wait
_LOOK_EVERY = 16
#: and so often it is tried how many threads are best
_TRY_EVERY = 4


class NotANumber(RunError):
    """A loss that is no number, and the batch it came from."""

    def __init__(self, step: int, batch: Mapping[str, np.ndarray[Any, Any]]) -> None:
        super().__init__(f"The loss of step {step} is not a number.")
        self.step = step
        self.batch = batch


@dataclass(frozen=True)
class Losses:
    """Means over an iteration's steps."""

    policy: float
    value: float
    steps: int
    seconds: float
    #: of those, in which the learner waited for batches
    waited: float

    @property
    def busy(self) -> float:
        """The share of time in forward, backward and optimiser."""
        return 1 - self.waited / self.seconds if self.seconds else 1.0


class Learner:
    """A network, its optimiser, and how many steps it has made."""

    def __init__(self, game: Game, settings: NeuralSettings, device: str, threads: int = 1) -> None:
        self.game = game
        self.settings = settings
        self.device = torch.device(device)
        self.network: Network = build(new_network(game, settings.network), seed=settings.seed)
        self.network.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.steps = 0
        self._threads = threads
        self._on_gpu = self.device.type == "cuda"
        if self._on_gpu:
            # Numbers of 19 bits in products: several times as fast, and learning is noisier anyway.
            torch.set_float32_matmul_precision("high")
        self._optimiser = _optimiser(self.network, settings.learning)
        self._stopped = False
        self._team = _Team(1 if self._on_gpu else threads)

    def stop(self) -> None:
        """Make `learn` return early."""
        self._stopped = True

    def learn(
        self, window: Window, steps: int, rate: float, seed: tuple[int, ...]
    ) -> Losses | None:
        """Make so many steps; nothing is returned if it was stopped."""
        learning = self.settings.learning
        batches = Batches(
            window,
            learning.batch,
            steps,
            learning.mirrors,
            seed,
            threads=max(1, self._threads // 4) if self._on_gpu else 1,
            pinned=self._on_gpu,
        )
        self._team.begin()
        sums = torch.zeros(2, device=self.device)
        unseen: deque[tuple[int, Tensor, Batch]] = deque()
        waited = 0.0
        began = ready = time.perf_counter()
        self.network.train()
        for number, (batch, arrays) in enumerate(batches):
            waited += time.perf_counter() - ready
            if self._stopped:
                return None
            with self._team.working():
                losses = self._step(batch, arrays, rate)
            sums += losses
            unseen.append((self.steps, losses, batch))
            if not self._on_gpu or (number + 1) % _LOOK_EVERY == 0 or number + 1 == steps:
                self._look(unseen, batches)
            ready = time.perf_counter()
        policy, value = (sums / max(steps, 1)).tolist()
        return Losses(policy, value, steps, time.perf_counter() - began, waited)

    def _step(self, batch: Batch, arrays: _Arrays, rate: float) -> Tensor:
        learning = self.settings.learning
        planes, actions, shares, outcomes = (
            tensor.to(self.device, non_blocking=True)
            for tensor in (batch.planes, batch.actions, batch.shares, batch.outcomes)
        )
        if self._on_gpu:
            arrays.fetched = torch.cuda.Event()  # type: ignore[no-untyped-call]
            arrays.fetched.record()
        self.steps += 1
        warm = min(1.0, self.steps / learning.warmup) if learning.warmup else 1.0
        for group in self._optimiser.param_groups:
            group["lr"] = rate * warm
        self._optimiser.zero_grad(set_to_none=True)
        policy, values = self.network(planes.contiguous(memory_format=torch.channels_last))
        policy_loss = policy_cross_entropy(policy, actions, shares)
        value_loss = value_error(values, outcomes, learning.value_loss)
        loss = policy_loss + learning.value_weight * value_loss
        loss.backward()  # type: ignore[no-untyped-call]
        if learning.clip:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), learning.clip)
        self._optimiser.step()
        return torch.stack((policy_loss, value_loss)).detach()

    def _look(self, unseen: deque[tuple[int, Tensor, Batch]], batches: Batches) -> None:
        """Raise `NotANumber` for the first loss that is none."""
        finite = torch.isfinite(torch.stack([losses for _, losses, _ in unseen])).all(1).tolist()
        for (step, _, batch), good in zip(unseen, finite, strict=True):
            if not good:
                # The arrays may hold a later batch by now, but rows and mirrors say it all.
                arrays = _Arrays(self.game, len(batch.rows), pinned=False)
                again = batches.make(batch.rows, batch.mirrors, arrays)
                names = ("planes", "actions", "shares", "outcomes")
                saved = {name: getattr(again, name).numpy() for name in names}
                raise NotANumber(step, {**saved, "rows": batch.rows, "mirrors": batch.mirrors})
        unseen.clear()

    # What a checkpoint keeps.

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return a copy of weights and the optimiser's memory by name, as flat arrays."""
        found = {f"weights/{name}": value for name, value in weights_of(self.network).items()}
        names: dict[Tensor, str] = {p: name for name, p in self.network.named_parameters()}
        for parameter, memory in self._optimiser.state.items():
            for key, value in memory.items():
                if value is not None:
                    array = torch.as_tensor(value).detach().cpu().numpy()
                    found[f"optimiser/{key}/{names[parameter]}"] = array.copy()
        return {name: array.reshape(-1) for name, array in found.items()}

    def restore(self, arrays: Arrays, steps: int) -> None:
        """Take over what `arrays` returned."""
        put_weights(self.network, arrays, "weights/")
        parameters = dict(self.network.named_parameters())
        memory: dict[Tensor, dict[str, Tensor]] = {}
        for name, array in arrays.items():
            kind, _, rest = name.partition("/")
            if kind != "optimiser":
                continue
            key, _, which = rest.partition("/")
            value = torch.from_numpy(np.array(array))
            parameter = parameters[which]
            if key == "step":
                value = value.reshape(())
            else:
                value = torch.empty_like(parameter).copy_(value.reshape(parameter.shape))
            memory.setdefault(parameter, {})[key] = value
        self._optimiser.state.update(memory)
        self.steps = steps


class _Team:
    """Finds out whether several threads are faster than one.

    Where others keep the cores busy they are not, by far: whoever has done its part of a sum
    waits for one that has no core. The first steps try both, and again every few calls.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._best = 1
        self._calls = 0
        self._trials: list[int] = []
        self._took: dict[int, float] = {}

    def begin(self) -> None:
        """Prepare for some steps in a row."""
        if self._threads > 1 and self._calls % _TRY_EVERY == 0:
            self._trials = [self._threads, self._threads, 1, 1]
            self._took = {}
        self._calls += 1

    @contextmanager
    def working(self) -> Iterator[None]:
        """Make a step with the threads that are on trial, or with those that were fastest."""
        trial = self._trials.pop(0) if self._trials else None
        torch.set_num_threads(trial or self._best)
        began = time.perf_counter()
        yield
        if trial is not None:
            # The first step of each also makes ready.
            self._took[trial] = time.perf_counter() - began
            self._best = min(self._took, key=self._took.__getitem__)


def weights_of(network: Network) -> dict[str, np.ndarray[Any, Any]]:
    """Return a copy of a network's weights by name."""
    return {
        name: tensor.detach().cpu().contiguous().numpy().copy()
        for name, tensor in network.state_dict().items()
    }


def put_weights(network: Network, arrays: Arrays, prefix: str) -> None:
    """Give a network the weights whose names begin like that; they may be flat."""
    network.load_state_dict(
        {
            name: torch.from_numpy(np.array(arrays[prefix + name])).reshape(tensor.shape)
            for name, tensor in network.state_dict().items()
        }
    )


def policy_cross_entropy(logits: Tensor, actions: Tensor, shares: Tensor) -> Tensor:
    """Return the cross-entropy of shares and the policy over legal moves alone.

    `actions` has the policy indices of legal moves, and -1 behind them.
    """
    none = actions < 0
    legal = logits.gather(1, actions.clamp(min=0).long()).masked_fill(none, -torch.inf)
    logs = functional.log_softmax(legal, dim=1).masked_fill(none, 0.0)
    return -(shares * logs).sum(1).mean()


def value_error(values: Tensor, outcomes: Tensor, kind: str) -> Tensor:
    """Return how far values are from outcomes, player by player, on average."""
    if kind == "squared":
        return functional.mse_loss(values, outcomes)
    likely = values.clamp(_LEAST, 1 - _LEAST)
    return -(outcomes * likely.log() + (1 - outcomes) * (1 - likely).log()).mean()


def _optimiser(network: Network, learning: NeuralLearningSettings) -> torch.optim.Optimizer:
    if learning.optimiser == "sgd":
        return torch.optim.SGD(
            network.parameters(),
            lr=learning.rate,
            momentum=learning.momentum,
            weight_decay=learning.decay,
            nesterov=learning.momentum > 0,
        )
    return torch.optim.AdamW(network.parameters(), lr=learning.rate, weight_decay=learning.decay)
