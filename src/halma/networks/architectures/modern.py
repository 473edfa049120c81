"""The default architecture: a pre-activation residual tower with global pooling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor, nn

from halma.names import Value
from halma.networks.architectures.blocks import ConvNorm, Network, SeatHead, pool
from halma.networks.network_file import NetworkInfo

#: size -> blocks and channels of the tower
SIZES = {"s": (4, 32), "m": (6, 64), "l": (8, 96)}
#: channels of the policy head, and width of the hidden layer before the values
POLICY_CHANNELS, VALUE_WIDTH = 8, 64
#: a policy matrix with more weights than this is factored into two of rank RANK
MOST_POLICY_WEIGHTS, RANK = 1_000_000, 128


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


class Modern(Network):
    """For any game, any number of players and any policy.

    The policy head is one matrix over all cells of the board, or two of low rank where that
    would be large. In a game of two players, whose scores add up, one value serves both unless
    `values` is `each`; otherwise each player has one, or each of the `seats`, whoever plays.
    """

    def __init__(self, info: NetworkInfo, options: Mapping[str, Value]) -> None:
        super().__init__(info, one_value=info.players == 2 and options["values"] == "one")
        blocks, channels = SIZES[str(options["size"])]
        blocks += int(options["extra_blocks"])
        planes, rows, columns = info.shape
        inputs = POLICY_CHANNELS * rows * columns
        self.stem = nn.Conv2d(planes, channels, 3, padding=1, bias=False)
        self.blocks = nn.Sequential(*(PreActivationBlock(channels) for _ in range(blocks)))
        self.norm = nn.BatchNorm2d(channels)
        self.policy_conv = ConvNorm(channels, POLICY_CHANNELS, 1)
        self.policy: nn.Module
        if inputs * info.actions <= MOST_POLICY_WEIGHTS:
            last = self.policy = nn.Linear(inputs, info.actions)
        else:
            last = nn.Linear(RANK, info.actions)
            self.policy = nn.Sequential(nn.Linear(inputs, RANK), last)
        self.value_hidden = nn.Linear(2 * channels, VALUE_WIDTH)
        seats = int(options["seats"]) or self.value_count
        self.value = SeatHead(VALUE_WIDTH, seats, self.value_count)
        # At first all moves and all players are nearly equal.
        for head in (last, self.value):
            nn.init.normal_(head.weight, std=0.01)
            nn.init.zeros_(head.bias)

    def start_from(self, other: Network) -> None:
        """Copy weights of a network that may have fewer blocks, or one value for both players.

        More blocks are the identity at first and the second player's logit is minus the first's,
        so that this network's outputs are those of the other one.
        """
        own, tensors = self.state_dict(), other.state_dict()
        if other.one_value and self.value_count == 2:
            for name in ("value.weight", "value.bias"):
                first = tensors[name][:1].to(own[name].device)
                tensors[name] = torch.cat((first, -first, own[name][2:]))
        self.load_state_dict(own | tensors)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.relu(self.norm(self.blocks(self.stem(planes))))
        policy = self.policy(torch.flatten(torch.relu(self.policy_conv(x)), 1))
        hidden = torch.relu(self.value_hidden(torch.flatten(pool(x), 1)))
        return policy, self.values(self.value(hidden))
