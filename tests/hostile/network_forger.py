"""Forged network files: changed ONNX models and weights with a valid checksum."""

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
from networks.tiny_network import make_model, make_node, tiny_model
from onnx import ModelProto, NodeProto, helper, load_model_from_string, numpy_helper

import halma
from halma.networks.network_file import NetworkInfo
from halma.networks.onnx_file import OPERATIONS
from halma.tensors import KEY, write_tensors

GAME = halma.game("ewn-3x3-2")
INFO = NetworkInfo.for_game(GAME, "hsueh2023:filters=2")
DESCRIPTION = {
    "format": 1,
    "game": INFO.game,
    "version": INFO.version,
    "players": INFO.players,
    "shape": list(INFO.shape),
    "actions": INFO.actions,
    "architecture": INFO.architecture,
    "about": {},
}
#: Integers that sizes, paddings and the like are replaced by.
INTEGERS = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 255, 3000, 2**16, 2**31, 2**40, 2**63 - 1)
FLOATS = (0.0, -1.0, 1e-30, 1e30, 3e38, float("inf"), float("nan"))
NAMES = ("", "planes", "policy", "values", "x", "y\n\x1b[31m", "a" * 600, "é")


def checksum_of(*parts: bytes) -> str:
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


def signed(model: ModelProto, description: object = DESCRIPTION) -> bytes:
    """Return a model as a file with this description and a valid checksum."""
    graph = model.graph.SerializeToString(deterministic=True)
    return _with_graph(model, graph, description)


def _with_graph(model: ModelProto, graph: bytes, description: object = DESCRIPTION) -> bytes:
    """Return a file with a graph of any bytes; its checksum is valid."""
    if isinstance(description, dict):
        description = {"checksum": checksum_of(graph), **description}
    rest = ModelProto()
    rest.CopyFrom(model)
    rest.ClearField("graph")
    helper.set_model_props(rest, {KEY: json.dumps(description)})
    # Field 1 comes first in a file; fields of the same message may follow in any order.
    version = ModelProto(ir_version=rest.ir_version).SerializeToString()
    rest.ClearField("ir_version")
    return version + b"\x3a" + _varint(len(graph)) + graph + rest.SerializeToString()


def _varint(number: int) -> bytes:
    octets = bytearray()
    while number >= 0x80:
        octets.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*octets, number))


def small_model() -> ModelProto:
    """Return a model with every operation of our networks."""
    rng = np.random.default_rng(0)
    planes, rows, columns = GAME.shape
    shapes = {
        "stem": (4, planes, 3, 3),
        "bias": (4,),
        **{f"norm{i}": (4,) for i in range(4)},
        "overall": (4, 8, 1, 1),
        "p": (GAME.actions, 4 * rows * columns),
        "q": (GAME.actions,),
        "v": (1, 8),
    }
    tensors = [
        numpy_helper.from_array(np.float32(rng.random(shape)), name)
        for name, shape in shapes.items()
    ]
    norms = [f"norm{i}" for i in range(4)]
    nodes = [
        make_node(
            "Conv", ["planes", "stem", "bias"], ["x"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]
        ),
        make_node("BatchNormalization", ["x", *norms], ["n"], epsilon=1e-5),
        make_node("Relu", ["n"], ["r"]),
        make_node("GlobalAveragePool", ["r"], ["mean"]),
        make_node("GlobalMaxPool", ["r"], ["most"]),
        make_node("Concat", ["mean", "most"], ["pool"], axis=1),
        make_node("Conv", ["pool", "overall"], ["over"], kernel_shape=[1, 1], pads=[0, 0, 0, 0]),
        make_node("Add", ["r", "over"], ["y"]),
        make_node("Flatten", ["y"], ["flat"], axis=1),
        make_node("Gemm", ["flat", "p", "q"], ["policy"], transB=1),
        make_node("Flatten", ["pool"], ["few"], axis=1),
        make_node("Gemm", ["few", "v"], ["value"], transB=1),
        make_node("Neg", ["value"], ["other"]),
        make_node("Concat", ["value", "other"], ["both"], axis=1),
        make_node("Sigmoid", ["both"], ["values"]),
    ]
    return make_model(GAME, nodes, tensors)


def models() -> list[ModelProto]:
    """Return the models that are changed."""
    return [small_model(), load_model_from_string(tiny_model(GAME))]


# Changes of a model, in place.


def change_node(model: ModelProto, rng: random.Random) -> None:
    nodes = model.graph.node
    node = rng.choice(nodes)
    kind = rng.randrange(9)
    if kind == 0:
        nodes.remove(node)
    elif kind == 1:
        nodes.append(node)
    elif kind == 2:
        node.op_type = rng.choice((*OPERATIONS, "Loop", "If", "Expand", "Resize", "Tile", ""))
    elif kind == 3:
        node.input[rng.randrange(len(node.input))] = rng.choice((*NAMES, *_names(model)))
    elif kind == 4:
        node.input.append(rng.choice((*NAMES, *_names(model))))
    elif kind == 5:
        node.input.pop()
    elif kind == 6:
        node.output[0] = rng.choice((*NAMES, *_names(model)))
    elif kind == 7:
        node.output.append(rng.choice(NAMES))
    else:
        nodes.insert(rng.randrange(len(nodes)), NodeProto.FromString(node.SerializeToString()))


def change_attribute(model: ModelProto, rng: random.Random) -> None:
    node = rng.choice([node for node in model.graph.node if node.attribute] or model.graph.node)
    name = rng.choice(("pads", "strides", "dilations", "group", "axis", "transA", "transB", "x"))
    kept = [one for one in node.attribute if one.name != name]
    if node.attribute and rng.random() < 0.6:
        changed = rng.choice(node.attribute)
        if changed.ints:
            changed.ints[rng.randrange(len(changed.ints))] = rng.choice(INTEGERS)
        elif rng.random() < 0.8:
            changed.i, changed.f = rng.choice(INTEGERS), rng.choice(FLOATS)
        else:
            changed.type = rng.randrange(12)
        return
    value = rng.choice(
        (
            rng.choice(INTEGERS),
            rng.choice(FLOATS),
            [rng.choice(INTEGERS) for _ in range(rng.choice((1, 2, 4, 4, 2, 40)))],
            [rng.choice((0, 1, 2, 3000))] * 4,
            "SAME_UPPER",
        )
    )
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute(name, value)])


def change_weights(model: ModelProto, rng: random.Random) -> None:
    tensor = rng.choice(model.graph.initializer)
    kind = rng.randrange(9)
    if not tensor.dims or len(tensor.raw_data) < 4:  # changed before
        return
    if kind == 0:
        tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(INTEGERS)
    elif kind == 1:
        tensor.dims.append(rng.choice(INTEGERS))
    elif kind == 2:
        tensor.data_type = rng.randrange(30)
    elif kind == 3:
        tensor.raw_data = tensor.raw_data[: rng.randrange(len(tensor.raw_data))]
    elif kind == 4:
        numbers = np.frombuffer(tensor.raw_data[: len(tensor.raw_data) // 4 * 4], "<f4").copy()
        numbers[rng.randrange(len(numbers)) :][:1] = rng.choice(FLOATS)
        tensor.raw_data = numbers.tobytes()
    elif kind == 5:
        tensor.name = rng.choice((*NAMES, *_names(model)))
    elif kind == 6:
        tensor.external_data.add(key="location", value="/etc/passwd")
    elif kind == 7:
        tensor.float_data.extend([1.0] * rng.randrange(9))
    else:
        # As large as a shape allows, with numbers that fit it.
        shape = [rng.choice((1, 2, 4, 50, 300)) for _ in range(rng.choice((1, 2, 4)))]
        if np.prod(shape) < 1 << 18:
            tensor.CopyFrom(numpy_helper.from_array(np.ones(shape, np.float32), tensor.name))


def change_declaration(model: ModelProto, rng: random.Random) -> None:
    value = rng.choice((*model.graph.input, *model.graph.output))
    tensor = value.type.tensor_type
    kind = rng.randrange(6)
    if kind == 0:
        value.name = rng.choice(NAMES)
    elif kind == 1:
        tensor.elem_type = rng.randrange(30)
    elif kind == 2:
        rng.choice(tensor.shape.dim).dim_value = rng.choice(INTEGERS)
    elif kind == 3:
        tensor.shape.dim.add(dim_value=rng.choice(INTEGERS))
    elif kind == 4:
        rng.choice((model.graph.input, model.graph.output)).append(value)
    else:
        model.graph.value_info.append(value)
        model.graph.value_info[-1].name = rng.choice(_names(model))


def change_model(model: ModelProto, rng: random.Random) -> None:
    kind = rng.randrange(7)
    if kind == 0:
        model.ir_version = rng.choice((1, 3, 8, 9, 12, 99))
    elif kind == 1:
        model.opset_import[0].version = rng.choice(INTEGERS)
    elif kind == 2:
        model.opset_import.add(domain=rng.choice(("", "ai.onnx.ml", "evil")), version=1)
    elif kind == 3:
        model.functions.add(name="f")
    elif kind == 4:
        model.training_info.add()
    elif kind == 5:
        model.graph.sparse_initializer.add()
    else:
        model.graph.doc_string = "x" * rng.randrange(1 << 16)


def amplify(model: ModelProto, rng: random.Random) -> None:
    """Insert operations whose result is larger than their input, one after the other."""
    graph = model.graph
    last, channels, made = "planes", GAME.shape[0], []

    def weights(*shape: int) -> str:
        name = f"wide{len(graph.initializer)}"
        graph.initializer.append(numpy_helper.from_array(np.full(shape, 0.01, np.float32), name))
        return name

    for number in range(rng.choice((1, 2, 4, 10, 30))):
        name, kind = f"large{number}", rng.randrange(4)
        if kind == 0:
            copies = rng.choice((2, 9))
            channels *= copies
            made.append(make_node("Concat", [last] * copies, [name], axis=1))
        elif kind == 1 or channels > 10_000:
            made.append(make_node("Add", [last, last], [name]))
        else:
            filters = rng.choice((1, 4, 200 if channels < 500 else 2))
            pads = [rng.choice((0, 1, 50, 500, 3000))] * 4
            made.append(
                make_node("Conv", [last, weights(filters, channels, 1, 1)], [name], pads=pads)
            )
            channels = filters
        last = name
    if channels < 10_000:
        made.append(make_node("GlobalAveragePool", [last], ["large"]))
        made.append(make_node("Conv", ["large", weights(4, channels, 1, 1)], ["again"]))
    rest = list(graph.node)
    for node in rest:
        if node.op_type == "Add" and len(node.input) > 1:
            node.input[1] = "again"
    del graph.node[:]
    graph.node.extend([*made, *rest])


CHANGES: tuple[Callable[[ModelProto, random.Random], None], ...] = (
    change_node,
    change_attribute,
    change_weights,
    change_declaration,
    change_model,
    amplify,
)


def _names(model: ModelProto) -> list[str]:
    graph = model.graph
    return [name for node in graph.node for name in (*node.input, *node.output)] + [
        tensor.name for tensor in graph.initializer
    ]


def change_description(rng: random.Random) -> object:
    """Return a description with one or two wrong parts, or something else."""
    if rng.random() < 0.05:
        return rng.choice((None, [], 3, "x", {}))
    changed: dict[str, object] = dict(DESCRIPTION)
    values = (*INTEGERS, *NAMES, None, True, [], {}, 1e400, [1, 1, 1], [2**20, 2**20, 1])
    for _ in range(rng.choice((1, 1, 2))):
        key = rng.choice((*DESCRIPTION, "checksum"))
        if key == "shape" and rng.random() < 0.7:
            changed[key] = [rng.choice(INTEGERS) for _ in range(3)]
        else:
            changed[key] = rng.choice(values)
    return changed


def change_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return bytes of which a few are replaced, removed or repeated."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(changed))
        # Most bytes are weights; those before and after them are structure.
        if rng.random() < 0.7:
            at = rng.choice((at % 600, -1 - at % 200)) % len(changed)
        kind = rng.randrange(3)
        if kind == 0:
            changed[at] = rng.randrange(256)
        elif kind == 1:
            del changed[at : at + rng.choice((1, 2, 9))]
        else:
            changed[at:at] = changed[at : at + rng.choice((1, 2, 9))]
    return bytes(changed)


def forge_model(rng: random.Random, originals: list[ModelProto]) -> bytes:
    """Return an ONNX file with a valid checksum and wrong contents."""
    original = rng.choice(originals)
    if rng.random() < 0.25:
        graph = original.graph.SerializeToString(deterministic=True)
        return _with_graph(original, change_bytes(graph, rng))
    model = ModelProto()
    model.CopyFrom(original)
    if rng.random() < 0.15:
        return signed(model, change_description(rng))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if model.graph.node and model.graph.initializer:
            rng.choice(CHANGES)(model, rng)
    return signed(model)


def forge_weights(path: Path, rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    """Write a file of weights with a valid checksum and wrong contents."""
    changed = dict(arrays)
    description: object = DESCRIPTION
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(list(changed))
        array = changed[name]
        kind = rng.randrange(6)
        if kind == 0:
            changed[rng.choice(NAMES)] = changed.pop(name)
        elif kind == 1:
            changed[name] = array[..., None].copy()
        elif kind == 2:
            changed[name] = array.astype(rng.choice(("f2", "f4", "f8", "i4", "i8", "u1", "?")))
        elif kind == 3 and array.ndim:
            array = array.copy()
            array.flat[rng.randrange(array.size)] = rng.choice(FLOATS[:5])
            if array.dtype.kind == "f":
                array.flat[0] = rng.choice(FLOATS)
            changed[name] = array
        elif kind == 4 and array.ndim:
            changed[name] = np.resize(array, rng.choice(((0,), (1,), (3, 0), (2, 2, 2))))
        else:
            description = change_description(rng)
    if not isinstance(description, dict):
        description = {"x": description}
    write_tensors(path, changed, description)
