"""Shapes of a network's intermediate results, and bounds on what running it takes.

A small file may ask for any amount of memory and time: paddings, and operations whose result is
larger than their input, one after the other. Shapes of inputs and weights are known, so all others
are computed before onnxruntime sees the file. They are those of one position, without the batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from halma.networks.onnx_file import INPUT, OUTPUTS, Node, PlainGraph, Shape
from halma.networks.onnx_wire import OnnxError, same_name

#: numbers in all intermediate results of a position, 32 MB: twice those of the largest
#: architecture on the largest board
MOST_NUMBERS = 1 << 23
#: largest block of channels that onnxruntime stores together
_BLOCK = 16
#: multiply-adds for a position: about a second on one core
MOST_WORK = 1 << 34


class Result(NamedTuple):
    """The result of an operation on one position."""

    shape: Shape
    #: multiply-adds
    work: int
    #: numbers that are held only while it runs
    scratch: int = 0


def check_cost(graph: PlainGraph, shape: Shape, outputs: Sequence[int]) -> None:
    """Raise an `OnnxError` unless a network fits its description and can be run at bounded cost.

    It must map planes of this shape to outputs of these widths, policy and values.
    """
    widths = dict(zip(OUTPUTS, ((width,) for width in outputs), strict=True))
    if graph.inputs != {INPUT: shape}:
        raise OnnxError("its input does not have the shape of its description")
    if graph.outputs != widths or list(graph.outputs) != list(OUTPUTS):
        raise OnnxError("its outputs do not have the shapes of its description")
    if INPUT in graph.weights:
        raise same_name()
    shapes: dict[str, Shape] = {INPUT: shape}
    numbers, work = _held(shape), 0
    for node in graph.nodes:
        result = _result(node, shapes, graph.weights)
        numbers += _held(result.shape)
        work += result.work
        for figure, most, what in (
            (numbers + result.scratch, MOST_NUMBERS, "numbers in memory"),
            (work, MOST_WORK, "multiply-adds"),
        ):
            if figure > most:
                raise OnnxError(
                    f"up to its {node} it takes {figure:,} {what} for a position, and at most "
                    f"{most:,} are allowed"
                )
        if node.output in shapes or node.output in graph.weights:
            raise same_name()
        shapes[node.output] = result.shape
    for name, wanted in widths.items():
        if shapes.get(name) != wanted:
            raise OnnxError(f"its {name} have the wrong shape")


def _held(shape: Shape) -> int:
    """Return the numbers that a result has in memory: channels are stored in blocks."""
    channels = -(-shape[0] // _BLOCK) * _BLOCK if len(shape) == 3 else shape[0]
    return channels * math.prod(shape[1:])


def _result(node: Node, shapes: Mapping[str, Shape], weights: Mapping[str, Shape]) -> Result:
    """Return the result of a node: its first inputs are computed, the others are weights."""
    rule, computed, most = _RULES[node.operation]
    number = computed or len(node.inputs)
    found = [shapes.get(name) for name in node.inputs[:number]]
    found += [weights.get(name) for name in node.inputs[number:]]
    given = [one for one in found if one is not None]
    if not given or len(given) < len(found) or not number <= len(given) <= number + most:
        raise OnnxError(f"its {node} has the wrong inputs")
    result = rule(node, *given)
    if result is None:
        raise OnnxError(f"its {node} has inputs whose shapes do not fit")
    return result


def _conv(node: Node, x: Shape, kernels: Shape = (), bias: Shape | None = None) -> Result | None:
    if len(x) != 3 or len(kernels) != 4 or kernels[1] != x[0] or bias not in (None, kernels[:1]):
        return None
    filters, channels, *kernel = kernels
    pads = node.attributes.get("pads", [0, 0, 0, 0])
    if not isinstance(pads, list) or len(pads) != 4 or min(pads) < 0:
        return None
    if node.attributes.get("kernel_shape", kernel) != kernel:
        return None
    rows, columns = (
        x[axis + 1] + pads[axis] + pads[axis + 2] - kernel[axis] + 1 for axis in (0, 1)
    )
    if rows < 1 or columns < 1:
        return None
    # The matrix that a convolution by matrix multiplication makes of its input.
    patches = channels * math.prod(kernel) * rows * columns
    return Result((filters, rows, columns), filters * patches, patches)


def _gemm(node: Node, x: Shape, matrix: Shape = (), bias: Shape | None = None) -> Result | None:
    if len(x) != 1 or len(matrix) != 2 or node.attributes.get("transB", 0) not in (0, 1):
        return None
    inputs, outputs = reversed(matrix) if node.attributes.get("transB") else matrix
    if inputs != x[0] or bias not in (None, (outputs,)):
        return None
    return Result((outputs,), inputs * outputs)


def _norm(node: Node, x: Shape, *statistics: Shape) -> Result | None:
    fits = len(x) == 3 and len(statistics) == 4 and set(statistics) == {x[:1]}
    return _each(node, x) if fits else None


def _add(node: Node, x: Shape, y: Shape = ()) -> Result | None:
    if len(x) != len(y) or any(m != n and 1 not in (m, n) for m, n in zip(x, y, strict=True)):
        return None
    shape = tuple(map(max, x, y))
    return Result(shape, math.prod(shape))


def _concat(node: Node, *parts: Shape) -> Result | None:
    if len({part[1:] for part in parts}) > 1:
        return None
    shape = (sum(part[0] for part in parts), *parts[0][1:])
    return Result(shape, math.prod(shape))


def _flatten(node: Node, x: Shape) -> Result:
    return Result((math.prod(x),), math.prod(x))


def _pool(node: Node, x: Shape) -> Result | None:
    return Result((x[0], 1, 1), math.prod(x)) if len(x) == 3 else None


def _each(node: Node, x: Shape) -> Result:
    return Result(x, math.prod(x))


#: operation -> how its result follows from its inputs, how many of those are computed (0: all),
#: and how many weights may follow them
_RULES: dict[str, tuple[Callable[..., Result | None], int, int]] = {
    "Add": (_add, 2, 0),
    "BatchNormalization": (_norm, 1, 4),
    "Concat": (_concat, 0, 0),
    "Conv": (_conv, 1, 2),
    "Flatten": (_flatten, 1, 0),
    "Gemm": (_gemm, 1, 2),
    "GlobalAveragePool": (_pool, 1, 0),
    "GlobalMaxPool": (_pool, 1, 0),
    "HardSigmoid": (_each, 1, 0),
    "Neg": (_each, 1, 0),
    "Relu": (_each, 1, 0),
    "Sigmoid": (_each, 1, 0),
}
