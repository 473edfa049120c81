"""A network from its description, and its weights from and to a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from halma.errors import NetworkError, OptionError
from halma.learn.architectures import architecture
from halma.learn.netfile import (
    NetworkInfo,
    read_weights,
    write_model,
    write_weights,
)
from halma.learn.networks.blocks import Network
from halma.learn.networks.export import check_agreement, to_onnx
from halma.learn.networks.hsueh2023 import Hsueh2023
from halma.learn.networks.liu2019 import Liu2019
from halma.learn.networks.modern import Modern
from halma.names import Value

_BUILDERS: dict[str, Callable[[NetworkInfo, Mapping[str, Value]], Network]] = {
    "modern": Modern,
    "liu2019": Liu2019,
    "hsueh2023": Hsueh2023,
}


def build(info: NetworkInfo, seed: int | None = None) -> Network:
    """Return a new network of this description; the same seed gives the same weights."""
    chosen = architecture(info.architecture)
    chosen.check_fits(info.game, info.players, info.shape)
    with torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(seed)
        return _BUILDERS[chosen.kind.name](info, chosen.values)


def save(network: Network, path: Path | str, about: Mapping[str, Any] | None = None) -> None:
    """Write weights to a file, with what there is to say about them."""
    arrays = {name: t.detach().cpu().numpy() for name, t in network.state_dict().items()}
    write_weights(path, _with_about(network, about), arrays)


def load(path: Path | str) -> Network:
    """Return the network whose weights are in a file."""
    info, arrays = read_weights(path)
    try:
        network = build(info)
    except OptionError as error:
        raise NetworkError(f"'{path}' is not used: {error}") from None
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    if {name: array.shape for name, array in arrays.items()} != expected:
        raise NetworkError(
            f"'{path}' is not used: its weights are not those of '{info.architecture}'."
        )
    network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    return network


def export(network: Network, path: Path | str, about: Mapping[str, Any] | None = None) -> float:
    """Write a network as ONNX, to play with; return by how much it differs from torch's."""
    model = to_onnx(network)
    difference = check_agreement(network, model)
    write_model(path, _with_about(network, about), model)
    return difference


def export_file(weights: Path | str, model: Path | str) -> float:
    """Turn a file of weights into a file to play with."""
    return export(load(weights), model)


def _with_about(network: Network, about: Mapping[str, Any] | None) -> NetworkInfo:
    return network.info if about is None else replace(network.info, about=dict(about))
