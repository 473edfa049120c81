"""A torch network as an ONNX graph, operation by operation.

docs/networks.md says why torch's own exporter is not used. Only operations that
`halma.networks.onnx_file` accepts are written. Only `to_onnx` imports this module, so that
training on a GPU does not need onnx.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from torch import Tensor, fx, nn

from halma.errors import NetworkError
from halma.networks.architectures.blocks import Network
from halma.networks.onnx_file import INPUT, OUTPUTS

#: versions that all supported releases of onnxruntime read
_IR_VERSION, _OPSET = 8, 17


class OnnxGraph:
    """The graph of a traced network, translated node by node."""

    def __init__(self, network: Network) -> None:
        self.info = network.info
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []
        self.modules = dict(network.named_modules())
        self.names: dict[fx.Node, str] = {}
        traced = fx.symbolic_trace(network).graph
        results = cast(Sequence[fx.Node], traced.output_node().args[0])
        self.final = dict(zip(results, OUTPUTS, strict=True))
        for node in traced.nodes:
            self._translate(node)

    def model(self) -> ModelProto:
        """Return the model; its batch axis has any size."""
        info = self.info
        graph = helper.make_graph(
            self.nodes,
            "halma",
            [_rows(INPUT, info.shape)],
            [_rows(OUTPUTS[0], (info.actions,)), _rows(OUTPUTS[1], (info.players,))],
            self.weights,
        )
        return helper.make_model(
            graph,
            producer_name="halma",
            ir_version=_IR_VERSION,
            opset_imports=[helper.make_opsetid("", _OPSET)],
        )

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
            raise NetworkError(f"'{type(module).__name__}' cannot be exported to ONNX.")
        for number, tensor in enumerate(tensors):
            if tensor is not None:
                inputs.append(f"{node.name}.{number}")
                self.weights.append(numpy_helper.from_array(tensor.detach().numpy(), inputs[-1]))
        self._add(node, operation, inputs, attributes)

    def _add(
        self, node: fx.Node, operation: str, inputs: Sequence[str], attributes: dict[str, Any]
    ) -> None:
        self.names[node] = self.final.get(node, node.name)
        self.nodes.append(helper.make_node(operation, inputs, [self.names[node]], **attributes))

    def _inputs(self, node: fx.Node) -> list[str]:
        """Return the names of a node's inputs."""
        return [self.names[one] for one in _flat(node.args) if isinstance(one, fx.Node)]


#: functions that a network's forward() may call -> operations and their attributes
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


def _rows(name: str, shape: Sequence[int]) -> Any:
    """Return the description of an input or output: any number of rows of this shape."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *shape])
