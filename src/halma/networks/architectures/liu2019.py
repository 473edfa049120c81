"""liu2019's network (section 3.3 and figure 6).

The first convolution has no padding, so the tower works on 5x5 maps. The heads have 16 and 1
filters of 1x1, and the value a hidden layer of 32. The paper's 247,386 parameters are those of
this network with a bias in every convolution, although its text says that there is none; see
docs/networks.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from halma.names import Value
from halma.networks.architectures.blocks import ConvNorm, Network, zero_sum_values
from halma.networks.network_file import NetworkInfo

BLOCKS = 9
NARROW, WIDE = 32, 64
POLICY_FILTERS, VALUE_FILTERS, VALUE_WIDTH = 16, 1, 32


class Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions with a skip connection."""

    def __init__(self, bias: bool) -> None:
        super().__init__()
        self.narrow = ConvNorm(WIDE, NARROW, 1, bias)
        self.across = ConvNorm(NARROW, NARROW, 3, bias)
        self.widen = ConvNorm(NARROW, WIDE, 1, bias)

    def forward(self, x: Tensor) -> Tensor:
        """Return the output of the block."""
        y = torch.relu(self.across(torch.relu(self.narrow(x))))
        return torch.relu(self.widen(y) + x)


class Liu2019(Network):
    """The paper's residual network, with one value for two players."""

    def __init__(self, info: NetworkInfo, options: Mapping[str, Value]) -> None:
        super().__init__(info)
        planes, rows, columns = info.shape
        cells = (rows - 2) * (columns - 2)
        bias = options["bias"] == "on"
        self.stem = ConvNorm(planes, WIDE, 3, bias, padded=False)
        self.blocks = nn.Sequential(*(Bottleneck(bias) for _ in range(BLOCKS)))
        self.policy_conv = ConvNorm(WIDE, POLICY_FILTERS, 1, bias)
        self.policy = nn.Linear(POLICY_FILTERS * cells, info.actions)
        self.value_conv = ConvNorm(WIDE, VALUE_FILTERS, 1, bias)
        self.value_hidden = nn.Linear(VALUE_FILTERS * cells, VALUE_WIDTH)
        self.value = nn.Linear(VALUE_WIDTH, 1)
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = self.blocks(torch.relu(self.stem(planes)))
        policy = self.policy(torch.flatten(torch.relu(self.policy_conv(x)), 1))
        hidden = torch.flatten(torch.relu(self.value_conv(x)), 1)
        value = self.value(torch.relu(self.value_hidden(hidden)))
        # The paper's value is tanh(v) in [-1, 1]; scaled to [0, 1], that is sigmoid(2 v).
        return policy, zero_sum_values(value + value)
