"""ONNX files as far as halma knows them: a plain network, and what it says of itself.

A file is looked through before any library is given it. It may hold the few operations
that our networks are made of, and its weights; neither code, nor branches and loops, nor
references to other files.
"""

from __future__ import annotations

from collections.abc import Mapping

from halma.learn.wire import WireError, bytes_field, fields, messages, text

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

# Numbers of fields in onnx.proto.
GRAPH, METADATA, TRAINING, FUNCTIONS = 7, 14, 20, 25
NODE, INITIALIZER, SPARSE = 1, 5, 15
OPERATION, ATTRIBUTE, DOMAIN = 4, 5, 7
#: of an attribute: a tensor, a graph, several tensors, several graphs, sparse ones
_BEYOND_NUMBERS = (5, 6, 10, 11, 22, 23)
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
    return model + b"".join(bytes_field(METADATA, entry) for entry in entries)


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
        if field in (TRAINING, FUNCTIONS):
            raise OnnxError("it holds more than a plain network")
        if isinstance(value, int):
            continue
        if field == GRAPH:
            if len(graph):
                raise OnnxError("it holds more than a plain network")
            graph = value
        elif field == METADATA:
            metadata[text(value, 1)] = text(value, 2)
    if not len(graph):
        raise OnnxError("it is cut short or damaged")
    _check_graph(graph)
    return metadata, graph


def _check_graph(graph: memoryview) -> None:
    nodes = list(messages(graph, NODE))
    if len(nodes) > MOST_NODES:
        raise OnnxError("it has too many operations")
    if any(True for _ in messages(graph, SPARSE)):
        raise OnnxError("it holds more than a plain network")
    for node in nodes:
        if text(node, DOMAIN) not in ("", "ai.onnx") or text(node, OPERATION) not in OPERATIONS:
            raise OnnxError("it has operations that no network of halma has")
        for attribute in messages(node, ATTRIBUTE):
            if any(field in _BEYOND_NUMBERS for field, _ in fields(attribute)):
                raise OnnxError("it holds more than a plain network")
    for tensor in messages(graph, INITIALIZER):
        if any(
            field == _EXTERNAL or (field == _LOCATION and value) for field, value in fields(tensor)
        ):
            raise OnnxError("it refers to other files")
