"""The base class of networks in torch, and layers they share."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import ClassVar, cast

import torch
import torch.fx
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

from halma.networks.network_file import NetworkInfo


class Network(nn.Module):
    """A network for one variant.

    It takes planes (n, planes, rows, columns) and returns policy logits (n, actions) and
    values (n, players): each player's expected score as a share of the highest score, the
    mover first and then in turn.
    """

    #: whether its policy is the same for all moves, so that there is none to be trained
    value_only: ClassVar[bool] = False

    def __init__(self, info: NetworkInfo, one_value: bool) -> None:
        """Make a network whose head has one value for both of two players, or one for each."""
        super().__init__()
        self.info = info
        self.one_value = one_value
        self.value_count = 1 if one_value else info.players

    def start_from(self, other: Network) -> None:
        """Copy weights of a network whose `NetworkInfo` is accepted by `check_weights_for`."""
        self.load_state_dict(other.state_dict())

    def values(self, logits: Tensor) -> Tensor:
        """Return values in [0, 1] from logits; of one logit, those of both players."""
        if self.one_value:
            logits = torch.cat((logits, torch.neg(logits)), 1)
        return torch.sigmoid(logits)

    def relu_values(self, scores: Tensor) -> Tensor:
        """Return values that are ReLUs.

        In training they have no upper bound; otherwise the highest score is theirs as well.
        """
        return torch.relu(scores) if self.training else bounded(scores)


class TrainingLayer(nn.Module):
    """A layer that inference replaces by a plain one with the same outputs."""

    @abstractmethod
    def inference_layer(self) -> nn.Module:
        """Return the layer for inference."""


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


class DenseNorm(nn.Module):
    """A dense layer followed by a batch norm."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.dense = nn.Linear(inputs, outputs, bias=False)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.norm(self.dense(x)))


class DropoutLayer(nn.Module):
    """A dense layer with batch norm and ReLU, some of whose outputs are 0 in each step of training.

    Not torch's own module, which a traced network would keep in eval mode.
    """

    def __init__(self, inputs: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.layer = DenseNorm(inputs, outputs)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.layer(x))
        return functional.dropout(y, self.dropout) if self.training else y


def xavier(network: Network) -> None:
    """Give all layers the initial weights of Keras: Xavier's, and no bias."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)


class SeatHead(nn.Linear):
    """A linear layer with a logit for each of many seats, of which it returns the first `used`.

    So the weights of a network fit those for games with other numbers of players.
    """

    def __init__(self, inputs: int, seats: int, used: int) -> None:
        super().__init__(inputs, seats)
        self.used = used

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight[: self.used], self.bias[: self.used])

    def trimmed(self) -> nn.Linear:
        """Return a layer that has only the logits in use."""
        layer = nn.Linear(self.in_features, self.used)
        layer.load_state_dict(
            {name: array[: self.used] for name, array in self.state_dict().items()}
        )
        return layer.requires_grad_(False)


def for_inference(network: Network) -> Network:
    """Return a frozen copy on the CPU, in eval mode, without what only training needs.

    Batch norms are folded into layers, and values of seats that nobody has are left out.
    """
    frozen = copy.deepcopy(network).cpu().float().eval().requires_grad_(False)
    for module in list(frozen.modules()):
        for name, child in module.named_children():
            if isinstance(child, ConvNorm):
                setattr(module, name, fuse_conv_bn_eval(child.conv, child.norm))
            elif isinstance(child, DenseNorm):
                setattr(module, name, fuse_linear_bn_eval(child.dense, child.norm))
            elif isinstance(child, SeatHead):
                setattr(module, name, child.trimmed())
            elif isinstance(child, TrainingLayer):
                setattr(module, name, child.inference_layer())
    return frozen


@torch.fx.wrap
def bounded(x: Tensor) -> Tensor:
    """Return what lies between 0 and 1 as it is, and the nearer bound otherwise."""
    return torch.clamp(x, 0, 1)


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
