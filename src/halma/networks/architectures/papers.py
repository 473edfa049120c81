"""Networks of papers: residual towers with AlphaZero's two heads.

liu2019 (section 3.3 and figure 6): the first convolution has no padding, so the tower works on 5x5
maps. The heads have 16 and 1 filters of 1x1, and the value a hidden layer of 32. The paper's
247,386 parameters are those of this network with a bias in every convolution, although its text
says that there is none; see docs/networks.md.

hsueh2023 (appendix B): five blocks and a value for every player. The paper gives neither filters
nor heads. The blocks have two 3x3 convolutions, and the heads are AlphaZero's: 2 and 1 filters of
1x1, and a hidden layer before the values that is as wide as the tower.

schulte2021 (section 5.1): the tower's output goes through dense layers to a vector of 512, from
which policy and values are computed. The text gives neither blocks nor filters: ours are those of
the author's published code, see docs/networks.md.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping

import torch
from torch import Tensor, nn

from halma.names import Value
from halma.networks.architectures.blocks import ConvNorm, DropoutLayer, Network, xavier
from halma.networks.network_file import NetworkInfo

NARROW, WIDE = 32, 64


class ResidualBlock(nn.Sequential):
    """Convolutions by name, with a skip connection around all of them."""

    def __init__(self, **convolutions: ConvNorm) -> None:
        super().__init__(OrderedDict(convolutions))

    def forward(self, x: Tensor) -> Tensor:
        *first, last = self
        y = x
        for convolution in first:
            y = torch.relu(convolution(y))
        return torch.relu(last(y) + x)


class PaperNetwork(Network):
    """A 3x3 convolution, residual blocks, and a head each for policy and values."""

    def __init__(
        self,
        info: NetworkInfo,
        filters: int,
        blocks: Iterable[ResidualBlock],
        *,
        policy_filters: int,
        value_width: int,
        one_value: bool = False,
        bias: bool = False,
        padded: bool = True,
    ) -> None:
        super().__init__(info, one_value)
        planes, rows, columns = info.shape
        cells = rows * columns if padded else (rows - 2) * (columns - 2)
        self.stem = ConvNorm(planes, filters, 3, bias, padded)
        self.blocks = nn.Sequential(*blocks)
        self.policy_conv = ConvNorm(filters, policy_filters, 1, bias)
        self.policy = nn.Linear(policy_filters * cells, info.actions)
        self.value_conv = ConvNorm(filters, 1, 1, bias)
        self.value_hidden = nn.Linear(cells, value_width)
        self.value = nn.Linear(value_width, self.value_count)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = self.blocks(torch.relu(self.stem(planes)))
        policy = self.policy(torch.flatten(torch.relu(self.policy_conv(x)), 1))
        hidden = torch.flatten(torch.relu(self.value_conv(x)), 1)
        value = self.value(torch.relu(self.value_hidden(hidden)))
        # The papers' values are tanh(v) in [-1, 1]; scaled to [0, 1], that is sigmoid(2 v).
        return policy, self.values(value + value)


def liu2019(info: NetworkInfo, options: Mapping[str, Value]) -> Network:
    """Return liu2019's network, with one value for two players."""
    bias = options["bias"] == "on"
    blocks = (
        ResidualBlock(
            narrow=ConvNorm(WIDE, NARROW, 1, bias),
            across=ConvNorm(NARROW, NARROW, 3, bias),
            widen=ConvNorm(NARROW, WIDE, 1, bias),
        )
        for _ in range(9)
    )
    network = PaperNetwork(
        info,
        WIDE,
        blocks,
        policy_filters=16,
        value_width=32,
        one_value=True,
        bias=bias,
        padded=False,
    )
    xavier(network)
    return network


def hsueh2023(info: NetworkInfo, options: Mapping[str, Value]) -> Network:
    """Return hsueh2023's network, with a value for every player."""
    filters = int(options["filters"])
    network = PaperNetwork(info, filters, _tower(5, filters), policy_filters=2, value_width=filters)
    if options["even"] == "on":
        nn.init.zeros_(network.value.weight)
        nn.init.zeros_(network.value.bias)
    return network


class Schulte2021(Network):
    """A residual tower, two dense layers with dropout, and a layer each for policy and values."""

    def __init__(self, info: NetworkInfo, options: Mapping[str, Value]) -> None:
        super().__init__(info, one_value=False)
        planes, rows, columns = info.shape
        blocks, filters, width = (int(options[key]) for key in ("blocks", "filters", "width"))
        dropout = float(options["dropout"])
        self.stem = ConvNorm(planes, filters, 3)
        self.blocks = nn.Sequential(*_tower(blocks, filters))
        self.first = DropoutLayer(filters * rows * columns, width, dropout)
        self.second = DropoutLayer(width, width, dropout)
        self.policy = nn.Linear(width, info.actions)
        self.value = nn.Linear(width, info.players)
        xavier(self)
        # A ReLU that is 0 for every position has no gradient: all values begin above 0.
        nn.init.normal_(self.value.weight, std=0.01)
        nn.init.constant_(self.value.bias, 1 / info.players)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = self.blocks(torch.relu(self.stem(planes)))
        x = self.second(self.first(torch.flatten(x, 1)))
        return self.policy(x), self.relu_values(self.value(x))


def _tower(blocks: int, filters: int) -> Iterator[ResidualBlock]:
    """Return residual blocks of two 3x3 convolutions."""
    for _ in range(blocks):
        yield ResidualBlock(
            first=ConvNorm(filters, filters, 3), second=ConvNorm(filters, filters, 3)
        )
