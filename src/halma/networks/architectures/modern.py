"""The default architecture: a pre-activation residual tower with global pooling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import torch
from torch import Tensor, nn

from halma.games import game
from halma.names import Value
from halma.networks.architectures.blocks import ConvNorm, Network, pool
from halma.networks.network_file import NetworkInfo

#: size -> blocks and channels of the tower
SIZES = {"s": (4, 32), "m": (6, 64), "l": (8, 96)}
#: channels of the policy head, and width of the hidden layer before the values
POLICY_CHANNELS, VALUE_WIDTH = 8, 64
#: a policy matrix with more weights than this is factored into two of rank RANK
MOST_POLICY_WEIGHTS, RANK = 1_000_000, 128
#: length of the embeddings of cells
PAIR_WIDTH = 32


class PreActivationBlock(nn.Module):
    """Norm, ReLU and convolution, twice, with a skip connection and global pooling.

    Pooling gives every cell information about the whole board, such as who leads a race.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.first = ConvNorm(channels, channels, 3)
        self.overall = nn.Conv2d(2 * channels, channels, 1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        nn.init.zeros_(self.second.weight)  # a new block is the identity

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(torch.relu(self.norm(x)))
        y = torch.relu(y + self.overall(pool(y)))
        return cast(Tensor, x + self.second(y))


class PairPolicy(nn.Module):
    """Scores a move by the product of two embeddings: of the cell it leaves, and of its end.

    What is learned about a cell serves all moves from it and to it. A pass, which has no cells,
    is scored like any other pair: it is a player's only move.
    """

    def __init__(self, cells: Sequence[Sequence[int]], channels: int) -> None:
        """Make a head for moves with the given cells: (actions, 2)."""
        super().__init__()
        self.sources = nn.Conv2d(channels, PAIR_WIDTH, 1)
        self.targets = nn.Conv2d(channels, PAIR_WIDTH, 1)
        self.bias = nn.Parameter(torch.zeros(len(cells)))
        used = sorted({cell for pair in cells for cell in pair if cell >= 0})
        rank = {cell: number for number, cell in enumerate(used)}
        pairs = [rank.get(source, 0) * len(used) + rank.get(target, 0) for source, target in cells]
        self.used: Tensor
        self.pairs: Tensor
        self.register_buffer("used", torch.tensor(used), persistent=False)
        self.register_buffer("pairs", torch.tensor(pairs), persistent=False)
        _start_small(self.targets)

    def forward(self, x: Tensor) -> Tensor:
        sources = torch.flatten(self.sources(x), 2).index_select(2, self.used)
        targets = torch.flatten(self.targets(x), 2).index_select(2, self.used)
        products = torch.flatten(torch.matmul(sources.transpose(1, 2), targets), 1)
        return products.index_select(1, self.pairs) + self.bias


class Modern(Network):
    """For any game, any number of players and any policy.

    The policy head is one matrix over all cells of the board, or two of low rank where that
    would be large, or products of cells (`policy=pairs`). In a game of two players, whose scores
    add up, one value serves both; otherwise each player has one.
    """

    def __init__(self, info: NetworkInfo, options: Mapping[str, Value]) -> None:
        super().__init__(info, one_value=info.players == 2)
        blocks, channels = SIZES[str(options["size"])]
        planes = info.shape[0]
        self.stem = nn.Conv2d(planes, channels, 3, padding=1, bias=False)
        self.blocks = nn.Sequential(*(PreActivationBlock(channels) for _ in range(blocks)))
        self.norm = nn.BatchNorm2d(channels)
        self.policy: nn.Module
        self.policy_conv: nn.Module | None = None
        if options["policy"] == "pairs":
            self.policy = PairPolicy(game(info.game).core.action_cells, channels)
        else:
            inputs = POLICY_CHANNELS * info.shape[1] * info.shape[2]
            self.policy_conv = ConvNorm(channels, POLICY_CHANNELS, 1)
            if inputs * info.actions <= MOST_POLICY_WEIGHTS:
                last = self.policy = nn.Linear(inputs, info.actions)
            else:
                last = nn.Linear(RANK, info.actions)
                self.policy = nn.Sequential(nn.Linear(inputs, RANK), last)
            _start_small(last)
        self.value_hidden = nn.Linear(2 * channels, VALUE_WIDTH)
        self.value = nn.Linear(VALUE_WIDTH, self.value_count)
        _start_small(self.value)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.relu(self.norm(self.blocks(self.stem(planes))))
        hidden = torch.relu(self.value_hidden(torch.flatten(pool(x), 1)))
        values = self.values(self.value(hidden))
        if self.policy_conv is not None:
            x = torch.flatten(torch.relu(self.policy_conv(x)), 1)
        return self.policy(x), values


def _start_small(layer: nn.Linear | nn.Conv2d) -> None:
    """Make the outputs of a new layer nearly equal: all moves, or all players."""
    nn.init.normal_(layer.weight, std=0.01)
    assert layer.bias is not None
    nn.init.zeros_(layer.bias)
