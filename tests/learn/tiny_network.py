"""Network files without torch: one matrix from planes to policy, one to values."""

import numpy as np

from halma.learn.netfile import describe, write_model
from halma.learn.onnxfile import INPUT, OUTPUTS, write_node, write_tensor
from halma.learn.onnxfile import write_model as make_model


def tiny_model(game, seed=0, scale=0.5):
    rng = np.random.default_rng(seed)
    size = int(np.prod(game.shape))
    nodes = [
        write_node("Flatten", [INPUT], "flat", {"axis": 1}),
        write_node("Gemm", ["flat", "p"], OUTPUTS[0], {"transB": 1}),
        write_node("Gemm", ["flat", "v"], "value", {"transB": 1}),
        write_node("Sigmoid", ["value"], OUTPUTS[1], {}),
    ]
    tensors = [
        write_tensor("p", scale * rng.standard_normal((game.actions, size))),
        write_tensor("v", scale * rng.standard_normal((game.players, size))),
    ]
    outputs = dict(zip(OUTPUTS, ((game.actions,), (game.players,)), strict=True))
    return make_model(nodes, tensors, {INPUT: game.shape}, outputs)


def tiny_network(game, path, seed=0, **changed):
    """Write a network file for a game; `changed` alters what it says of itself."""
    from dataclasses import replace

    write_model(path, replace(describe(game, "modern:size=s"), **changed), tiny_model(game, seed))
    return path
