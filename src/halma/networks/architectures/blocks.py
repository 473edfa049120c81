"""The base class of networks in torch, and layers they share."""

from __future__ import annotations

import copy
from typing import cast

import torch
import torch.fx
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from halma.networks.network_file import NetworkInfo


class Network(nn.Module):
    """A network for one variant.

    It takes planes (n, planes, rows, columns) and returns policy logits (n, actions) and
    values (n, players): each player's expected score as a share of the highest score, the
    mover first and then in turn.
    """

    def __init__(self, info: NetworkInfo, one_value: bool) -> None:
        """Make a network whose head has one value for both of two players, or one for each."""
        super().__init__()
        self.info = info
        self.one_value = one_value
        self.value_count = 1 if one_value else info.players

    def values(self, logits: Tensor) -> Tensor:
        """Return values in [0, 1] from logits; of one logit, those of both players."""
        if self.one_value:
            logits = torch.cat((logits, torch.neg(logits)), 1)
        return torch.sigmoid(logits)


class ConvNorm(nn.Module):
    """A convolution followed by a batch norm; without padding the board shrinks."""

    def __init__(
        self, inputs: int, outputs: int, kernel: int, bias: bool = False, padded: bool = True
    ) -> None:
        super().__init__()
        padding = kernel // 2 if padded else 0
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=padding, bias=bias)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.norm(self.conv(x)))


def for_inference(network: Network) -> Network:
    """Return a frozen copy on the CPU, in eval mode, with batch norms folded into convolutions."""
    frozen = copy.deepcopy(network).cpu().float().eval().requires_grad_(False)
    for module in list(frozen.modules()):
        for name, child in module.named_children():
            if isinstance(child, ConvNorm):
                setattr(module, name, fuse_conv_bn_eval(child.conv, child.norm))
    return frozen


def pool(x: Tensor) -> Tensor:
    """Return mean and maximum of every channel over the board: (n, 2 channels, 1, 1)."""
    return torch.cat((torch.mean(x, (2, 3), True), global_max(x)), 1)


@torch.fx.wrap
def global_max(x: Tensor) -> Tensor:
    """Return the maximum of every channel over the board: (n, channels, 1, 1).

    Its gradient goes to the index of the maximum. That of torch.amax goes to all cells that equal
    it, which compiled code computes again with other rounding: there may be none, and 0 / 0.
    """
    return torch.max(torch.flatten(x, 2), 2, keepdim=True).values.unsqueeze(3)
