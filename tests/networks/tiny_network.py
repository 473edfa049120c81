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


def linear_model(game, policy, values, last="Sigmoid"):
    """Return a model of two matrices, (actions, cells) and (players, cells)."""
    nodes = [
        make_node("Flatten", ["planes"], ["flat"], axis=1),
        make_node("Gemm", ["flat", "p"], ["policy"], transB=1),
        make_node("Gemm", ["flat", "v"], ["value"], transB=1),
        make_node(last, ["value"], ["values"]),
    ]
    tensors = [
        numpy_helper.from_array(np.float32(matrix), name)
        for name, matrix in (("p", policy), ("v", values))
    ]
    return make_model(game, nodes, tensors).SerializeToString()


def tiny_model(game, seed=0, scale=0.5):
    rng, size = np.random.default_rng(seed), int(np.prod(game.shape))
    matrices = [scale * rng.standard_normal((n, size)) for n in (game.actions, game.players)]
    return linear_model(game, *matrices)


def tiny_network(game, path, seed=0, **changed):
    """Write a network file for a game; `changed` replaces fields of its description."""
    info = replace(NetworkInfo.for_game(game, "modern:size=s"), **changed)
    write_model(path, info, tiny_model(info, seed))
    return path
