"""Games a second of a cluster run whose games arrive early; the cluster is simulated."""

import time
from types import SimpleNamespace

import pytest

pytest.importorskip("ray")

import ray
from distributed_runs import small_run

from halma.bench.cluster import SimulatedHost, _network, _some_games
from halma.learn.archive import RunNetworks
from halma.learn.distributed import self_play as module
from halma.learn.distributed.monitor import ClusterMonitor
from halma.learn.distributed.workers import RemoteWorker
from halma.learn.players import Players
from halma.learn.replay_buffer import GameFiles
from halma.learn.trainer import weights_of

#: Seconds after which the slow one of two workers answers.
SLOW = 0.5


class Fleet:
    """Two workers; the second one answers all calls at the same time, and late."""

    def __init__(self, recipe):
        self._host, self._began = SimulatedHost(_some_games(recipe)), time.monotonic()
        node = SimpleNamespace(name="here")
        self._workers = [
            RemoteWorker(name, node, 1, self._handle(seconds), None, is_ready=True)
            for name, seconds in (("fast", 0.0), ("slow", SLOW))
        ]

    def _handle(self, seconds):
        def call(*given):
            return Call(self._began + seconds, self._host.play(*given))

        return SimpleNamespace(play=SimpleNamespace(remote=call))

    def ready(self):
        return self._workers

    def succeed(self, worker):
        pass


class Call:
    """A call of a worker, whose answer is there at some time."""

    def __init__(self, ready_at, shard):
        self.ready_at, self.shard = ready_at, shard


def wait(calls, num_returns, timeout):
    """Return the calls that have an answer, like Ray."""
    ready = [call for call in calls if call.ready_at <= time.monotonic()]
    time.sleep(0 if ready else 0.01)
    return ready, []


def test_games_that_arrive_early_do_not_make_an_iteration_fast(tmp_path, monkeypatch):
    fake = SimpleNamespace(
        put=lambda given: given, wait=wait, get=lambda call: call.shard, exceptions=ray.exceptions
    )
    monkeypatch.setattr(module, "ray", fake)
    recipe = small_run(selfplay__games=16, iterations=2)
    network = _network(recipe)
    networks = RunNetworks(tmp_path, recipe)
    players = Players(
        *(recipe.game, recipe.settings, networks, network, weights_of(network)),
        *(lambda network: None, print),
    )
    files, monitor = GameFiles(tmp_path, recipe.game), ClusterMonitor(tmp_path)
    played = module.ClusterSelfPlay(recipe, files, Fleet(recipe), players, monitor, print)
    first = played.play(1)[1]
    began = time.monotonic()
    second = played.play(2)[1]
    assert time.monotonic() - began < SLOW / 2  # its games were there
    for metrics in (first, second):
        assert metrics["games"] == 16
        assert 0 < metrics["games_per_second"] < 32 / (SLOW / 2)
        assert metrics["evaluations_per_second"] > 0
