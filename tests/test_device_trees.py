"""The experiment with trees on a GPU: its rules are the core's, and simulations are visits."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import halma

torch = pytest.importorskip("torch")
SCRIPT = Path(__file__).parents[1] / "scripts" / "device_trees.py"


def script():
    spec = importlib.util.spec_from_file_location("device_trees", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look their annotations up
    spec.loader.exec_module(module)
    return module


def test_legal_moves_are_the_cores():
    game = halma.game("rhombus-7x7-6")
    board = script().Board(7, 6, torch.device("cpu"))
    states = [
        state.tobytes()
        for state in game.core.sample_states(game.core.initial(), 300, seed=1, ply_limit=100)
    ]
    planes = np.stack([game.core.encode([state]) for state in states]).astype(np.int64)
    own, other = torch.from_numpy((planes[:, :2] << np.arange(49).reshape(7, 7)).sum((2, 3))).T
    reach = board.reachable(own, other)
    found = (reach[:, :, None] >> board.bits & 1).sum((1, 2)).tolist()
    assert found == [len(game.core.legal(state)) for state in states]
    assert planes[0, :2].tolist() == board.planes(board.start(1))[0].tolist()


def test_every_simulation_is_a_visit_and_a_node():
    module = script()
    board = module.Board(4, 3, torch.device("cpu"))
    trees = module.Trees(board, games=6, simulations=20)
    network = module.PairNetwork(board, channels=8, blocks=1)
    with torch.no_grad():
        module.make_search(trees, network, False)()
    assert trees.visits[:, 0].sum(1).tolist() == [20] * 6
    children = trees.child.flatten(1).sort(1).values[:, -20:]
    assert children.tolist() == [list(range(1, 21))] * 6
