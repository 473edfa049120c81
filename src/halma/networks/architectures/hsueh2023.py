"""hsueh2023's network (appendix B): a ResNet of five blocks with a value for every player.

The paper gives neither filters nor heads. The blocks have two 3x3 convolutions, and the heads
are AlphaZero's: 2 and 1 filters of 1x1, and a hidden layer before the values that is as wide
as the tower.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from halma.names import Value
from halma.networks.architectures.blocks import ConvNorm, Network
from halma.networks.network_file import NetworkInfo

BLOCKS = 5
POLICY_FILTERS, VALUE_FILTERS = 2, 1


class BasicBlock(nn.Module):
    """Two 3x3 convolutions with a skip connection."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.first = ConvNorm(filters, filters, 3)
        self.second = ConvNorm(filters, filters, 3)

    def forward(self, x: Tensor) -> Tensor:
        """Return the output of the block."""
        return torch.relu(self.second(torch.relu(self.first(x))) + x)


class Hsueh2023(Network):
    """The paper's residual network, with a value for every player."""

    def __init__(self, info: NetworkInfo, options: Mapping[str, Value]) -> None:
        super().__init__(info)
        filters = int(options["filters"])
        planes, rows, columns = info.shape
        cells = rows * columns
        self.stem = ConvNorm(planes, filters, 3)
        self.blocks = nn.Sequential(*(BasicBlock(filters) for _ in range(BLOCKS)))
        self.policy_conv = ConvNorm(filters, POLICY_FILTERS, 1)
        self.policy = nn.Linear(POLICY_FILTERS * cells, info.actions)
        self.value_conv = ConvNorm(filters, VALUE_FILTERS, 1)
        self.value_hidden = nn.Linear(VALUE_FILTERS * cells, filters)
        self.value = nn.Linear(filters, info.players)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = self.blocks(torch.relu(self.stem(planes)))
        policy = self.policy(torch.flatten(torch.relu(self.policy_conv(x)), 1))
        hidden = torch.flatten(torch.relu(self.value_conv(x)), 1)
        value = self.value(torch.relu(self.value_hidden(hidden)))
        # The paper's values are in [-1, 1]; scaled to [0, 1], tanh(v) is sigmoid(2 v).
        return policy, torch.sigmoid(value + value)
