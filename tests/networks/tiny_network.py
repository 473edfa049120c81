"""Network files without torch: one matrix from planes to policy, one to values."""

from dataclasses import replace

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from halma.networks.network_file import NetworkInfo, write_model

make_node = helper.make_node


def make_model(game, nodes, tensors=(), **more):
    """Return an ONNX model for a game or description; `more` are fields of its graph."""
    sides = {"planes": game.shape, "policy": (game.actions,), "values": (game.players,)}
    planes, *outputs = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *shape])
        for name, shape in sides.items()
    )
    graph = helper.make_graph(nodes, "test", [planes], outputs, tensors, **more)
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets)


def tiny_model(game, seed=0, scale=0.5):
    rng = np.random.default_rng(seed)
    size = int(np.prod(game.shape))
    nodes = [
        make_node("Flatten", ["planes"], ["flat"], axis=1),
        make_node("Gemm", ["flat", "p"], ["policy"], transB=1),
        make_node("Gemm", ["flat", "v"], ["value"], transB=1),
        make_node("Sigmoid", ["value"], ["values"]),
    ]
    tensors = [
        numpy_helper.from_array(np.float32(scale * rng.standard_normal((rows, size))), name)
        for name, rows in (("p", game.actions), ("v", game.players))
    ]
    return make_model(game, nodes, tensors).SerializeToString()


def tiny_network(game, path, seed=0, **changed):
    """Write a network file for a game; `changed` replaces fields of its description."""
    info = replace(NetworkInfo.for_game(game, "modern:size=s"), **changed)
    write_model(path, info, tiny_model(info, seed))
    return path
