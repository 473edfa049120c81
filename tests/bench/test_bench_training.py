"""The benchmark of training in a tiny form."""

from __future__ import annotations

from halma.bench import training
from halma.bench.harness import BenchReport, Effort

SMALL = {
    "game": "rhombus-3x3-1",
    "network": "hsueh2023:filters=4",
    "iterations": 100_000,
    "search.simulations": 4,
    "selfplay.games": 8,
    "selfplay.max_plies": 12,
    "warm_start.games": 0,
    "evaluation.every": 0,
}
TINY = Effort(rounds=1, seconds=0.001, peer_games=1, long=True)


def test_a_tiny_run_has_every_row(monkeypatch):
    monkeypatch.setattr(training, "CPU_STEPS_A_ROUND", 2)
    monkeypatch.setattr(training, "GAMES", 4)
    # Two iterations take less than a second; other processes may take the rest.
    monkeypatch.setattr(training, "RUN_SECONDS", 8.0)
    # A session whose time is over before it is prepared plays no game.
    monkeypatch.setattr(training, "SECOND_SECONDS", 10.0)
    monkeypatch.setattr(training, "RUN_CHANGES", SMALL)
    report = BenchReport.collect(training.measure_training(TINY, 0), lambda row: None)
    rows = {row.name: row.value for row in report.rows}
    assert rows["rhombus-7x7-6 learning step"] > 0
    assert 0 < rows["rhombus-7x7-6 learner at work, not waiting"] <= 1
    assert rows["iterations of the first session"] >= 1
    assert 0 < rows["first game, second session"] < 10
    assert 0 <= rows["matches"] < 1
