"""From torch to ONNX: a network as a plain graph, checked to say the same.

The graph is traced and written here, operation by operation, so that exporting needs
nothing but torch, and a file holds only what `halma.learn.onnxfile` lets in again.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch import Tensor, fx, nn

from halma.errors import NetworkError
from halma.learn.networks.blocks import Network, fold_norms
from halma.learn.onnxfile import INPUT, OUTPUTS, write_model, write_node, write_tensor

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
    return _Graph(for_playing(network)).model()


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


class _Graph:
    """Translates a traced network, node by node."""

    def __init__(self, network: Network) -> None:
        self.info = network.info
        self.nodes: list[bytes] = []
        self.weights: list[bytes] = []
        self.modules = dict(network.named_modules())
        self.names: dict[fx.Node, str] = {}
        traced = fx.symbolic_trace(network).graph
        results = cast(Sequence[fx.Node], traced.output_node().args[0])
        self.final = dict(zip(results, OUTPUTS, strict=True))
        for node in traced.nodes:
            self._translate(node)

    def model(self) -> bytes:
        """Return the whole as bytes."""
        info = self.info
        outputs = zip(OUTPUTS, ((info.actions,), (info.players,)), strict=True)
        return write_model(self.nodes, self.weights, {INPUT: info.shape}, dict(outputs))

    def _translate(self, node: fx.Node) -> None:
        if node.op == "placeholder":
            self.names[node] = INPUT
        elif node.op == "call_module":
            self._layer(node, self.modules[str(node.target)])
        elif node.op == "call_function":
            operation, attributes = _FUNCTIONS[cast(Callable[..., Any], node.target)]
            self._add(node, operation, self._inputs(node), attributes)

    def _layer(self, node: fx.Node, module: nn.Module) -> None:
        """Add a layer that has weights."""
        inputs = self._inputs(node)
        attributes: dict[str, Any]
        if isinstance(module, nn.Conv2d):
            operation = "Conv"
            kernel = cast(tuple[int, int], module.kernel_size)
            padding = cast(tuple[int, int], module.padding)
            attributes = {"kernel_shape": kernel, "pads": (*padding, *padding)}
            tensors: list[Tensor | None] = [module.weight, module.bias]
        elif isinstance(module, nn.Linear):
            operation, attributes = "Gemm", {"transB": 1}
            tensors = [module.weight, module.bias]
        elif isinstance(module, nn.BatchNorm2d):
            operation, attributes = "BatchNormalization", {"epsilon": module.eps}
            tensors = [module.weight, module.bias, module.running_mean, module.running_var]
        else:
            raise NetworkError(f"'{type(module).__name__}' has no place in an exported network.")
        for number, tensor in enumerate(tensors):
            if tensor is not None:
                inputs.append(f"{node.name}.{number}")
                self.weights.append(write_tensor(inputs[-1], tensor.detach().numpy()))
        self._add(node, operation, inputs, attributes)

    def _add(
        self, node: fx.Node, operation: str, inputs: Sequence[str], attributes: dict[str, Any]
    ) -> None:
        self.names[node] = self.final.get(node, node.name)
        self.nodes.append(write_node(operation, inputs, self.names[node], attributes))

    def _inputs(self, node: fx.Node) -> list[str]:
        """Return the names of what a node is computed from."""
        return [self.names[one] for one in _flat(node.args) if isinstance(one, fx.Node)]


#: functions a network's forward() may call -> operations and their attributes
_FUNCTIONS: dict[Callable[..., Any], tuple[str, dict[str, Any]]] = {
    operator.add: ("Add", {}),
    torch.cat: ("Concat", {"axis": 1}),
    torch.flatten: ("Flatten", {"axis": 1}),
    torch.mean: ("GlobalAveragePool", {}),
    torch.amax: ("GlobalMaxPool", {}),
    torch.neg: ("Neg", {}),
    torch.relu: ("Relu", {}),
    torch.sigmoid: ("Sigmoid", {}),
}


def _flat(given: object) -> list[object]:
    if isinstance(given, tuple | list):
        return [one for part in given for one in _flat(part)]
    return [given]
