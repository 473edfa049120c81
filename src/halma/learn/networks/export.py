"""From torch to what plays: a network made ready, as ONNX, and checked to say the same."""

from __future__ import annotations

import copy

import torch

from halma.errors import NetworkError
from halma.learn.extra import needs
from halma.learn.networks.blocks import Network, fold_norms

#: largest difference between torch's and onnxruntime's results; they add up in another order
TOLERANCE = 1e-3


def for_playing(network: Network) -> Network:
    """Return a copy that only plays: in eval mode, on the CPU, norms folded into convolutions."""
    ready = copy.deepcopy(network).cpu().float().eval()
    with torch.no_grad():
        fold_norms(ready)
    for parameter in ready.parameters():
        parameter.requires_grad_(False)
    return ready


def to_onnx(network: Network) -> bytes:
    """Return the network as an ONNX model, without a description of itself."""
    needs("onnx")
    from halma.learn.networks.graph import Graph

    model: bytes = Graph(for_playing(network)).model().SerializeToString()
    return model


def check_agreement(network: Network, model: bytes, positions: int = 64) -> float:
    """Return the largest difference between torch and onnxruntime on random planes.

    Raise a `NetworkError` if it is more than `TOLERANCE`.
    """
    from halma.search.evaluators import OnnxEvaluator

    info = network.info
    planes = torch.randint(
        0, 3, (positions, *info.shape), generator=torch.Generator().manual_seed(0)
    )
    ready = for_playing(network)
    with torch.no_grad():
        expected = ready(planes.float())
    evaluator = OnnxEvaluator(model, info.shape, info.actions, info.players)
    found = evaluator.evaluate(planes.float().numpy())
    # Logits may be large, and then so are their last digits.
    worst = max(
        float(((torch.from_numpy(ours) - theirs).abs() / theirs.abs().clamp(min=1)).max())
        for ours, theirs in zip(found, expected, strict=True)
    )
    if not worst <= TOLERANCE:
        raise NetworkError(
            f"The exported network is not used: it differs from the original by {worst:.2g}."
        )
    return worst
