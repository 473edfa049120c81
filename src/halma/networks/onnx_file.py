"""Validation of ONNX files before they are given to onnxruntime.

A file may hold the few operations that our networks are made of, and their weights: no other
operations, no functions, branches or loops, no references to other files. The file is parsed
here, without the library onnx, so that playing does not need it; `onnx_shapes` checks what the
parsed network would take to run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from halma.networks.onnx_wire import Message, OnnxError, damaged, more_than_a_network, same_name

#: names of the input and the outputs
INPUT, OUTPUTS = "planes", ("policy", "values")
#: far more than any network here has
MOST_NODES = 4096
#: versions of the operations: in these, they mean what `onnx_shapes` takes them to mean
_OPSETS = range(13, 26)

Shape = tuple[int, ...]
Attribute = int | float | str | list[int]

#: operations of our networks with their attributes: the value that they must have, or its type
OPERATIONS: Mapping[str, Mapping[str, Attribute | type]] = {
    "Add": {},
    "BatchNormalization": {"epsilon": float, "momentum": float, "training_mode": 0},
    "Cast": {"to": 1},
    "Concat": {"axis": 1},
    "Conv": {
        "auto_pad": "NOTSET",
        "dilations": [1, 1],
        "group": 1,
        "kernel_shape": list,
        "pads": list,
        "strides": [1, 1],
    },
    "Flatten": {"axis": 1},
    "Gemm": {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": int},
    "GlobalAveragePool": {},
    "GlobalMaxPool": {},
    "HardSigmoid": {"alpha": 1.0, "beta": 0.0},
    "Neg": {},
    "Relu": {},
    "Sigmoid": {},
}

# Field numbers in onnx.proto that a plain network has, and the names of those that are used.
_MODEL_FIELDS, _GRAPH, _OPSET, _METADATA = (1, 2, 3, 4, 5, 6, 7, 8, 14), 7, 8, 14
_GRAPH_FIELDS, _NODE, _WEIGHTS, _IN, _OUT = (1, 2, 5, 10, 11, 12, 13), 1, 5, 11, 12
_NODE_FIELDS, _INPUTS, _RESULTS, _OPERATION, _ATTRIBUTE, _DOMAIN = range(1, 8), 1, 2, 4, 5, 7
_ATTRIBUTE_FIELDS, _NAME, _FLOAT, _INT, _TEXT, _INTS = (1, 2, 3, 4, 8, 13, 20), 1, 2, 3, 4, 8
#: field with the type of an attribute, and the type of each field of values
_KIND, _KINDS = 20, {_FLOAT: 1, _INT: 2, _TEXT: 3, _INTS: 7}
_TENSOR_FIELDS, _DIMS, _TYPE, _TENSOR_NAME, _RAW = (1, 2, 8, 9, 12, 13, 14), 1, 2, 8, 9
_EXTERNAL, _LOCATION = 13, 14
#: ValueInfoProto: name and type; then, nested: tensor, shape, dimensions, each with its value
_VALUE_FIELDS, _VALUE_TYPE, _PAIR = (1, 2, 3), 2, (1, 2)
_FLOAT32, _FLOAT16 = 1, 10
#: bytes of a number, and the bits of its last byte that are all set in those that are not finite;
#: of float32, also from 2^127 on
_NUMBERS = {_FLOAT32: (4, 0x7F), _FLOAT16: (2, 0x7C)}


@dataclass(frozen=True)
class Node:
    """An operation, with the names of what it reads and of what it makes."""

    operation: str
    inputs: list[str]
    output: str
    attributes: Mapping[str, Attribute]

    def __str__(self) -> str:
        return f"node {self.output[:60]!r} ({self.operation})"


@dataclass(frozen=True)
class PlainGraph:
    """A parsed file: operations of our networks, in order, and their weights.

    Weights may be stored as float16: a Cast then makes float32 of them, under another name. It
    is not among the nodes.
    """

    metadata: Mapping[str, str]
    #: the bytes of the graph
    data: memoryview
    nodes: list[Node]
    #: shapes by name
    weights: Mapping[str, Shape]
    #: names of those that are stored as float16, by the names of their casts
    casts: Mapping[str, str]
    #: shapes of one row by name, as the file declares them
    inputs: Mapping[str, Shape]
    outputs: Mapping[str, Shape]


def may_be_onnx(data: bytes) -> bool:
    """Return whether a file may be ONNX: its first field is the version, a small integer."""
    return len(data) > 1 and data[0] == 0x08 and 0 < data[1] < 0x80


def parse(data: bytes) -> PlainGraph:
    """Return what a file holds, or raise an `OnnxError`."""
    model = Message(memoryview(data), _MODEL_FIELDS)
    raw = model.bytes(_GRAPH)
    if not len(raw):
        raise damaged()
    versions = [(o.string(1), o.integer(2)) for o in model.messages(_OPSET, _PAIR)]
    graph = model.message(_GRAPH, _GRAPH_FIELDS)
    if len(graph.all_bytes(_NODE)) > MOST_NODES:
        raise OnnxError("it has too many operations")
    nodes = [_node(node) for node in graph.messages(_NODE, _NODE_FIELDS)]
    if len(versions) != 1 or versions[0][0] not in _DOMAINS or versions[0][1] not in _OPSETS:
        raise OnnxError("it is written for other versions of ONNX's operations")
    nodes, weights, casts = _with_casts(
        nodes, [_weights(tensor) for tensor in graph.messages(_WEIGHTS, _TENSOR_FIELDS)]
    )
    pairs = [(p.string(1), p.string(2)) for p in model.messages(_METADATA, _PAIR)]
    return PlainGraph(
        metadata=dict(pairs),
        data=raw,
        nodes=nodes,
        weights=weights,
        casts=casts,
        inputs=_by_name([_declared(value) for value in graph.messages(_IN, _VALUE_FIELDS)]),
        outputs=_by_name([_declared(value) for value in graph.messages(_OUT, _VALUE_FIELDS)]),
    )


#: names of the domain of ONNX's own operations
_DOMAINS = ("", "ai.onnx")


def _node(node: Message) -> Node:
    operation = node.string(_OPERATION)
    if node.string(_DOMAIN) not in _DOMAINS or operation not in OPERATIONS:
        raise OnnxError("it has operations that no network of halma has")
    outputs = node.strings(_RESULTS)
    if len(outputs) != 1:
        raise more_than_a_network()
    attributes = [_attribute(one) for one in node.messages(_ATTRIBUTE, _ATTRIBUTE_FIELDS)]
    found = Node(operation, node.strings(_INPUTS), outputs[0], dict(attributes))
    for name, value in attributes:
        wanted = OPERATIONS[operation].get(name)
        fits = isinstance(value, wanted) if isinstance(wanted, type) else value == wanted
        if not fits or (isinstance(value, float) and not math.isfinite(value)):
            raise OnnxError(
                f"its {found} has an attribute {name[:60]!r} that no network of halma has"
            )
    if len(found.attributes) < len(attributes):
        raise damaged()
    return found


def _attribute(attribute: Message) -> tuple[str, Attribute]:
    """Return the name and the value of an attribute, in the one field of its type."""
    name, kind = attribute.string(_NAME), attribute.integer(_KIND)
    if [_KINDS[field] for field in _KINDS if field in attribute] != [kind]:
        raise damaged()
    if kind == _KINDS[_FLOAT]:
        return name, attribute.float(_FLOAT)
    if kind == _KINDS[_INT]:
        return name, attribute.integer(_INT)
    if kind == _KINDS[_TEXT]:
        return name, attribute.string(_TEXT)
    return name, attribute.integers(_INTS)


def _weights(tensor: Message) -> tuple[str, Shape, int]:
    """Return name, shape and type of a tensor of numbers, checked to be finite."""
    if _EXTERNAL in tensor or tensor.integer(_LOCATION):
        raise OnnxError("it refers to other files")
    name, shape, raw = tensor.string(_TENSOR_NAME), tensor.integers(_DIMS), tensor.bytes(_RAW)
    about, kind = f"its weights {name[:60]!r}", tensor.integer(_TYPE)
    if kind not in _NUMBERS:
        raise OnnxError(f"{about} are neither float32 nor float16")
    size, exponent = _NUMBERS[kind]
    if not all(n > 0 for n in shape) or size * math.prod(shape) != len(raw):
        raise OnnxError(f"{about} do not have the size of their shape")
    # The last byte of a number is its sign and most of its exponent: all of that is set in
    # infinities and in what is not a number.
    if any(last & exponent == exponent for last in set(bytes(raw)[size - 1 :: size])):
        raise OnnxError(f"{about} are not all finite and below 2^127")
    return name, tuple(shape), kind


def _with_casts(
    nodes: list[Node], tensors: list[tuple[str, Shape, int]]
) -> tuple[list[Node], dict[str, Shape], dict[str, str]]:
    """Return operations without casts, float32 weights with the results of casts, and casts."""
    _by_name([(name, shape) for name, shape, _ in tensors])
    weights = {name: shape for name, shape, kind in tensors if kind == _FLOAT32}
    halves = {name: shape for name, shape, kind in tensors if kind == _FLOAT16}
    casts, others = {}, []
    for node in nodes:
        if node.operation != "Cast":
            others.append(node)
            continue
        if len(node.inputs) != 1 or node.inputs[0] not in halves:
            raise OnnxError(f"its {node} has the wrong inputs")
        if node.output in weights or node.output in halves:
            raise same_name()
        casts[node.output] = node.inputs[0]
        weights[node.output] = halves[node.inputs[0]]
    return others, weights, casts


def _declared(value: Message) -> tuple[str, Shape]:
    """Return the name and the shape of an input or output, without its first axis.

    That axis is the batch, and must be left open.
    """
    kind = value.message(_VALUE_TYPE, _PAIR).message(1, _PAIR)
    axes = list(kind.message(2, _PAIR).messages(1, (1, 2, 3)))
    if kind.integer(1) != _FLOAT32 or not axes or 1 in axes[0]:
        raise OnnxError("its inputs and outputs are not batches of float32 numbers")
    return value.string(_NAME), tuple(axis.integer(1) for axis in axes[1:])


def _by_name(pairs: list[tuple[str, Shape]]) -> dict[str, Shape]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise same_name()
    return found
