"""Networks: their files, their architectures, and evaluators that run them.

position_network.py a network that evaluates positions
onnx_evaluator.py   a network in onnxruntime
torch_evaluator.py  a network in torch, on a CPU or a GPU, for one thread or several
finding.py          networks by name: shipped ones, files, those of a run
network_file.py     network files: description, checks, reading and writing
onnx_file.py        validation of ONNX files
onnx_shapes.py      shapes of intermediate results, and bounds on memory and time
onnx_wire.py        messages of protocol buffers
architectures/      networks by name, and in torch
weights.py          a torch network's weights from and to a file
export.py           from torch to ONNX
onnx_graph.py       a torch network as an ONNX graph
onnx_torch.py       an ONNX file as a torch network, to play on a GPU
sparse_network.py   small networks that the core evaluates: files and names
lookup_table.py     the result of tabular training, read from a checkpoint
models/             networks that come with the package

Playing needs neither torch nor onnx: only architectures/ (apart from the names), weights.py,
export.py, onnx_graph.py, onnx_torch.py and torch_evaluator.py import torch.
"""

from __future__ import annotations

from pathlib import Path

from halma.games import Game
from halma.games.registry import variant
from halma.networks.finding import (
    check_variant,
    find_network,
    list_versions,
    shipped_file,
    shipped_for,
    shipped_networks,
    shown,
)
from halma.networks.network_file import POLICY, NetworkInfo, read_info, read_model
from halma.networks.onnx_evaluator import OnnxEvaluator
from halma.networks.position_network import NetworkOutput, PositionNetwork
from halma.search.evaluator import Evaluator, FunctionEvaluator

__all__ = [
    "FunctionEvaluator",
    "NetworkInfo",
    "NetworkOutput",
    "OnnxEvaluator",
    "PositionNetwork",
    "find_network",
    "list_versions",
    "load",
    "load_network",
    "load_on",
    "read_info",
    "shipped_file",
    "shipped_for",
    "shipped_networks",
]


def load(
    path: Path | str,
    game: Game | None = None,
    threads: int = 1,
    any_rules: bool = False,
    head: str = POLICY,
) -> OnnxEvaluator:
    """Return the evaluator of a network in an ONNX file; its `info` describes the network.

    Raise a `NetworkError` if the file is damaged or foreign, or not for this game; with
    `any_rules`, a game with the same planes and policy will do. `head` is what the first output
    must be.
    """
    info, model = read_model(path)
    if game is not None:
        check_variant(info, game, path, any_rules, head)
    return OnnxEvaluator(info, model, threads, f"'{shown(path)}'")


def load_on(device: str, path: Path | str, game: Game, any_rules: bool = False) -> Evaluator:
    """Return the evaluator of a network in an ONNX file on a device, `cpu` or `cuda`."""
    if device == "cpu":
        return load(path, game, any_rules=any_rules)
    from halma.networks.onnx_torch import load_in_torch

    return load_in_torch(path, game, device, any_rules)


def load_network(
    name: Path | str, game: Game | None = None, threads: int = 1, version: int | str = ""
) -> PositionNetwork:
    """Return a network that evaluates positions: `load_network("best.onnx").evaluate(position)`.

    The name is that of an ONNX file, of a network that comes with halma, or of the directory of a
    run: its best network, or a `version` of its archive. Without a `game`, it is the one that the
    file names.
    """
    path = find_network(str(name), str(version))
    info, model = read_model(path)
    # A variant: a file cannot name a game of the user, whose code would run.
    chosen = game or variant(info.game)
    check_variant(info, chosen, path)
    return PositionNetwork(chosen, info, OnnxEvaluator(info, model, threads, f"'{shown(path)}'"))
