"""Validation of ONNX files before they are given to onnxruntime.

A file may hold the few operations that our networks are made of, and their weights: no other
operations, no functions, branches or loops, no references to other files. The file is parsed
here, without the library onnx, so that playing does not need it.
"""

from __future__ import annotations

from collections.abc import Iterator

#: names of the input and the outputs
INPUT, OUTPUTS = "planes", ("policy", "values")

_LAYERS = ("BatchNormalization", "Conv", "Gemm", "GlobalAveragePool", "GlobalMaxPool")
_FUNCTIONS = ("Add", "Concat", "Flatten", "Neg", "Relu", "Sigmoid")
#: operations of our networks
OPERATIONS = frozenset((*_LAYERS, *_FUNCTIONS))
#: far more than any network here has
MOST_NODES = 4096

# Field numbers in onnx.proto, of ModelProto, GraphProto, NodeProto and TensorProto.
_GRAPH, _METADATA, _TRAINING, _MODEL_FUNCTIONS = 7, 14, 20, 25
_NODE, _INITIALIZER, _SPARSE = 1, 5, 15
_OPERATION, _ATTRIBUTE, _DOMAIN = 4, 5, 7
_EXTERNAL, _LOCATION = 13, 14
#: AttributeProto: tensors, graphs and sparse tensors, single and repeated
_BEYOND_NUMBERS = (5, 6, 10, 11, 22, 23)

# Wire types of protocol buffers; those of fixed length with their bytes.
_VARINT, _BYTES, _FIXED = 0, 2, {1: 8, 5: 4}


class OnnxError(ValueError):
    """A file is refused; the message is the end of a sentence."""


def may_be_onnx(data: bytes) -> bool:
    """Return whether a file may be ONNX: its first field is the version, a small integer."""
    return len(data) > 1 and data[0] == 0x08 and 0 < data[1] < 0x80


def validate(data: bytes) -> tuple[dict[str, str], memoryview]:
    """Return a file's metadata and the bytes of its graph, or raise an `OnnxError`."""
    graph = memoryview(b"")
    metadata: dict[str, str] = {}
    for field, value in _fields(memoryview(data)):
        if field in (_TRAINING, _MODEL_FUNCTIONS):
            raise OnnxError("it holds more than a plain network")
        if isinstance(value, int):
            continue
        if field == _GRAPH:
            if len(graph):
                raise OnnxError("it holds more than a plain network")
            graph = value
        elif field == _METADATA:
            metadata[_string(value, 1)] = _string(value, 2)
    if not len(graph):
        raise _damaged()
    _check_graph(graph)
    return metadata, graph


def _check_graph(graph: memoryview) -> None:
    nodes = list(_messages(graph, _NODE))
    if len(nodes) > MOST_NODES:
        raise OnnxError("it has too many operations")
    if any(True for _ in _messages(graph, _SPARSE)):
        raise OnnxError("it holds more than a plain network")
    for node in nodes:
        domain, operation = _string(node, _DOMAIN), _string(node, _OPERATION)
        if domain not in ("", "ai.onnx") or operation not in OPERATIONS:
            raise OnnxError("it has operations that no network of halma has")
        for attribute in _messages(node, _ATTRIBUTE):
            if any(field in _BEYOND_NUMBERS for field, _ in _fields(attribute)):
                raise OnnxError("it holds more than a plain network")
    for tensor in _messages(graph, _INITIALIZER):
        if any(
            field == _EXTERNAL or (field == _LOCATION and value) for field, value in _fields(tensor)
        ):
            raise OnnxError("it refers to other files")


def _damaged() -> OnnxError:
    return OnnxError("it is truncated or damaged")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the number and the value of every field of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        # A type that does not exist is taken to be longer than what is left.
        length, at = _varint(data, at) if kind == _BYTES else (_FIXED.get(kind, len(data)), at)
        if length > len(data) - at:
            raise _damaged()
        yield key >> 3, data[at : at + length]
        at += length


def _messages(data: memoryview, wanted: int) -> Iterator[memoryview]:
    """Yield the values of one field, which must be messages, strings or bytes."""
    for field, value in _fields(data):
        if field == wanted:
            if isinstance(value, int):
                raise _damaged()
            yield value


def _string(data: memoryview, wanted: int) -> str:
    """Return the string in one field; empty if there is none."""
    found = ""
    for value in _messages(data, wanted):
        try:
            found = str(value, "utf-8")
        except UnicodeDecodeError:
            raise _damaged() from None
    return found


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return an integer and the position behind it."""
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise _damaged()
        octet = data[at]
        at += 1
        number |= (octet & 0x7F) << shift
        if octet < 0x80:
            return number, at
    raise _damaged()
