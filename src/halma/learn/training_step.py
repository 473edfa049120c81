"""One step of gradient descent: losses, backward pass, clipping, and the optimiser's update.

On a GPU the network runs in bfloat16 with float32 master weights, and the whole step is
captured as a CUDA graph: launched one by one, its some hundred small kernels leave a large GPU
idle for most of the time.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from halma.learn.batches import Batch
from halma.learn.sections import LearningSettings
from halma.networks.architectures.blocks import Network
from halma.networks.torch_evaluator import CAPTURING

#: Distance from 0 and 1 at which values are clipped before a logarithm.
_EPSILON = 1e-6
#: Steps before a graph is captured: they allocate, choose algorithms, and may compile.
_STEPS_BEFORE_CAPTURE = 3


class TrainingStep:
    """Makes steps on batches from the CPU, there or on a GPU.

    `compiled` runs the network's forward and backward pass through torch.compile. Calls and what
    reads their results belong into `queue()`, where all of a GPU's work goes to one stream.
    """

    def __init__(
        self, network: Network, learning: LearningSettings, device: torch.device, compiled: bool
    ) -> None:
        self.network = network
        self.device = device
        self.optimiser = _optimiser(network, learning, device)
        self._learning = learning
        self._on_gpu = device.type == "cuda"
        # The losses depend on the number of legal moves, and are not compiled again for each.
        self._evaluate = torch.compile(network, dynamic=False) if compiled else network
        #: planes, actions, targets and outcomes of the step on the device
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

    def __call__(self, batch: Batch, rate: float) -> Tensor:
        """Make a step and return the losses of policy and values: (2,)."""
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)  # its value is read by the captured work
            else:
                group["lr"] = rate
        if not self._on_gpu:
            return self._step(batch.tensors)
        self._copy(batch)
        if self._graph is None:
            if self._steps_before_capture:
                self._steps_before_capture -= 1
                return self._step(self._inputs)
            self._capture()
        self._graph.replay()
        return self._graph_losses.clone()

    def _copy(self, batch: Batch) -> None:
        """Copy a batch to where the graph reads it; a larger batch needs another graph."""
        rows, width = batch.actions.shape
        if not self._inputs or len(self._inputs[0]) != rows or self._inputs[1].shape[1] < width:
            self._inputs = tuple(torch.empty_like(x, device=self.device) for x in batch.tensors)
            self._graph, self._steps_before_capture = None, _STEPS_BEFORE_CAPTURE
        planes, actions, targets, outcomes = self._inputs
        planes.copy_(batch.planes, non_blocking=True)
        actions[:, :width].copy_(batch.actions, non_blocking=True)
        actions[:, width:] = -1
        targets[:, :width].copy_(batch.targets, non_blocking=True)
        targets[:, width:] = 0
        outcomes.copy_(batch.outcomes, non_blocking=True)
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
        policy_loss, value_loss = self._losses(*inputs)
        loss = policy_loss + self._learning.value_weight * value_loss
        loss.backward()  # type: ignore[no-untyped-call]
        if self._learning.gradient_clip:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._learning.gradient_clip)
        self.optimiser.step()
        return torch.stack((policy_loss, value_loss)).detach()

    def _losses(
        self, planes: Tensor, actions: Tensor, targets: Tensor, outcomes: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the losses of policy and values; on a GPU only the network is in bfloat16."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._on_gpu):
            policy, values = self._evaluate(planes.contiguous(memory_format=torch.channels_last))
        return (
            policy_cross_entropy(policy.float(), actions, targets),
            value_error(values.float(), outcomes, self._learning.value_loss),
        )


def policy_cross_entropy(logits: Tensor, actions: Tensor, targets: Tensor) -> Tensor:
    """Return the mean cross-entropy of policy targets and the policy over legal moves.

    `logits` is (n, policy indices); `actions` has the indices of legal moves, then -1, and
    `targets` their targets: (n, width).
    """
    none = actions < 0
    legal = logits.gather(1, actions.clamp(min=0).long()).masked_fill(none, -torch.inf)
    logs = functional.log_softmax(legal, dim=1).masked_fill(none, 0.0)
    return -(targets * logs).sum(1).mean()


def value_error(values: Tensor, outcomes: Tensor, kind: str) -> Tensor:
    """Return the mean loss between values and outcomes, both (n, players)."""
    if kind == "squared":
        return functional.mse_loss(values, outcomes)
    likely = values.clamp(_EPSILON, 1 - _EPSILON)
    return -(outcomes * likely.log() + (1 - outcomes) * (1 - likely).log()).mean()


def _optimiser(
    network: Network, learning: LearningSettings, device: torch.device
) -> torch.optim.Optimizer:
    """Return the optimiser; on a GPU its rate is a tensor, and one kernel updates all weights."""
    on_gpu = device.type == "cuda"
    rate: Any = torch.tensor(learning.rate, device=device) if on_gpu else learning.rate
    common: dict[str, Any] = {"lr": rate, "weight_decay": learning.weight_decay, "fused": on_gpu}
    if learning.optimiser == "sgd":
        momentum = learning.momentum
        return torch.optim.SGD(
            network.parameters(), momentum=momentum, nesterov=momentum > 0, **common
        )
    return torch.optim.AdamW(network.parameters(), capturable=on_gpu, **common)
