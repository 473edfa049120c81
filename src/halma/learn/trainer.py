"""The network in training: steps on batches of the replay buffer, and its state."""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from halma.errors import RunError
from halma.games import Game
from halma.interrupt import Interrupted
from halma.learn.batches import FIRST_WIDTH, Batch, Batches, Indices, Symmetries
from halma.learn.checkpoint import OPTIMISER
from halma.learn.replay_buffer import ReplayBuffer
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.sections.dqn import NetworkSettings
from halma.learn.sections.training import LearningSettings
from halma.learn.training_step import (
    PolicyValueStep,
    TrainingStep,
    illegal_shares,
    parameter_groups,
    policy_cross_entropy,
    value_error,
)
from halma.networks.architectures.blocks import Network
from halma.networks.architectures.build import build
from halma.structure import ArrayKind

Arrays = Mapping[str, np.ndarray[Any, Any]]
#: A step that was made: its number, its losses, and what its batch is made of.
_Step = tuple[int, Tensor, Indices, Symmetries]

#: Steps between two looks at the losses on a GPU, which has to be waited for.
_CHECK_EVERY = 16
#: Positions of a batch in which losses and shares of illegal moves are measured.
_MEASURED_AT_ONCE = 256
#: Calls of `train` between two trials of how many threads are fastest.
_TRIAL_EVERY = 4
#: Prefix of a network's arrays in a checkpoint.
_NETWORK = "network."


class NotANumberError(RunError):
    """A loss is not a number; `batch` has the arrays it came from."""

    def __init__(self, step: int, batch: Arrays) -> None:
        super().__init__(f"The loss of step {step} is not a number.")
        self.step = step
        self.batch = batch


@dataclass(frozen=True)
class Losses:
    """Means over the steps of an iteration."""

    policy: float
    value: float
    steps: int
    seconds: float
    #: seconds of those that the trainer waited for batches
    waited: float
    #: losses on the newest games before the network was trained on them
    validation_policy: float | None = None
    validation_value: float | None = None
    #: share of the trained network's policy on illegal moves, where it is measured
    illegal_share: float | None = None

    @property
    def busy(self) -> float:
        """The share of time in forward, backward and optimiser."""
        return 1 - self.waited / self.seconds if self.seconds else 1.0


@dataclass(frozen=True)
class Measured:
    """A network's losses on positions, and the share of its policy on illegal moves."""

    policy_loss: float
    value_loss: float
    illegal_share: float


class NetworkTrainer(ABC):
    """A network in training, its optimiser, and the number of steps made."""

    def __init__(
        self, game: Game, settings: NetworkSettings, device: str, threads: int, compiled: bool
    ) -> None:
        self.game = game
        self.device = torch.device(device)
        self.network: Network = build(settings.network_info(game), seed=settings.seed)
        self.network.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.steps = 0
        self._warmup_steps = settings.learning.warmup_steps
        self._on_gpu = self.device.type == "cuda"
        if self._on_gpu:
            # What stays in float32 is multiplied in TF32: gradients are noisier than that anyway.
            torch.set_float32_matmul_precision("high")
        self._step = self._make_step(compiled)
        self._optimiser = self._step.optimiser
        self._stopped = False
        # Gradients summed by several threads are rounded in other ways.
        one = self._on_gpu or settings.learning.deterministic
        self._thread_count = _ThreadCount(1 if one else threads)

    @abstractmethod
    def _make_step(self, compiled: bool) -> TrainingStep:
        """Return what makes a learning step."""

    @contextmanager
    def _training(self, seed: tuple[int, ...]) -> Iterator[None]:
        """Return the context in which steps are made; dropout follows from the seed."""
        self.network.train()
        with torch.random.fork_rng([self.device] if self._on_gpu else []), self._step.queue():
            torch.manual_seed(int(np.random.SeedSequence(seed).generate_state(1, np.uint32)[0]))
            yield

    def stop(self) -> None:
        """Make training raise `Interrupted`, now and later."""
        self._stopped = True

    def _warmed_up(self, rate: float) -> float:
        """Return the rate of the current step: it rises from 0 at the start."""
        warmup = self._warmup_steps
        return rate * min(1.0, self.steps / warmup) if warmup else rate

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return a copy of the state of network and optimiser, under torch's names."""
        found = {_NETWORK + name: array for name, array in weights_of(self.network).items()}
        for index, memory in self._optimiser.state_dict()["state"].items():
            for key, value in memory.items():
                if value is not None:
                    array = value.detach().cpu().contiguous().numpy().copy()
                    found[f"{OPTIMISER}{index}.{key}"] = array
        return found

    def restore(self, state: Arrays, steps: int) -> None:
        """Continue from what `state` returned."""
        set_weights(self.network, weights_under(state, _NETWORK))
        parameters = [p for group in self._optimiser.param_groups for p in group["params"]]
        whole = self._optimiser.state_dict()
        for name in state:
            if name.startswith(OPTIMISER):
                index, key = name.removeprefix(OPTIMISER).split(".")
                value, parameter = torch.from_numpy(state[name]), parameters[int(index)]
                if value.shape == parameter.shape:
                    # In the memory format of the parameter, which the optimiser relies on.
                    value = torch.empty_like(parameter).copy_(value)
                whole["state"].setdefault(int(index), {})[key] = value
        self._optimiser.load_state_dict(whole)
        self.steps = steps

    def revert(self, weights: Arrays) -> None:
        """Go back to earlier weights; what the optimiser remembers of later ones is cleared."""
        set_weights(self.network, weights)
        for memory in self._optimiser.state.values():
            for value in memory.values():
                if value is not None:
                    value.zero_()  # in place: a captured step reads and writes these


class Trainer(NetworkTrainer):
    """The trainer of a policy and values."""

    def __init__(
        self,
        game: Game,
        settings: AlphaZeroSettings,
        device: str,
        threads: int = 1,
        compiled: bool = False,
    ) -> None:
        self._learning, self._compiled = settings.learning, compiled
        super().__init__(game, settings, device, threads, compiled)
        #: threads that make batches ahead: a GPU learns faster than one of them encodes positions
        self.batch_threads = max(1, threads // 4) if self._on_gpu else 1
        #: legal moves that batches have room for
        self._width = FIRST_WIDTH

    def _make_step(self, compiled: bool) -> TrainingStep:
        return PolicyValueStep(self.network, self._learning, self.device, compiled)

    def begin_stage(self, learning: LearningSettings) -> None:
        """Go on with other settings: the optimiser and the count of steps begin anew."""
        self._learning = learning
        self._step = self._make_step(self._compiled)
        self._optimiser = self._step.optimiser
        self.steps = 0

    def train(
        self,
        buffer: ReplayBuffer,
        steps: int,
        rate: float,
        seed: tuple[int, ...],
        watch: Callable[[int], None] = lambda steps: None,
    ) -> Losses:
        """Make `steps` steps on random batches of the replay buffer; `watch` sees their number."""
        learning = self._learning
        batches = Batches(
            buffer,
            learning.batch_size,
            steps,
            learning.symmetry,
            seed,
            threads=self.batch_threads,
            pinned=self._on_gpu,
            width=self._width,
        )
        self._thread_count.begin()
        unchecked: list[_Step] = []
        waited = 0.0
        began = ready = time.perf_counter()
        with self._training(seed), closing(iter(batches)) as drawn:
            sums = torch.zeros(2, device=self.device)
            for number, batch in enumerate(drawn, start=1):
                waited += time.perf_counter() - ready
                if self._stopped:
                    raise Interrupted
                self.steps += 1
                with self._thread_count.applied():
                    losses = self._step(batch, self._warmed_up(rate))
                sums += losses
                unchecked.append((self.steps, losses, batch.rows, batch.symmetries))
                if not self._on_gpu or number % _CHECK_EVERY == 0 or number == steps:
                    self._check(unchecked, batches)
                    watch(number)
                ready = time.perf_counter()
            policy, value = (sums / max(steps, 1)).tolist()
        self._width = batches.width
        return Losses(policy, value, steps, time.perf_counter() - began, waited)

    def measure(self, buffer: ReplayBuffer, rows: Indices) -> Measured:
        """Return means over rows of a replay buffer of what the network says now."""
        learning = self._learning
        batches = Batches(buffer, _MEASURED_AT_ONCE, 0, False, (), width=self._width)
        totals = torch.zeros(3, device=self.device)
        self.network.eval()
        with torch.no_grad(), self._step.queue():
            for start in range(0, len(rows), _MEASURED_AT_ONCE):
                some = rows[start : start + _MEASURED_AT_ONCE]
                batch = Batch(self.game, len(some), batches.width)
                batches.make(some, np.zeros(len(some), np.uint8), batch)
                planes, *rest = (tensor.to(self.device) for tensor in batch.tensors)
                actions, targets, outcomes = rest
                policy, values = self.network(planes.contiguous(memory_format=torch.channels_last))
                found = (
                    policy_cross_entropy(policy, actions, targets, learning.policy_loss),
                    value_error(values, outcomes, learning.value_loss),
                    illegal_shares(policy, actions).mean(),
                )
                totals += len(some) * torch.stack(found)
            policy_loss, value_loss, illegal_share = (totals / len(rows)).tolist()
        return Measured(0.0 if self.network.value_only else policy_loss, value_loss, illegal_share)

    def _check(self, unchecked: list[_Step], batches: Batches) -> None:
        """Raise `NotANumberError` for the first loss that is not finite."""
        finite = torch.isfinite(torch.stack([losses for _, losses, _, _ in unchecked])).all(1)
        for (step, _, rows, symmetries), is_finite in zip(unchecked, finite.tolist(), strict=True):
            if not is_finite:
                # Its arrays may hold a later batch by now; rows and symmetries make it again.
                again = batches.make(rows, symmetries, Batch(self.game, len(rows), batches.width))
                names = ("planes", "actions", "targets", "outcomes")
                saved = {name: getattr(again, name).numpy() for name in names}
                raise NotANumberError(step, saved | {"rows": rows, "symmetries": symmetries})
        unchecked.clear()


class _ThreadCount:
    """Finds out whether several threads are faster than one, and sets torch's number.

    They are not where other processes use the cores: a thread that has done its part of an
    operation waits for one that has no core. The first steps try both, and again every few
    calls of `begin`.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._best = 1
        self._calls = 0
        self._trials: list[int] = []
        self._took: dict[int, float] = {}

    def begin(self) -> None:
        """Plan the trials of the next steps."""
        if self._threads > 1 and self._calls % _TRIAL_EVERY == 0:
            self._trials = [self._threads, self._threads, 1, 1]
            self._took = {}
        self._calls += 1

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Run a step with the number on trial, or with the fastest so far."""
        trial = self._trials.pop(0) if self._trials else None
        torch.set_num_threads(trial or self._best)
        began = time.perf_counter()
        yield
        if trial is not None:
            # Of the two steps of each, the second counts: the first one allocates.
            self._took[trial] = time.perf_counter() - began
            self._best = min(self._took, key=self._took.__getitem__)


def checkpoint_arrays(
    game: Game, settings: NetworkSettings, names: Iterable[str], prefixes: Iterable[str]
) -> dict[str, ArrayKind]:
    """Return what `NetworkTrainer.state` must be, and the weights under further prefixes.

    The optimiser has arrays of those parameters that it has changed: `names` has them.
    """
    network = build(settings.network_info(game), seed=settings.seed)
    kinds = {
        prefix + name: ArrayKind(array.dtype.name, array.shape)
        for prefix in (_NETWORK, *prefixes)
        for name, array in weights_of(network).items()
    }
    changed = {name.split(".")[1] for name in names if name.startswith(OPTIMISER)}
    groups = parameter_groups(network, settings.learning)
    for index, parameter in enumerate(itertools.chain(*groups)):
        if str(index) in changed:
            kind, own = ArrayKind("float32", tuple(parameter.shape)), f"{OPTIMISER}{index}."
            if settings.learning.optimiser == "sgd":
                kinds |= {own + "momentum_buffer": kind}
            else:
                step = ArrayKind("float32", (), low=0)
                kinds |= {own + "step": step, own + "exp_avg": kind}
                kinds |= {own + "exp_avg_sq": replace(kind, low=0)}
    return kinds


def weights_of(network: Network) -> dict[str, np.ndarray[Any, Any]]:
    """Return a copy of a network's weights by name."""
    return {
        name: tensor.detach().cpu().contiguous().numpy().copy()
        for name, tensor in network.state_dict().items()
    }


def weights_under(state: Arrays, prefix: str) -> dict[str, np.ndarray[Any, Any]]:
    """Return the weights whose names in a checkpoint begin with a prefix."""
    return {
        name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)
    }


def set_weights(network: Network, weights: Arrays) -> None:
    """Copy weights into a network."""
    network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
