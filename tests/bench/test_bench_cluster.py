"""Every row of `halma bench cluster` at its smallest size; the values measured are not tested."""

import pytest

pytest.importorskip("ray")
pytest.importorskip("torch")

from halma.bench import cluster
from halma.bench.harness import BenchReport, Effort

TINY = Effort(rounds=1, seconds=0.001, peer_games=3)


@pytest.mark.slow
@pytest.mark.flaky(reruns=1)
def test_a_tiny_run_has_every_row(monkeypatch):
    monkeypatch.setattr(cluster, "CHANGES", {**cluster.CHANGES, "game": "ewn-3x3-2"})
    # Workers send games once a second.
    monkeypatch.setattr(cluster, "SHORT", 3.0)
    monkeypatch.setattr(cluster, "PAUSE", 0.0)
    monkeypatch.setattr(cluster, "WORKERS", (3, 1000))
    monkeypatch.setattr(cluster, "core_count", lambda: 2)
    report = BenchReport.collect(cluster.measure_cluster(TINY, 0), lambda text: None)
    rows = {row.name: row.value for row in report.rows}
    assert {name for name, value in rows.items() if value <= 0} == set()
    assert {
        *("with Ray, of without", "two nodes, of one", "a game", "weights"),
        *("taken in from 3 workers", "messages of 3 workers"),
    } <= rows.keys()
    assert not any("1000" in name for name in rows)
