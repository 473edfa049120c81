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
from torch import fx, nn

from halma.errors import NetworkError
from halma.networks.architectures.blocks import Network, bounded, global_max
from halma.networks.onnx_file import INPUT, OUTPUTS

#: versions that all supported releases of onnxruntime read
_IR_VERSION, _OPSET = 8, 17


class OnnxGraph:
    """The graph of a traced network, translated node by node.

    `half`: weights are stored as float16, and cast to float32 when the network is loaded.
    """

    def __init__(self, network: Network, half: bool = False) -> None:
        self.info = network.info
        self.half = half
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
        if type(module) not in _LAYERS:
            raise NetworkError(f"'{type(module).__name__}' cannot be exported to ONNX.")
        operation, attributes, tensors = _LAYERS[type(module)]
        inputs = self._inputs(node)
        for number, name in enumerate(tensors):
            tensor = getattr(module, name)
            if tensor is not None:
                inputs.append(f"{node.name}.{number}")
                self._store(inputs[-1], tensor.detach().numpy())
        self._add(node, operation, inputs, attributes(module))

    def _store(self, name: str, array: Any) -> None:
        """Add weights."""
        stored = name
        if self.half:
            stored, array = f"{name}.half", array.astype("float16")
            self.nodes.append(helper.make_node("Cast", [stored], [name], to=TensorProto.FLOAT))
        self.weights.append(numpy_helper.from_array(array, stored))

    def _add(
        self, node: fx.Node, operation: str, inputs: Sequence[str], attributes: dict[str, Any]
    ) -> None:
        self.names[node] = self.final.get(node, node.name)
        self.nodes.append(helper.make_node(operation, inputs, [self.names[node]], **attributes))

    def _inputs(self, node: fx.Node) -> list[str]:
        """Return the names of a node's inputs."""
        inputs: list[str] = []
        fx.node.map_arg(node.args, lambda one: inputs.append(self.names[one]))
        return inputs


#: layers with weights -> operations, their attributes, and the layer's tensors in order
_LAYERS: dict[type[nn.Module], tuple[str, Callable[[Any], dict[str, Any]], tuple[str, ...]]] = {
    nn.Conv2d: (
        "Conv",
        lambda layer: {"kernel_shape": layer.kernel_size, "pads": 2 * layer.padding},
        ("weight", "bias"),
    ),
    nn.Linear: ("Gemm", lambda layer: {"transB": 1}, ("weight", "bias")),
    nn.BatchNorm2d: (
        "BatchNormalization",
        lambda layer: {"epsilon": layer.eps},
        ("weight", "bias", "running_mean", "running_var"),
    ),
}

#: functions that a network's forward() may call -> operations and their attributes
_FUNCTIONS: dict[Callable[..., Any], tuple[str, dict[str, Any]]] = {
    operator.add: ("Add", {}),
    torch.cat: ("Concat", {"axis": 1}),
    torch.flatten: ("Flatten", {"axis": 1}),
    torch.mean: ("GlobalAveragePool", {}),
    global_max: ("GlobalMaxPool", {}),
    bounded: ("HardSigmoid", {"alpha": 1.0, "beta": 0.0}),
    torch.neg: ("Neg", {}),
    torch.relu: ("Relu", {}),
    torch.sigmoid: ("Sigmoid", {}),
}


def _rows(name: str, shape: Sequence[int]) -> Any:
    """Return the description of an input or output: any number of rows of this shape."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *shape])
