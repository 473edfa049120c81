"""Networks of ONNX files in torch, to play on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from halma.machine import require

require("torch")

import torch
from torch import Tensor
from torch.nn import functional

from halma.games import Game
from halma.networks.architectures.blocks import Network
from halma.networks.finding import check_variant
from halma.networks.network_file import NetworkInfo, read_model
from halma.networks.onnx_file import INPUT, OUTPUTS, Attribute, parse
from halma.networks.torch_evaluator import TorchEvaluator

Attributes = Mapping[str, Attribute]


class OnnxNetwork(Network):
    """The operations of an ONNX file that `read_model` has checked, in order."""

    def __init__(self, info: NetworkInfo, model: bytes) -> None:
        require("onnx")
        import onnx

        super().__init__(info, one_value=False)
        graph = parse(model)
        self._nodes = graph.nodes
        #: names of buffers, which cannot have dots, by the names of weights
        self._buffers_of: dict[str, str] = {}
        for number, tensor in enumerate(onnx.load_model_from_string(model).graph.initializer):
            self._buffers_of[tensor.name] = f"weight{number}"
            array = onnx.numpy_helper.to_array(tensor).copy()
            self.register_buffer(f"weight{number}", torch.from_numpy(array).float())
        for cast, half in graph.casts.items():
            self._buffers_of[cast] = self._buffers_of[half]

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        """Return policy logits and values."""
        found = {name: self.get_buffer(buffer) for name, buffer in self._buffers_of.items()}
        found[INPUT] = planes
        for node in self._nodes:
            inputs = (found[name] for name in node.inputs)
            found[node.output] = _OPERATIONS[node.operation](node.attributes, *inputs)
        return tuple(found[name] for name in OUTPUTS)


def load_in_torch(
    path: Path | str, game: Game, device: str, any_rules: bool = False
) -> TorchEvaluator:
    """Return the evaluator of a network in an ONNX file on a device, `cpu` or `cuda`."""
    info, model = read_model(path)
    check_variant(info, game, path, any_rules)
    return TorchEvaluator(OnnxNetwork(info, model), device)


def _conv(attributes: Any, x: Tensor, kernels: Tensor, bias: Tensor | None = None) -> Tensor:
    top, left, bottom, right = attributes.get("pads", (0, 0, 0, 0))
    return functional.conv2d(functional.pad(x, (left, right, top, bottom)), kernels, bias)


def _gemm(attributes: Attributes, x: Tensor, matrix: Tensor, bias: Tensor | None = None) -> Tensor:
    return functional.linear(x, matrix if attributes.get("transB") else matrix.T, bias)


def _norm(
    attributes: Any, x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, variance: Tensor
) -> Tensor:
    epsilon = attributes.get("epsilon", 1e-5)
    return functional.batch_norm(x, mean, variance, weight, bias, eps=epsilon)


def _hard_sigmoid(attributes: Any, x: Tensor) -> Tensor:
    sloped: Tensor = attributes.get("alpha", 0.2) * x + attributes.get("beta", 0.5)
    return sloped.clamp(0, 1)


#: operations of `onnx_file.OPERATIONS` as functions of their attributes and inputs
_OPERATIONS: Mapping[str, Callable[..., Tensor]] = {
    "Add": lambda attributes, x, y: x + y,
    "BatchNormalization": _norm,
    "Concat": lambda attributes, *parts: torch.cat(parts, 1),
    "Conv": _conv,
    "Flatten": lambda attributes, x: torch.flatten(x, 1),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda attributes, x: torch.mean(x, (2, 3), True),
    "GlobalMaxPool": lambda attributes, x: torch.amax(x, (2, 3), True),
    "HardSigmoid": _hard_sigmoid,
    "Neg": lambda attributes, x: torch.neg(x),
    "Relu": lambda attributes, x: torch.relu(x),
    "Sigmoid": lambda attributes, x: torch.sigmoid(x),
}
