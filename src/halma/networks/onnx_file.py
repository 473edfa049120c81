"""ONNX files as far as playing reads them: a plain network, and what it says of itself.

A file is looked through before any library is given it. It may hold the few operations
that our networks are made of, and its weights; neither code, nor branches and loops, nor
references to other files. Playing must not need `onnx`, so that the little of protocol
buffers that looking takes is read here.
"""

from __future__ import annotations

from collections.abc import Iterator

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

# Numbers of fields in onnx.proto: of a model, a graph, a node and a tensor.
_GRAPH, _METADATA, _TRAINING, _FUNCTIONS = 7, 14, 20, 25
_NODE, _INITIALIZER, _SPARSE = 1, 5, 15
_OPERATION, _ATTRIBUTE, _DOMAIN = 4, 5, 7
_EXTERNAL, _LOCATION = 13, 14
#: of an attribute: a tensor, a graph, several tensors, several graphs, sparse ones
_BEYOND_NUMBERS = (5, 6, 10, 11, 22, 23)

# How the value of a field is written.
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class OnnxError(ValueError):
    """A file that is not taken; the message is the end of a sentence."""


def looks_like_it(data: bytes) -> bool:
    """Tell whether a file may be ONNX: it starts with its version, a small number."""
    return len(data) > 1 and data[0] == 0x08 and 0 < data[1] < 0x80


def look_through(data: bytes) -> tuple[dict[str, str], memoryview]:
    """Return the texts a file holds and its graph, or raise an `OnnxError`."""
    graph = memoryview(b"")
    metadata: dict[str, str] = {}
    for field, value in _fields(memoryview(data)):
        if field in (_TRAINING, _FUNCTIONS):
            raise OnnxError("it holds more than a plain network")
        if isinstance(value, int):
            continue
        if field == _GRAPH:
            if len(graph):
                raise OnnxError("it holds more than a plain network")
            graph = value
        elif field == _METADATA:
            metadata[_text(value, 1)] = _text(value, 2)
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
        if _text(node, _DOMAIN) not in ("", "ai.onnx") or _text(node, _OPERATION) not in OPERATIONS:
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
    return OnnxError("it is cut short or damaged")


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
        if kind == _BYTES:
            length, at = _varint(data, at)
        elif kind in (_FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
        else:
            raise _damaged()
        if length > len(data) - at:
            raise _damaged()
        yield key >> 3, data[at : at + length]
        at += length


def _messages(data: memoryview, wanted: int) -> Iterator[memoryview]:
    """Yield the values of one field, which must be messages, text or bytes."""
    for field, value in _fields(data):
        if field == wanted:
            if isinstance(value, int):
                raise _damaged()
            yield value


def _text(data: memoryview, wanted: int) -> str:
    """Return the text of one field; empty if there is none."""
    found = ""
    for value in _messages(data, wanted):
        try:
            found = str(value, "utf-8")
        except UnicodeDecodeError:
            raise _damaged() from None
    return found


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return a whole number and where it ends."""
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
