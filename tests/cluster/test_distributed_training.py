"""Training on clusters within one machine, whose workers and nodes come and go."""

import urllib.request

import pytest

pytest.importorskip("ray")

from distributed_runs import check_games, distributed, small_run
from ray_clusters import add_node, kill, lines, ray_cluster, wait_until, workers_of

from halma.learn.reports.events import Handler, Iteration, Note

PORT = 19_117


class Events(Handler):
    """Does something after iterations, and keeps notes."""

    def __init__(self, after):
        self.after = after
        self.notes = []

    def handle(self, report):
        if isinstance(report, Iteration) and report.metrics["iteration"] in self.after:
            self.after[report.metrics["iteration"]]()
        elif isinstance(report, Note):
            self.notes.append(report.text)


@pytest.mark.hostile
def test_workers_and_nodes_come_and_go(tmp_path):
    """A worker is killed, a node joins, a node is killed: no game is lost, none counted twice."""
    out = tmp_path / "run"
    recipe = small_run(
        iterations=24, gate__games=4, evaluation__every=8, selfplay__parallel_games=16
    )
    seen = {}
    with ray_cluster(1) as cluster:

        def kill_a_worker():
            seen["before"] = workers_of()
            kill(seen["before"][0])

        def join():
            seen["late"] = add_node(cluster)
            wait_until(lambda: len(workers_of()) == 3, 30)

        def scrape():
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/metrics") as answer:
                seen["metrics"] = answer.read().decode()

        def lose_a_node():
            cluster.remove_node(seen["late"], allow_graceful=False)

        events = Events({2: kill_a_worker, 5: join, 12: scrape, 16: lose_a_node})
        distributed(recipe, out, cluster, [events], metrics_port=PORT)
    check_games(recipe, out)
    assert len(seen["before"]) == 2
    assert any("is lost: its process has died" in note for note in events.notes)
    samples = lines(out / "cluster.jsonl")
    nodes = {name for sample in samples for name in sample["nodes"]}
    assert len(nodes) == 3
    assert 'halma_games_total{node="' in seen["metrics"]
    assert "halma_iteration 12.0" in seen["metrics"]
    page = (out / "cluster.html").read_text()
    assert all(name in page for name in nodes) and "<svg" in page
