"""One step of gradient descent: losses, backward pass, clipping, and the optimiser's update.

On a GPU the network runs in bfloat16 with float32 master weights, and the whole step is
captured as a CUDA graph: launched one by one, its some hundred small kernels leave a large GPU
idle for most of the time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.nn import functional

from halma.learn.sections.dqn import OptimiserSettings
from halma.learn.sections.training import LearningSettings
from halma.networks.architectures.blocks import Network
from halma.networks.torch_evaluator import CAPTURING

#: Distance from 0 and 1 at which values are clipped before a logarithm.
_EPSILON = 1e-6
#: Steps before a graph is captured: they allocate, choose algorithms, and may compile.
_STEPS_BEFORE_CAPTURE = 3


class StepBatch(Protocol):
    """The inputs of a step on the CPU."""

    #: event after which a GPU has copied the batch
    copied: Any

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The inputs, a row for each sample."""

    @property
    def padding(self) -> tuple[float | None, ...]:
        """What fills the columns that an input lacks; None where their number is fixed."""


class TrainingStep(ABC):
    """Makes steps on batches from the CPU, there or on a GPU; a subclass has the losses.

    `compiled` runs the network's forward and backward pass through torch.compile. Calls and what
    reads their results belong into `queue()`, where all of a GPU's work goes to one stream.
    """

    def __init__(
        self, network: Network, learning: OptimiserSettings, device: torch.device, compiled: bool
    ) -> None:
        self.network = network
        self.device = device
        self.optimiser = _optimiser(network, learning, device)
        self._gradient_clip = learning.gradient_clip
        self._on_gpu = device.type == "cuda"
        # The losses depend on the number of legal moves, and are not compiled again for each.
        self._evaluate = torch.compile(network, dynamic=False) if compiled else network
        #: the batch on the device
        self._inputs: tuple[Tensor, ...] = ()
        self._graph: Any = None
        self._graph_losses: Tensor
        self._steps_before_capture = 0
        # Before self-play, which has the rest of the time.
        self._stream: Any = torch.cuda.Stream(device, priority=-1) if self._on_gpu else None  # type: ignore[no-untyped-call]

    def queue(self) -> Any:
        """Return the context in which steps are made."""
        if not self._on_gpu:
            return nullcontext()
        self._stream.wait_stream(torch.cuda.current_stream(self.device))
        return torch.cuda.stream(self._stream)

    @abstractmethod
    def losses(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss to minimise, and the figures to report: (figures,)."""

    def __call__(self, batch: StepBatch, rate: float) -> Tensor:
        """Make a step and return the figures to report: (figures,)."""
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)  # its value is read by the captured work
            else:
                group["lr"] = rate
        if not self._on_gpu:
            return self._step(batch.tensors)
        self._copy(batch)
        with CAPTURING:  # torch refuses to draw dropout while another thread captures
            if self._graph is None:
                if self._steps_before_capture:
                    self._steps_before_capture -= 1
                    return self._step(self._inputs)
                self._capture()
            self._graph.replay()
            return self._graph_losses.clone()

    def _copy(self, batch: StepBatch) -> None:
        """Copy a batch to where the graph reads it; a larger batch needs another graph."""
        inputs = batch.tensors
        if not self._inputs or any(map(_is_smaller, self._inputs, inputs)):
            self._inputs = tuple(torch.empty_like(x, device=self.device) for x in inputs)
            self._graph, self._steps_before_capture = None, _STEPS_BEFORE_CAPTURE
        for there, here, filling in zip(self._inputs, inputs, batch.padding, strict=True):
            if filling is None:
                there.copy_(here, non_blocking=True)
                continue
            width = here.shape[1]
            there[:, :width].copy_(here, non_blocking=True)
            there[:, width:] = filling
        batch.copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
        batch.copied.record()

    def _capture(self) -> None:
        """Record a step without making it; gradients get memory of the graph's own."""
        self.optimiser.zero_grad(set_to_none=True)
        self._graph = torch.cuda.CUDAGraph()
        with (
            CAPTURING,
            torch.cuda.graph(self._graph, stream=self._stream, capture_error_mode="thread_local"),
        ):
            self._graph_losses = self._step(self._inputs)

    def _step(self, inputs: tuple[Tensor, ...]) -> Tensor:
        self.optimiser.zero_grad(set_to_none=True)
        loss, figures = self.losses(*inputs)
        loss.backward()  # type: ignore[no-untyped-call]
        if self._gradient_clip:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._gradient_clip)
        self.optimiser.step()
        return figures.detach()


class PolicyValueStep(TrainingStep):
    """AlphaZero's steps; the figures are the losses of policy and values."""

    def __init__(
        self, network: Network, learning: LearningSettings, device: torch.device, compiled: bool
    ) -> None:
        super().__init__(network, learning, device, compiled)
        self._learning = learning

    def losses(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return the losses of planes, actions, targets and outcomes.

        On a GPU only the network is in bfloat16.
        """
        planes, actions, targets, outcomes = inputs
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._on_gpu):
            policy, values = self._evaluate(planes.contiguous(memory_format=torch.channels_last))
        if self.network.value_only:
            policy_loss = values.new_zeros((), dtype=torch.float32)
        else:
            over = self._learning.policy_loss
            policy_loss = policy_cross_entropy(policy.float(), actions, targets, over)
        value_loss = value_error(values.float(), outcomes, self._learning.value_loss)
        total = policy_loss + self._learning.value_weight * value_loss
        return total, torch.stack((policy_loss, value_loss))


def _is_smaller(there: Tensor, here: Tensor) -> bool:
    """Whether an input has other rows than a buffer for it, or more columns."""
    return len(there) != len(here) or there.shape[1] < here.shape[1]


def policy_cross_entropy(
    logits: Tensor, actions: Tensor, targets: Tensor, over: str = "legal"
) -> Tensor:
    """Return the mean cross-entropy of policy targets and policy.

    The policy is the softmax over `legal` moves, `all` actions, or those with a `target` above 0.
    `logits` is (n, policy indices); `actions` has the indices of legal moves, then -1, and
    `targets` their targets: (n, width).
    """
    none, indices = actions < 0, actions.clamp(min=0).long()
    if over == "all":
        logs = functional.log_softmax(logits, dim=1).gather(1, indices)
    else:
        if over == "target":
            none = none | (targets <= 0)
        some = logits.gather(1, indices).masked_fill(none, -torch.inf)
        logs = functional.log_softmax(some, dim=1)
    return -(targets * logs.masked_fill(none, 0.0)).sum(1).mean()


def illegal_shares(logits: Tensor, actions: Tensor) -> Tensor:
    """Return the probability that a softmax over all actions gives to illegal moves: (n,).

    `logits` is (n, policy indices); `actions` has the indices of legal moves, then -1: (n, width).
    """
    illegal = torch.ones_like(logits, dtype=torch.bool)
    rows, columns = torch.nonzero(actions >= 0, as_tuple=True)
    illegal[rows, actions[rows, columns].long()] = False
    # Not 1 minus the others', which would be lost in rounding where it is small.
    return (logits.softmax(1) * illegal).sum(1)


def value_error(values: Tensor, outcomes: Tensor, kind: str) -> Tensor:
    """Return the mean loss between values and outcomes, both (n, players)."""
    if kind == "squared":
        return functional.mse_loss(values, outcomes)
    likely = values.clamp(_EPSILON, 1 - _EPSILON)
    return -(outcomes * likely.log() + (1 - outcomes) * (1 - likely).log()).mean()


def parameter_groups(network: Network, learning: OptimiserSettings) -> list[list[Tensor]]:
    """Return the parameters that decay and, unless all of them do, those that do not.

    An optimiser numbers its memory in this order.
    """
    parameters: list[Tensor] = list(network.parameters())
    if learning.decay_all:
        return [parameters]
    # Weights of layers have a dimension for inputs and one for outputs, biases and norms have one.
    return [[p for p in parameters if p.dim() > 1], [p for p in parameters if p.dim() == 1]]


def _optimiser(
    network: Network, learning: OptimiserSettings, device: torch.device
) -> torch.optim.Optimizer:
    """Return the optimiser; on a GPU its rate is a tensor, and one kernel updates all weights."""
    on_gpu = device.type == "cuda"
    rate: Any = torch.tensor(learning.rate, device=device) if on_gpu else learning.rate
    decays = (learning.weight_decay, 0.0)
    groups: Any = [
        {"params": some, "weight_decay": decay}
        for some, decay in zip(parameter_groups(network, learning), decays, strict=False)
    ]
    if learning.optimiser == "sgd":
        momentum = learning.momentum
        return torch.optim.SGD(groups, rate, momentum, nesterov=momentum > 0, fused=on_gpu)
    return torch.optim.AdamW(groups, rate, capturable=on_gpu, fused=on_gpu)
