"""`halma.load_network(path).evaluate(position)`: policy by move and values by player."""

import random

import numpy as np
import pytest
from tiny_network import tiny_network

import halma
from halma.errors import ChanceError, GameOverError, NetworkError
from halma.networks import NetworkOutput

VARIANTS = ["rhombus-5x5-3", "star-37-3p", "draughts-8x8", "ewn-3x3-3", "cdc-2x4-PPPP", "frogs-3-2"]


def played(game, plies, seed=0):
    rng, record = random.Random(seed), halma.Record(game)
    record.roll(rng)
    for _ in range(plies):
        record.play(rng.choice(record.position.legal_moves))
        record.roll(rng)
    return record


@pytest.mark.parametrize("variant", VARIANTS)
def test_policy_and_values_are_those_of_the_network(tmp_path, variant):
    game = halma.game(variant)
    network = halma.load_network(tiny_network(game, tmp_path / "x.onnx"))
    assert network.game == game
    for plies in range(4):
        record = played(game, plies)
        found, position = network.evaluate(record), record.position
        logits, values = network.evaluator.evaluate(record.encode()[None])
        assert isinstance(found, NetworkOutput) and found.position == position
        # A naive twin: exponentials over the legal moves.
        weights = {
            m.text: np.exp(np.float64(logits[0, position.action(m)])) for m in position.legal_moves
        }
        total = sum(weights.values())
        assert found.policy == pytest.approx({text: w / total for text, w in weights.items()})
        assert list(found.policy.values()) == sorted(found.policy.values(), reverse=True)
        assert found.best.text == max(weights, key=weights.get)
        # The network's values begin with the player to move.
        assert found.value == found.values[position.mover] == pytest.approx(float(values[0, 0]))
        following = (position.mover + 1) % game.players
        assert found.values[following] == pytest.approx(float(values[0, 1]))
        assert len(found.values) == game.players


def test_a_batch_gives_what_single_positions_give(tmp_path):
    game = halma.game("draughts-8x8")
    network = halma.load_network(tiny_network(game, tmp_path / "x.onnx"), game, threads=2)
    positions = [played(game, 3, seed).position for seed in range(5)]
    for one, position in zip(network.evaluate_all(positions), positions, strict=True):
        alone = network.evaluate(position)
        assert one.policy == pytest.approx(alone.policy, rel=1e-4)
        assert one.values == pytest.approx(alone.values, rel=1e-4)
    assert network.evaluate_all([]) == []


def test_a_record_shows_the_network_its_history(tmp_path):
    game = halma.game("draughts-8x8")
    network = halma.load_network(tiny_network(game, tmp_path / "x.onnx"))
    record = halma.Record(game, game.position("B:WK32:BK1"))
    for move in ("1-6", "32-27", "6-1", "27-32"):
        record.play(move)
    assert record.repetitions == 1
    assert network.evaluate(record).values != network.evaluate(record.position).values


def test_the_network_that_comes_with_halma():
    network = halma.load_network("rhombus-7x7-6")
    found = network.evaluate(network.game.start())
    assert sum(found.policy.values()) == pytest.approx(1)
    assert sum(found.values) == pytest.approx(1, abs=1e-5)
    assert found.as_dict()["policy"][found.best.text] > 0.1


def test_bad_requests_are_sentences(tmp_path):
    game = halma.game("ewn-3x3-3")
    path = tiny_network(game, tmp_path / "x.onnx")
    network = halma.load_network(path)
    with pytest.raises(ChanceError, match="No player is to move"):
        network.evaluate(game.start())
    with pytest.raises(GameOverError, match="the game is over"):
        network.evaluate(played_out(game))
    with pytest.raises(NetworkError, match="plays 'ewn-3x3-3', not 'ewn-5x5-6'"):
        network.evaluate(halma.game("ewn-5x5-6").start())
    with pytest.raises(NetworkError, match="not 'rhombus-5x5-3'"):
        halma.load_network(path, halma.game("rhombus-5x5-3"))
    with pytest.raises(NetworkError, match="There is no network 'nothing'"):
        halma.load_network("nothing")
    (tmp_path / "y.onnx").write_bytes(b"not a network")
    with pytest.raises(NetworkError, match="not a network file"):
        halma.load_network(tmp_path / "y.onnx")


def played_out(game):
    rng, record = random.Random(0), halma.Record(game)
    while not record.is_over:
        record.roll(rng)
        record.play(rng.choice(record.position.legal_moves))
    return record
