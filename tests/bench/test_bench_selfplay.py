"""The self-play benchmark in a tiny form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import halma
from halma.bench import network, selfplay
from halma.bench.harness import BenchReport, Effort

TINY = Effort(rounds=1, seconds=0.001, peer_games=1)


def test_a_tiny_run_has_every_row(monkeypatch):
    monkeypatch.setattr(selfplay, "SLOTS", 4)
    small = [replace(case, batches=(2, 2)) for case in network.CASES[1:]]
    monkeypatch.setattr(network, "CASES", (network.PAPER, *small))
    monkeypatch.setattr(network, "LEAST_SECONDS", 0.5)
    notes = []
    report = BenchReport.collect(selfplay.measure_selfplay(TINY, 0), notes.append)
    names = [row.name for row in report.rows]
    for case in selfplay.CASES:
        assert f"{case.variant} pool" in names
        assert f"{case.variant} memory" in names
    assert "ewn-3x3-3 games" in names
    for case in network.CASES:
        assert f"{case.label} network alone" in names
        assert f"{case.player} beside the network" in names
    assert "180 simulations, one move, one core" in names
    assert len(notes) == len(names)
    assert all(row.value > 0 for row in report.rows)


def test_the_free_evaluator_returns_the_right_shapes():
    game = halma.game("star-37-3p")
    logits, values = selfplay.free_evaluator(game).evaluate(np.zeros((3, *game.shape), np.float32))
    assert logits.shape == (3, game.actions)
    assert values.shape == (3, 3)
    np.testing.assert_allclose(values.sum(axis=1), 1, atol=1e-5)
