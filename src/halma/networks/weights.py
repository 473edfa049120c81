"""A torch network's weights from and to a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halma.machine import require

require("torch")

import torch

from halma.errors import NetworkError, OptionError
from halma.networks.architectures.blocks import Network
from halma.networks.architectures.build import build
from halma.networks.network_file import read_weights, with_about, write_weights


def save_weights(
    network: Network, path: Path | str, about: Mapping[str, Any] | None = None, half: bool = False
) -> None:
    """Write weights to a file, with what there is to say about them; `half`: as float16."""
    tensors = {name: t.detach().cpu() for name, t in network.state_dict().items()}
    arrays = {
        name: (t.half() if half and t.is_floating_point() else t).numpy()
        for name, t in tensors.items()
    }
    write_weights(path, with_about(network.info, about), arrays)


def load_weights(path: Path | str) -> Network:
    """Return the network whose weights are in a file, in float32 also where it has float16."""
    info, arrays = read_weights(path)
    tensors = {
        name: torch.from_numpy(array.astype("float32") if array.dtype == "float16" else array)
        for name, array in arrays.items()
    }
    try:
        # Without memory: a description may be of a network of any size.
        with torch.device("meta"):
            expected = build(info).state_dict()
    except OptionError as error:
        raise NetworkError(f"'{path}' is not used: {error}") from None
    if _kinds(tensors) != _kinds(expected):
        raise NetworkError(
            f"'{path}' is not used: its weights are not those of '{info.architecture}'."
        )
    network = build(info)
    network.load_state_dict(tensors)
    return network


def start_from(network: Network, path: Path | str) -> None:
    """Copy weights of another network that `check_weights_for` accepts into this one."""
    found = load_weights(path)
    found.info.check_weights_for(network.info, path)
    network.start_from(found)


def _kinds(tensors: Mapping[str, torch.Tensor]) -> dict[str, tuple[torch.Size, torch.dtype]]:
    """Return the shape and the type of each tensor."""
    return {name: (tensor.shape, tensor.dtype) for name, tensor in tensors.items()}
