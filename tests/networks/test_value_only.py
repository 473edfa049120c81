"""Networks with values alone: their shapes, their ONNX files, their training, and play."""

import random

import numpy as np
import pytest
import torch
from torch.nn import functional

import halma
from halma.agents import agent
from halma.errors import OptionError
from halma.games import Record
from halma.networks.architectures.blocks import for_inference
from halma.networks.architectures.build import build
from halma.networks.export import export
from halma.networks.network_file import NetworkInfo, read_model
from halma.networks.onnx_evaluator import OnnxEvaluator

DRAUGHTS = halma.game("draughts-8x8:pluska2022")


def network_for(game, architecture, seed=1):
    return build(NetworkInfo.for_game(game, architecture), seed=seed)


def encoded(game, number, seed=0):
    """Return the planes of random positions: (n, planes, rows, columns)."""
    rng, rows = random.Random(seed), []
    while len(rows) < number:
        record = Record(game)
        record.roll(rng)
        for _ in range(rng.randrange(40)):
            if record.is_over:
                break
            record.play(rng.choice(record.position.legal_moves))
            if not record.is_over:
                record.roll(rng)
        if not record.is_over:
            rows.append(record.encode())
    return torch.from_numpy(np.stack(rows))


def test_the_paper_s_network_has_a_kernel_over_three_rows():
    network = network_for(DRAUGHTS, "pluska2022")
    weight = network.rows.conv.weight
    assert weight.shape == (8, 4, 12) and network.rows.conv.stride == (4,)
    assert sum(p.numel() for p in network.parameters()) == 593
    # By hand: squares one-hot in four rows of 32, as the paper says.
    position = DRAUGHTS.position("W:W21,22,K30:B5,K9")
    mover, *board = DRAUGHTS.core.describe(position.state)
    seen = torch.zeros(1, 4, 32)
    for square, piece in enumerate(board):
        if piece:  # white is to move: the board is turned, and its pieces are the mover's
            own = piece < 0
            seen[0, (0 if own else 2) + (abs(piece) == 2), 31 - square] = 1
    windows = functional.conv1d(seen, weight, network.rows.conv.bias, stride=4)
    assert mover == 1 and windows.shape == (1, 8, 6)
    combined = torch.relu(network.combine(torch.relu(windows.flatten(1))))
    wanted = torch.sigmoid(network.value(combined))
    planes = torch.from_numpy(Record(DRAUGHTS, position).encode())[None]
    policy, values = network(planes)
    assert torch.allclose(values[:, :1], wanted, atol=1e-6)
    assert torch.allclose(values.sum(1), torch.ones(1))
    assert policy.shape == (1, DRAUGHTS.actions) and not policy.any()


@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        ("draughts-8x8:pluska2022", "pluska2022"),
        ("draughts-8x8:pluska2022", "pluska2022:features=3,combined=2"),
        ("draughts-8x8", "linear"),
        ("ewn-3x3-3", "linear:hidden=16"),
        ("star-37-3p", "linear"),
    ],
)
def test_files_and_inference_have_the_same_values(tmp_path, name, architecture):
    game = halma.game(name)
    network = network_for(game, architecture).eval()
    planes = encoded(game, 20)
    with torch.no_grad():
        policy, values = network(planes)
        plain = for_inference(network)(planes)
    assert policy.shape == (20, game.actions) and values.shape == (20, game.players)
    assert torch.allclose(plain[1], values, atol=1e-5) and not plain[0].any()
    export(network, tmp_path / "value.onnx")
    found = OnnxEvaluator(*read_model(tmp_path / "value.onnx")).evaluate(planes.numpy())
    assert np.allclose(found[1], values, atol=1e-5) and not found[0].any()


def test_boards_that_do_not_fit():
    with pytest.raises(OptionError, match="even number of columns"):
        network_for(halma.game("rhombus-7x7-6"), "pluska2022")
    with pytest.raises(OptionError, match="2 players"):
        network_for(halma.game("star-37-3p"), "pluska2022")


@pytest.mark.parametrize("rule", ["expansion", "puct", "gumbel"])
def test_it_plays_with_every_rule_for_networks(tmp_path, rule):
    export(network_for(DRAUGHTS, "linear"), tmp_path / "value.onnx")
    chosen = agent(f"net:{tmp_path / 'value.onnx'},sims=8,rule={rule}")
    record, rng = Record(DRAUGHTS), random.Random(1)
    for _ in range(6):
        record.play(chosen.choose(record, rng))
    assert record.plies == 6
