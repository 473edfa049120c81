"""Export of torch networks to ONNX, checked against torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halma.machine import require

require("torch")

import torch

from halma.errors import NetworkError
from halma.networks.architectures.blocks import Network, for_inference
from halma.networks.network_file import with_about, write_model
from halma.networks.onnx_evaluator import OnnxEvaluator
from halma.networks.weights import load_weights

#: largest difference allowed between torch and onnxruntime, which sum in different orders
TOLERANCE = 1e-3


def to_onnx(network: Network, half: bool = False) -> bytes:
    """Return a network as an ONNX model without metadata; `half`: its weights are float16."""
    require("onnx")
    from halma.networks.onnx_graph import OnnxGraph

    model: bytes = OnnxGraph(for_inference(network), half).model().SerializeToString()
    return model


def check_agreement(network: Network, model: bytes, positions: int = 64) -> float:
    """Return the largest difference between torch and onnxruntime on random planes.

    Raise a `NetworkError` if it is more than `TOLERANCE`.
    """
    info = network.info
    planes = torch.randint(
        0, 3, (positions, *info.shape), generator=torch.Generator().manual_seed(0)
    )
    with torch.no_grad():
        expected = for_inference(network)(planes.float())
    evaluator = OnnxEvaluator(info, model)
    found = evaluator.evaluate(planes.float().numpy())
    # Relative to a position's largest output where that is large, as logits may be: a small one can
    # be the difference of large numbers, and has their rounding errors.
    worst = max(
        float(((torch.from_numpy(ours) - theirs).abs() / _largest(theirs)).max())
        for ours, theirs in zip(found, expected, strict=True)
    )
    if not worst <= TOLERANCE:
        raise NetworkError(
            f"The exported network is not used: it differs from the original by {worst:.2g}."
        )
    return worst


def _largest(outputs: torch.Tensor) -> torch.Tensor:
    """Return the largest size of each position's outputs, 1 at least; shape (n, 1)."""
    return outputs.abs().amax(1, keepdim=True).clamp(min=1)


def export(
    network: Network,
    path: Path | str,
    about: Mapping[str, Any] | None = None,
    half: bool = False,
) -> float:
    """Write a network as ONNX; return the largest difference between its outputs and torch's.

    `half` stores weights as float16, in half of the space. The difference is then that from torch
    with weights that were rounded alike.
    """
    if half:
        network = for_inference(network).half().float()
    model = to_onnx(network, half)
    difference = check_agreement(network, model)
    write_model(path, with_about(network.info, about), model)
    return difference


def export_file(weights: Path | str, model: Path | str, half: bool = False) -> float:
    """Convert a file of weights to an ONNX file; return the largest difference of outputs."""
    return export(load_weights(weights), model, half=half)
