"""Training of evaluators: small networks with sparse inputs, in torch and then in whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from halma import _core
from halma.games import Game

if TYPE_CHECKING:
    from halma.tensors import Arrays

_CORE = _core.SparseNetwork
#: the largest output of a unit
_CLIP = _CORE.CLIP / _CORE.UNIT


@dataclass(frozen=True)
class SparseSamples:
    """Positions to learn from."""

    #: uint16 (positions, most inputs): inputs that are set, filled up with the number of inputs
    inputs: np.ndarray[Any, np.dtype[np.uint16]]
    #: float32 (positions): the mover's chance of winning
    targets: np.ndarray[Any, np.dtype[np.float32]]

    def __len__(self) -> int:
        return len(self.targets)

    @classmethod
    def join(cls, parts: list[SparseSamples]) -> SparseSamples:
        """Return the positions of all parts."""
        return cls(
            np.concatenate([part.inputs for part in parts]),
            np.concatenate([part.targets for part in parts]),
        )


class SparseModel(nn.Module):
    """The network of `core/search/sparse_network.hpp` in floating point; its output is log odds."""

    def __init__(self, inputs: int, most: int) -> None:
        super().__init__()
        # The row after the last is that of no input.
        self.first = nn.EmbeddingBag(inputs + 1, _CORE.ACCUMULATOR, mode="sum", padding_idx=inputs)
        self.bias = nn.Parameter(torch.zeros(_CORE.ACCUMULATOR))
        self.hidden = nn.Linear(_CORE.ACCUMULATOR, _CORE.HIDDEN)
        self.output = nn.Linear(_CORE.HIDDEN, 1)
        nn.init.uniform_(self.first.weight, -0.1, 0.1)
        with torch.no_grad():
            self.first.weight[inputs].zero_()
        # No sum of as many inputs as can be set overflows 16 bits.
        self._largest = (2**15 - 1) / _CORE.UNIT / (most + 1) - 1 / _CORE.UNIT

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return log odds (positions) of inputs (positions, most inputs)."""
        sums: torch.Tensor = self.first(inputs) + self.bias
        hidden: torch.Tensor = self.hidden(sums.clamp(0, _CLIP)).clamp(0, _CLIP)
        odds: torch.Tensor = self.output(hidden)
        return odds[:, 0]

    @torch.no_grad()
    def keep_in_range(self) -> None:
        """Clip weights to what the core can hold."""
        self.first.weight.clamp_(-self._largest, self._largest)
        self.bias.clamp_(-self._largest, self._largest)
        most = _CORE.MAX_WEIGHT / _CORE.WEIGHT_UNIT
        for layer in (self.hidden, self.output):
            layer.weight.clamp_(-most, most)

    def quantised(self) -> Arrays:
        """Return the network in whole numbers, as the core evaluates it."""

        def rounded(values: torch.Tensor, unit: int, kind: type) -> np.ndarray[Any, np.dtype[Any]]:
            return np.ascontiguousarray(np.rint(values.detach().numpy() * unit), dtype=kind)

        unit, weight = _CORE.UNIT, _CORE.WEIGHT_UNIT
        return {
            "input_weights": rounded(self.first.weight[:-1], unit, np.int16),
            "input_biases": rounded(self.bias, unit, np.int16),
            "hidden_weights": rounded(self.hidden.weight, weight, np.int16),
            "hidden_biases": rounded(self.hidden.bias, unit * weight, np.int32),
            "output_weights": rounded(self.output.weight[0], weight, np.int16),
            "output_bias": rounded(self.output.bias, unit * weight, np.int32),
        }


def train_model(
    game: Game,
    samples: SparseSamples,
    epochs: float,
    seed: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    batch: int = 4096,
    rate: float = 0.008,
    threads: int = 1,
) -> tuple[SparseModel, float]:
    """Train a new network by cross entropy; return it and the mean loss of its last steps."""
    torch.set_num_threads(threads)
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    model = SparseModel(_core.input_count(game.core), _core.max_inputs(game.core))
    steps = max(int(epochs * len(samples) / batch), 10)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps)
    losses = []
    for step in range(steps):
        rows = rng.integers(len(samples), size=min(batch, len(samples)))
        inputs = torch.from_numpy(samples.inputs[rows].astype(np.int64))
        targets = torch.from_numpy(samples.targets[rows])
        loss = nn.functional.binary_cross_entropy_with_logits(model(inputs), targets)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        model.keep_in_range()
        losses.append(loss.item())
        progress(step + 1, steps)
    return model, float(np.mean(losses[-max(steps // 10, 1) :]))
