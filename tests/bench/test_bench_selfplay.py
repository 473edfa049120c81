"""The self-play benchmark's bookkeeping."""

from __future__ import annotations

import numpy as np

import halma
from halma.bench import network, selfplay
from halma.bench.harness import Settings

TINY = Settings(rounds=1, seconds=0.001, peer_games=1)


def test_a_tiny_run_has_every_row(monkeypatch):
    monkeypatch.setattr(selfplay, "SLOTS", 4)
    monkeypatch.setattr(selfplay, "UNITS", 8)
    monkeypatch.setattr(network, "CPU_BATCH", 4)
    monkeypatch.setattr(network, "LEAST_SECONDS", 0.5)
    notes = []
    report = selfplay.measure_selfplay(TINY, 0, notes.append)
    names = [row.name for row in report.rows]
    for setting in selfplay.SETTINGS:
        assert f"{setting.variant} pool" in names
        assert f"{setting.variant} memory" in names
    assert "self-play beside the judge" in names and "ewn-3x3-3 games" in names
    assert "self-play beside the network" in names
    assert len(notes) == len(names)
    assert all(row.value > 0 for row in report.rows)


def test_judges_answer_in_the_right_shape():
    game = halma.game("star-37-3p")
    planes = np.zeros((3, *game.shape), np.float32)
    for judge in (selfplay.free_judge(game), selfplay.dense_judge(game)):
        logits, values = judge(planes)
        assert logits.shape == (3, game.actions)
        assert values.shape == (3, 3)
        np.testing.assert_allclose(values.sum(axis=1), 1, atol=1e-5)
