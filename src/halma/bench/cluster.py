"""`halma bench cluster`: self-play with Ray and without, and the games that one run takes in.

Clusters are started within this machine. How many nodes a run can have is measured with the real
messages, files and bookkeeping, but with workers that send games played before.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from halma.bench.harness import Effort, Measurement
from halma.interrupt import Interrupted
from halma.learn.archive import RunNetworks
from halma.learn.players import Players
from halma.learn.recipe import Recipe, load
from halma.learn.replay_buffer import GameFiles, ReplayBuffer
from halma.learn.selfplay import SelfPlay
from halma.learn.trainer import Trainer, weights_of
from halma.machine import core_count, require
from halma.networks.torch_evaluator import EvaluatorPool, find_device
from halma.selfplay import FinishedGames

PEER = "self-play without Ray"
#: goals: the share of games that are left with Ray, and the gain of a second node of one core
SAME_MACHINE_GOAL, TWO_NODES_GOAL = 0.95, 1.9
#: the recipe, and what is measured of it
RECIPE = "quick"
CHANGES: dict[str, Any] = {
    "game": "ewn-5x5-6",
    "warm_start.games": 0,
    "selfplay.games": 256,
    "selfplay.parallel_games": 64,
    "iterations": 1_000_000,
    "stages.side_by_side": True,
}
#: seconds of a measurement, complete and quick, and of a pause in which workers become idle
LONG, SHORT, PAUSE = 15.0, 4.0, 3.0
#: numbers of simulated workers; the last one in a complete run alone
WORKERS = (10, 100, 1000)
_STORE = 200 << 20


def measure_cluster(effort: Effort, seed: int) -> Iterator[Measurement | str]:
    """Measure one machine with Ray and without, two nodes against one, and a run's intake."""
    require("ray", "prometheus_client", "torch")
    recipe = load(RECIPE, {"seed": seed, **CHANGES})
    seconds, rounds = (LONG, 3) if effort.long else (SHORT, 2)
    cores = core_count()
    with _local(recipe, cores) as without, _clustered(recipe, [cores]) as (with_ray,):
        alone, through = _best(rounds, seconds, without, with_ray)
    name = f"one machine of {cores} cores"
    yield Measurement(f"{name}, without Ray", alone, "games/s")
    yield Measurement(f"{name}, with Ray", through, "games/s")
    yield Measurement("with Ray, of without", through / alone, "times", SAME_MACHINE_GOAL)
    if cores >= 2:
        with _clustered(recipe, [1, 1]) as numbers_of_nodes:
            one, two = _best(rounds, seconds, *numbers_of_nodes)
        yield Measurement("one node of one core", one, "games/s")
        yield Measurement("two nodes of one core", two, "games/s")
        yield Measurement("two nodes, of one", two / one, "times", TWO_NODES_GOAL)
    yield from _sizes(recipe)
    yield from _learner(recipe, effort)
    for workers in WORKERS if effort.long else WORKERS[:-1]:
        yield from _intake(recipe, workers, seconds)


#: Plays for some seconds; returns the number of games that were finished.
_Play = Callable[[float], float]


def _best(rounds: int, seconds: float, *players: _Play) -> list[float]:
    """Return the most games a second of each player; they take turns."""
    best = [0.0] * len(players)
    for player in players:
        player(seconds / 2)  # warms up: at first all games are at their start
        time.sleep(PAUSE)
    for _ in range(rounds):
        for number, player in enumerate(players):
            began = time.perf_counter()
            games = player(seconds)
            best[number] = max(best[number], games / (time.perf_counter() - began))
            time.sleep(PAUSE)
    return best


@contextmanager
def _local(recipe: Recipe, cores: int) -> Iterator[_Play]:
    """Yield self-play in this process, one iteration after the other."""
    pool = EvaluatorPool(_network(recipe), "cpu", cores)
    self_play = SelfPlay(recipe.game, recipe.settings, pool.evaluators, cores)
    iteration = 0

    def play(seconds: float) -> float:
        nonlocal iteration
        games, until = 0, time.perf_counter() + seconds
        while time.perf_counter() < until:
            iteration += 1
            games += len(self_play.play(iteration)[0])
        return games

    yield play


@contextmanager
def _clustered(recipe: Recipe, nodes: Sequence[int]) -> Iterator[list[_Play]]:
    """Yield self-play on a cluster within this machine, whose nodes have some cores each.

    The first uses one node, the second two, and so on.
    """
    from halma.learn.distributed.workers import WorkerFleet

    with _cluster(nodes) as cluster:
        fleet = WorkerFleet(cluster, recipe, lambda text: None)
        try:
            fleet.start()
            first = FirstWorkers(fleet)
            with _self_play(recipe, first) as play:

                def play_on(number: int, seconds: float) -> float:
                    first.number = number
                    return play(seconds)

                yield [partial(play_on, number + 1) for number in range(len(nodes))]
        finally:
            fleet.close()


@contextmanager
def _cluster(nodes: Sequence[int]) -> Iterator[Any]:
    """Start a cluster within this machine, and connect to it."""
    # After the import above, which keeps Ray from reporting its use.
    from ray.cluster_utils import Cluster as LocalCluster

    from halma.cluster.connection import Cluster

    options = {"object_store_memory": _STORE}
    local = LocalCluster(
        initialize_head=True,
        head_node_args={"num_cpus": nodes[0], "include_dashboard": False, **options},
    )
    try:
        for cores in nodes[1:]:
            local.add_node(num_cpus=cores, **options)
        with Cluster(local.address) as cluster:
            yield cluster
    finally:
        local.shutdown()


@contextmanager
def _self_play(recipe: Recipe, fleet: Any) -> Iterator[_Play]:
    """Yield the self-play of a run on the workers of a fleet; it counts games that arrive."""
    from halma.learn.distributed.monitor import ClusterMonitor
    from halma.learn.distributed.self_play import ClusterSelfPlay

    with TemporaryDirectory() as folder:
        run = Path(folder)
        files, network = GameFiles(run, recipe.game), _network(recipe)
        players = Players(
            recipe.game,
            recipe.settings,
            RunNetworks(run, recipe),
            network,
            weights_of(network),
            lambda network: EvaluatorPool(network, "cpu", 1),
            print,
        )
        monitor = ClusterMonitor(run)
        iteration = 1

        def play(seconds: float) -> float:
            nonlocal iteration
            before, until = monitor.games, time.perf_counter() + seconds
            timer = threading.Timer(seconds, self_play.stop)
            timer.start()
            try:
                while time.perf_counter() < until:
                    files.write(iteration, *self_play.play(iteration))
                    files.remove(iteration)
                    iteration += 1
            except Interrupted:
                self_play.resume()
            finally:
                timer.cancel()
            return monitor.games - before

        self_play = ClusterSelfPlay(recipe, files, fleet, players, monitor, print)
        yield play


def _sizes(recipe: Recipe) -> Iterator[Measurement]:
    """Measure what travels: games and weights."""
    games = _some_games(recipe)
    size = sum(array.nbytes for array in games.arrays().values())
    yield Measurement("a game", size / len(games), "bytes")
    yield Measurement("plies of a game", float(games.lengths.mean()), "plies")
    weights = weights_of(_network(recipe))
    yield Measurement("weights", sum(array.nbytes for array in weights.values()), "bytes")


def _learner(recipe: Recipe, effort: Effort) -> Iterator[Measurement]:
    """Measure the new positions that the learner of this machine takes in."""
    device = find_device("auto")
    games = _some_games(recipe)
    buffer = ReplayBuffer(recipe.game, len(games), 1.0, recipe.settings.seed)
    buffer.add(1, games)
    buffer.gather()
    trainer = Trainer(recipe.game, recipe.settings, device, core_count())
    learning = recipe.settings.learning
    best = max(
        (learning.batch_size * 20 / trainer.train(buffer, 20, learning.rate, (1, n)).seconds)
        for n in range(max(2, effort.rounds // 2))
    )
    yield Measurement(f"positions trained on, {device}", best, "positions/s")
    new = best / learning.samples_per_new
    yield Measurement(f"new positions a learner takes in, {device}", new, "positions/s")


def _intake(recipe: Recipe, workers: int, seconds: float) -> Iterator[Measurement]:
    """Measure the games that a run takes in from workers that answer at once, without search."""
    wide = recipe.changed({"selfplay.games": max(1000, 40 * workers)})
    with _cluster([1]) as cluster:
        fleet = SimulatedFleet(cluster, wide, workers)
        with _self_play(wide, fleet) as play:
            play(1.0)
            began, sent = time.perf_counter(), fleet.answers
            games = play(seconds)
            took = time.perf_counter() - began
        yield Measurement(f"taken in from {workers} workers", games / took, "games/s")
        yield Measurement(
            f"messages of {workers} workers", (fleet.answers - sent) / took, "messages/s"
        )


class FirstWorkers:
    """Some of the workers of a fleet; to a run, the others are lost."""

    def __init__(self, fleet: Any) -> None:
        self._fleet = fleet
        self.number = 1

    def ready(self) -> list[Any]:
        """Return the first workers."""
        workers: list[Any] = self._fleet.ready()
        return workers[: self.number]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fleet, name)


class SimulatedFleet:
    """Workers that answer at once with games played before; one actor answers for all of them."""

    def __init__(self, cluster: Any, recipe: Recipe, workers: int) -> None:
        import ray

        from halma.learn.distributed.workers import RemoteWorker

        self.answers = 0
        (node, *_) = cluster.nodes
        games = ray.put(_some_games(recipe))
        host = ray.remote(num_cpus=0)(SimulatedHost).remote(games)
        self._workers = [
            RemoteWorker(f"worker {number}", node, 1, _Handle(host), None, is_ready=True)
            for number in range(workers)
        ]

    def ready(self) -> list[Any]:
        """Return all workers."""
        return self._workers

    def succeed(self, worker: Any) -> None:
        """Count an answer."""
        self.answers += 1

    def lose(self, worker: Any, reason: str = "") -> None:
        """Fail: the actor that answers cannot be lost."""
        raise AssertionError(reason)


class SimulatedHost:
    """An actor that sends games played before under the numbers that it is asked for."""

    def __init__(self, games: FinishedGames) -> None:
        self._games = games

    def play(
        self, numbers: Sequence[int], iteration: int, version: int, networks: Any, seconds: float
    ) -> Any:
        """Return a shard with these games."""
        import numpy as np

        from halma.learn.distributed.worker import SelfPlayShard

        places = np.array(numbers, np.int64) % len(self._games)
        games = replace(self._games.take(places), numbers=np.array(numbers, np.uint64))
        return SelfPlayShard(games.arrays(), version, len(numbers), 1.0, 0)


class _Handle:
    """A handle of a worker that is played by the host; as pickled, the host's own."""

    def __init__(self, host: Any) -> None:
        self.play = host.play


def _some_games(recipe: Recipe) -> FinishedGames:
    """Return an iteration's games of an untrained network."""
    few = recipe.changed({"selfplay.games": 64})
    pool = EvaluatorPool(_network(few), "cpu", core_count())
    return SelfPlay(few.game, few.settings, pool.evaluators, core_count()).play(1)[0]


def _network(recipe: Recipe) -> Any:
    from halma.networks.architectures.build import build

    return build(recipe.settings.network_info(recipe.game), recipe.settings.seed)
