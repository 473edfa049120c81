"""ONNX files as far as halma knows them: a plain network, and what it says of itself.

A file is looked through before any library is given it. It may hold the few operations
that our networks are made of, and its weights; neither code, nor branches and loops, nor
references to other files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halma.learn.wire import (
    WireError,
    bytes_field,
    fields,
    fixed32_field,
    messages,
    number_field,
    text,
    varint,
)

if TYPE_CHECKING:
    import numpy.typing as npt

#: names of what goes in and comes out
INPUT, OUTPUTS = "planes", ("policy", "values")

#: operations of our networks
OPERATIONS = frozenset(
    (
        "Add",
        "BatchNormalization",
        "Concat",
        "Conv",
        "Flatten",
        "Gemm",
        "GlobalAveragePool",
        "GlobalMaxPool",
        "Neg",
        "Relu",
        "Sigmoid",
    )
)
#: more than any network here has
MOST_NODES = 4096

# Numbers of fields in onnx.proto: of a model, a graph and a node.
_VERSION, _PRODUCER, _GRAPH, _OPSETS, _METADATA, _TRAINING, _FUNCTIONS = 1, 2, 7, 8, 14, 20, 25
_NODE, _NAME, _INITIALIZER, _INPUT, _OUTPUT, _SPARSE = 1, 2, 5, 11, 12, 15
_TAKES, _GIVES, _OPERATION, _ATTRIBUTE, _DOMAIN = 1, 2, 4, 5, 7
#: of an attribute: a tensor, a graph, several tensors, several graphs, sparse ones
_BEYOND_NUMBERS = (5, 6, 10, 11, 22, 23)
#: old enough to be read everywhere
_IR_VERSION, _OPSET = 8, 17
#: kinds of attributes and of tensors
_A_FLOAT, _AN_INT, _INTS, _FLOATS = 1, 2, 7, 1
#: of a tensor
_EXTERNAL, _LOCATION = 13, 14


class OnnxError(ValueError):
    """A file that is not taken; the message is the end of a sentence."""


def looks_like_it(data: bytes) -> bool:
    """Tell whether a file may be ONNX: it starts with its version, a small number."""
    return len(data) > 1 and data[0] == 0x08 and 0 < data[1] < 0x80


def with_metadata(model: bytes, metadata: Mapping[str, str]) -> bytes:
    """Return a model with texts added; fields of a message may come in any order."""
    entries = (bytes_field(1, key) + bytes_field(2, value) for key, value in metadata.items())
    return model + b"".join(bytes_field(_METADATA, entry) for entry in entries)


def look_through(data: bytes) -> tuple[dict[str, str], memoryview]:
    """Return the texts a file holds and its graph, or raise an `OnnxError`."""
    try:
        return _look_through(memoryview(data))
    except WireError:
        raise OnnxError("it is cut short or damaged") from None


def _look_through(data: memoryview) -> tuple[dict[str, str], memoryview]:
    graph = memoryview(b"")
    metadata: dict[str, str] = {}
    for field, value in fields(data):
        if field in (_TRAINING, _FUNCTIONS):
            raise OnnxError("it holds more than a plain network")
        if isinstance(value, int):
            continue
        if field == _GRAPH:
            if len(graph):
                raise OnnxError("it holds more than a plain network")
            graph = value
        elif field == _METADATA:
            metadata[text(value, 1)] = text(value, 2)
    if not len(graph):
        raise OnnxError("it is cut short or damaged")
    _check_graph(graph)
    return metadata, graph


def _check_graph(graph: memoryview) -> None:
    nodes = list(messages(graph, _NODE))
    if len(nodes) > MOST_NODES:
        raise OnnxError("it has too many operations")
    if any(True for _ in messages(graph, _SPARSE)):
        raise OnnxError("it holds more than a plain network")
    for node in nodes:
        if text(node, _DOMAIN) not in ("", "ai.onnx") or text(node, _OPERATION) not in OPERATIONS:
            raise OnnxError("it has operations that no network of halma has")
        for attribute in messages(node, _ATTRIBUTE):
            if any(field in _BEYOND_NUMBERS for field, _ in fields(attribute)):
                raise OnnxError("it holds more than a plain network")
    for tensor in messages(graph, _INITIALIZER):
        if any(
            field == _EXTERNAL or (field == _LOCATION and value) for field, value in fields(tensor)
        ):
            raise OnnxError("it refers to other files")


def write_model(
    nodes: Iterable[bytes],
    tensors: Iterable[bytes],
    inputs: Mapping[str, Sequence[int]],
    outputs: Mapping[str, Sequence[int]],
) -> bytes:
    """Return a model; inputs and outputs have these shapes and any number of rows."""
    graph = b"".join(
        (
            *(bytes_field(_NODE, node) for node in nodes),
            bytes_field(_NAME, "halma"),
            *(bytes_field(_INITIALIZER, tensor) for tensor in tensors),
            *(bytes_field(_INPUT, _shaped(name, shape)) for name, shape in inputs.items()),
            *(bytes_field(_OUTPUT, _shaped(name, shape)) for name, shape in outputs.items()),
        )
    )
    return b"".join(
        (
            number_field(_VERSION, _IR_VERSION),
            bytes_field(_PRODUCER, "halma"),
            bytes_field(_GRAPH, graph),
            bytes_field(_OPSETS, bytes_field(1, "") + number_field(2, _OPSET)),
        )
    )


def write_node(
    operation: str, inputs: Sequence[str], output: str, attributes: Mapping[str, Any]
) -> bytes:
    """Return an operation; its attributes are a float, an int or a row of ints each."""
    return b"".join(
        (
            *(bytes_field(_TAKES, name) for name in inputs),
            bytes_field(_GIVES, output),
            bytes_field(_OPERATION, operation),
            *(bytes_field(_ATTRIBUTE, _written(*item)) for item in attributes.items()),
        )
    )


def write_tensor(name: str, array: npt.NDArray[Any]) -> bytes:
    """Return an array of floats with its name."""
    return b"".join(
        (
            bytes_field(1, b"".join(varint(side) for side in array.shape)),
            number_field(2, _FLOATS),
            bytes_field(8, name),
            bytes_field(9, array.astype("<f4").tobytes()),
        )
    )


def _written(name: str, value: float | int | Sequence[int]) -> bytes:
    if isinstance(value, float):
        held = fixed32_field(2, struct.pack("<f", value)) + number_field(20, _A_FLOAT)
    elif isinstance(value, int):
        held = number_field(3, value) + number_field(20, _AN_INT)
    else:
        held = b"".join(number_field(8, one) for one in value) + number_field(20, _INTS)
    return bytes_field(1, name) + held


def _shaped(name: str, shape: Sequence[int]) -> bytes:
    sides = bytes_field(1, bytes_field(2, "n"))
    sides += b"".join(bytes_field(1, number_field(1, side)) for side in shape)
    kind = bytes_field(1, number_field(1, _FLOATS) + bytes_field(2, sides))
    return bytes_field(1, name) + bytes_field(2, kind)
