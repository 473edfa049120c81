"""What a run on a cluster does, node by node: Prometheus metrics, and a file that a page shows."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import ray
from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server

from halma.errors import HalmaError
from halma.files import open_to_append

#: The file of a run directory with a line for every sample.
NAME = "cluster.jsonl"
#: Seconds between two samples.
SAMPLE_SECONDS = 5.0


@dataclass
class NodeSample:
    """What a worker did since the last sample."""

    games: int = 0
    evaluations: int = 0
    #: seconds that it played
    seconds: float = 0.0
    #: versions of the network between those it plays with and the newest
    lag: int = 0
    #: games that it has and has not finished
    backlog: int = 0


@dataclass
class ClusterMonitor:
    """Counts for Prometheus, and writes samples to a run directory while it is entered."""

    run: Path
    #: port of the loopback interface where Prometheus finds the metrics; None: nowhere
    port: int | None = None
    _nodes: dict[str, NodeSample] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = self._missing = 0
        #: all games that have arrived, and their evaluations
        self.games = self.evaluations = 0
        self._sampled_at = time.monotonic()
        registry = self._registry = CollectorRegistry()
        node = ["node"]

        def gauge(name: str, about: str, labels: list[str] = node) -> Gauge:
            return Gauge(f"halma_{name}", about, labels, registry=registry)

        self._games = Counter("halma_games", "Finished games of self-play", node, registry=registry)
        self._evaluations = Counter(
            "halma_evaluations", "Evaluations of the network", node, registry=registry
        )
        self._playing = Counter(
            "halma_playing_seconds", "Time of self-play", node, registry=registry
        )
        self._lag = gauge("version_lag", "Versions behind the newest network")
        self._backlog = gauge("backlog_games", "Games that a worker has and has not finished")
        self._queues = gauge("queue_games", "Wanted games, by where they are", ["queue"])
        self._iteration = gauge("iteration", "The last finished iteration", [])
        self._store = gauge("object_store_bytes", "Memory of the object stores in use", [])

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve the metrics at the port, on the loopback interface alone."""
        if self.port is None:
            yield
            return
        try:
            server, thread = start_http_server(self.port, addr="127.0.0.1", registry=self._registry)
        except OSError as error:
            raise HalmaError(
                f"Metrics cannot be served at port {self.port}: {error.strerror}."
            ) from None
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def played(
        self, node: str, games: int, evaluations: int, seconds: float, lag: int, backlog: int
    ) -> None:
        """Take note of a shard."""
        with self._lock:
            sample = self._nodes.setdefault(node, NodeSample())
            sample.games += games
            self.games += games
            sample.evaluations += evaluations
            self.evaluations += evaluations
            sample.seconds += seconds
            sample.lag, sample.backlog = lag, backlog
        self._games.labels(node).inc(games)
        self._evaluations.labels(node).inc(evaluations)
        self._playing.labels(node).inc(seconds)
        self._lag.labels(node).set(lag)
        self._backlog.labels(node).set(backlog)

    def queues(self, waiting: int, missing: int) -> None:
        """Take note of the wanted games that no worker has, and of all that are not here."""
        self._waiting, self._missing = waiting, missing
        self._queues.labels("waiting").set(waiting)
        self._queues.labels("playing").set(missing - waiting)
        if time.monotonic() - self._sampled_at >= SAMPLE_SECONDS:
            self.sample()

    def finished(self, iteration: int) -> None:
        """Take note that an iteration is over."""
        self._iteration.set(iteration)
        self.sample()

    def sample(self) -> None:
        """Write what happened since the last sample."""
        now = time.monotonic()
        with self._lock:
            nodes, self._nodes = self._nodes, {}
            seconds, self._sampled_at = now - self._sampled_at, now
        store = object_store_bytes()
        self._store.set(store)
        line = {
            "time": time.time(),
            "seconds": seconds,
            "nodes": {name: asdict(sample) for name, sample in sorted(nodes.items())},
            "waiting": self._waiting,
            "missing": self._missing,
            "object_store_bytes": store,
        }
        with open_to_append(self.run / NAME) as file:
            file.write(json.dumps(line).encode() + b"\n")


def object_store_bytes() -> int:
    """Return the memory of all object stores that is in use."""
    total: Mapping[str, Any] = ray.cluster_resources()
    free: Mapping[str, Any] = ray.available_resources()
    return int(total.get("object_store_memory", 0) - free.get("object_store_memory", 0))
