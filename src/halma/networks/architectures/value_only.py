"""Networks without a policy head: values alone, and a policy that is the same for all moves.

Searches that evaluate all moves of a position, such as the rule `expansion`, need no more; other
rules search with equal priors.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from halma.names import Value
from halma.networks.architectures.blocks import Network, TrainingLayer
from halma.networks.network_file import NetworkInfo

#: planes that pluska2022's network sees: own men, own kings, the opponent's men and kings
_PIECE_PLANES = 4
#: rows under the kernel
_ROWS = 3


class UniformPolicy(TrainingLayer):
    """Logits that are all 0: (n, inputs) to (n, actions)."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.inputs, self.actions = inputs, actions

    def forward(self, x: Tensor) -> Tensor:
        return x.new_zeros((len(x), self.actions))

    def inference_layer(self) -> nn.Module:
        """Return a dense layer without weight."""
        layer = nn.Linear(self.inputs, self.actions, bias=False)
        nn.init.zeros_(layer.weight)
        return layer.requires_grad_(False)


class ValueNetwork(Network):
    """A network whose only head are values."""

    value_only = True

    def __init__(self, info: NetworkInfo) -> None:
        super().__init__(info, one_value=info.players == 2)
        self.policy = UniformPolicy(self.value_count, info.actions)

    def outputs(self, logits: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy and values from the logits of values: (n, value_count)."""
        return self.policy(logits), self.values(logits)


class LinearValues(ValueNetwork):
    """One linear layer over all planes, or two with a hidden layer between; for any game."""

    def __init__(self, info: NetworkInfo, options: Mapping[str, Value]) -> None:
        super().__init__(info)
        planes, rows, columns = info.shape
        inputs, width = planes * rows * columns, int(options["hidden"])
        self.hidden = nn.Linear(inputs, width) if width else None
        self.value = nn.Linear(width or inputs, self.value_count)
        # At first all positions are nearly equal.
        nn.init.normal_(self.value.weight, std=0.01)
        nn.init.zeros_(self.value.bias)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.flatten(planes, 1)
        if self.hidden is not None:
            x = torch.relu(self.hidden(x))
        return self.outputs(self.value(x))


class RowKernel(TrainingLayer):
    """A convolution over consecutive rows of a chequered board: flat planes to (n, windows).

    The cells that are used, every second one, are numbered row by row. The kernel covers three rows
    of them and moves on by one: on 8 x 8 it has 12 elements and a stride of 4, and 6 windows.
    """

    def __init__(self, shape: tuple[int, int, int], features: int) -> None:
        super().__init__()
        planes, rows, columns = shape
        board = torch.arange(rows * columns).reshape(rows, columns)
        used = torch.cat([row[(number + 1) % 2 :: 2] for number, row in enumerate(board)])
        cells = torch.arange(min(planes, _PIECE_PLANES))[:, None] * rows * columns + used
        #: flat indices of the used cells: (planes, used)
        self.cells = cells
        self.inputs, self.width = planes * rows * columns, columns // 2
        self.windows = rows - _ROWS + 1
        self.conv = nn.Conv1d(len(cells), features, _ROWS * self.width, stride=self.width)

    def forward(self, x: Tensor) -> Tensor:
        used = x[:, self.cells.to(x.device)]
        return torch.flatten(self.conv(used), 1)

    def inference_layer(self) -> nn.Module:
        """Return a dense layer with the same outputs."""
        with torch.no_grad():
            seen = functional.one_hot(torch.arange(self.inputs), self.inputs).float()
            bias = self(torch.zeros(1, self.inputs))[0]
            layer = nn.Linear(self.inputs, len(bias))
            layer.weight.copy_((self(seen) - bias).T)
            layer.bias.copy_(bias)
        return layer.requires_grad_(False)


class Pluska2022(ValueNetwork):
    """pluska2022's network: a row kernel, a layer that combines its windows, and a linear layer."""

    def __init__(self, info: NetworkInfo, options: Mapping[str, Value]) -> None:
        super().__init__(info)
        features, combined = int(options["features"]), int(options["combined"])
        self.rows = RowKernel(info.shape, features)
        self.combine = nn.Linear(features * self.rows.windows, combined)
        self.value = nn.Linear(combined, self.value_count)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.relu(self.rows(torch.flatten(planes, 1)))
        return self.outputs(self.value(torch.relu(self.combine(x))))
