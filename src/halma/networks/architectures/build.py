"""A network in torch from its description."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from halma.machine import require

require("torch")

import torch

from halma.names import Value
from halma.networks.architectures import architecture
from halma.networks.architectures.blocks import Network
from halma.networks.architectures.modern import Modern
from halma.networks.architectures.papers import Schulte2021, hsueh2023, liu2019
from halma.networks.architectures.value_only import LinearValues, Pluska2022
from halma.networks.network_file import NetworkInfo

_BUILDERS: dict[str, Callable[[NetworkInfo, Mapping[str, Value]], Network]] = {
    "modern": Modern,
    "liu2019": liu2019,
    "hsueh2023": hsueh2023,
    "schulte2021": Schulte2021,
    "linear": LinearValues,
    "pluska2022": Pluska2022,
}


def build(info: NetworkInfo, seed: int | None = None) -> Network:
    """Return a new network of this description; the same seed gives the same weights."""
    chosen = architecture(info.architecture)
    chosen.check_fits(info.game, info.players, info.shape)
    with torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(seed)
        return _BUILDERS[chosen.architecture.name](info, chosen.values)
