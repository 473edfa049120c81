"""The workers of a run: one on every node, or one for each of its GPUs; they come and go."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import ray

from halma.cluster.connection import Cluster, ClusterNode
from halma.errors import ClusterError, HalmaError, WorkerError, error_text
from halma.learn.distributed.worker import PlayWorker, recipe_digest
from halma.learn.recipe import Recipe

#: Seconds between two looks for nodes without workers, and that all workers have to start at first.
_LOOK_SECONDS, _START_SECONDS = 0.5, 180.0
#: A worker that dies is started again after 1, 2, 4, ... seconds, up to this many times in a row.
_MOST_CRASHES = 6


@dataclass
class RemoteWorker:
    """A worker as the run sees it."""

    #: a name for people
    name: str
    node: ClusterNode
    cores: int
    #: the actor
    handle: Any
    #: what its first answer will be: the digest of its recipe
    digest: Any
    is_ready: bool = False
    #: games a second, as a moving mean; 0 before it has finished any
    rate: float = 0.0
    #: calls that it has not answered yet
    calls: dict[Any, Any] = field(default_factory=dict)


class WorkerFleet:
    """Keeps a worker at every place of the cluster where one can play.

    A place is a node without a GPU, or a GPU with its share of the cores of a node. Both threads
    of a run use it: one asks for games, the other for matches.
    """

    def __init__(self, cluster: Cluster, recipe: Recipe, note: Callable[[str], None]) -> None:
        self._cluster, self._recipe, self._note = cluster, recipe, note
        self._digest = recipe_digest(recipe)
        self._actor = ray.remote(concurrency_groups={"play": 1, "match": 1})(_with_groups())
        self._lock = threading.RLock()
        self._closing = threading.Event()
        #: by place: the id of a node and a number
        self._workers: dict[tuple[str, int], RemoteWorker] = {}
        self._crashes: Counter[tuple[str, int]] = Counter()
        self._not_before: dict[tuple[str, int], float] = {}
        self._refused: set[tuple[str, int]] = set()

    def start(self) -> None:
        """Start the workers and wait until all can play; raise an error if one cannot."""
        threading.Thread(target=self._keep_looking, daemon=True).start()
        self._look()
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until:
            for worker in self.all():
                self._check_ready(worker, refusing=True)
            if self._workers and all(worker.is_ready for worker in self._workers.values()):
                return
            if not self._workers and not any(self._places(node) for node in self._cluster.nodes):
                raise ClusterError("The cluster has no node with a free core to play on.")
            time.sleep(0.05)
        if not self.ready():
            raise ClusterError(
                f"No worker has started on the cluster within {_START_SECONDS:.0f} seconds: its "
                "cores may be in use by others."
            )

    def ready(self) -> list[RemoteWorker]:
        """Return the workers that can play now; raise a `ClusterError` if the head is lost."""
        self._cluster.nodes  # noqa: B018
        with self._lock:
            for worker in self.all():
                self._check_ready(worker)
            return [worker for worker in self._workers.values() if worker.is_ready]

    def all(self) -> list[RemoteWorker]:
        """Return all workers, those included that are being started."""
        with self._lock:
            return list(self._workers.values())

    def lose(self, worker: RemoteWorker, reason: str = "") -> None:
        """Forget a worker that has died; its place gets another one after a while."""
        with self._lock:
            for place, one in list(self._workers.items()):
                if one is worker:
                    del self._workers[place]
                    self._crashes[place] += 1
                    wait = 2.0 ** (self._crashes[place] - 1)
                    self._not_before[place] = time.monotonic() + wait
                    with suppress(Exception):
                        ray.kill(worker.handle)
                    self._note(f"The worker on {worker.name} is lost{reason and ': '}{reason}.")
                    if self._crashes[place] >= _MOST_CRASHES:
                        self._refuse(place, worker, "its worker has died too often")

    def succeed(self, worker: RemoteWorker) -> None:
        """Take note that a worker has finished something: what it died of before is over."""
        with self._lock:
            for place, one in self._workers.items():
                if one is worker:
                    self._crashes[place] = 0

    def close(self) -> None:
        """End all workers."""
        self._closing.set()
        with self._lock:
            for worker in self._workers.values():
                with suppress(Exception):
                    ray.kill(worker.handle)
            self._workers.clear()

    def _keep_looking(self) -> None:
        with suppress(ClusterError):  # it is raised by `ready` too
            while not self._closing.wait(_LOOK_SECONDS):
                self._look()

    def _look(self) -> None:
        """Start workers at new places, and forget those of nodes that are gone."""
        nodes = {node.id: node for node in self._cluster.nodes}
        with self._lock:
            if not self._closing.is_set():
                self._start_and_forget(nodes)

    def _start_and_forget(self, nodes: Mapping[str, ClusterNode]) -> None:
        for place, worker in list(self._workers.items()):
            if place[0] not in nodes:
                del self._workers[place]
                self._note(f"Node {worker.name} is lost.")
        for node in nodes.values():
            for number, (cores, gpus) in enumerate(self._places(node)):
                place = node.id, number
                is_due = time.monotonic() >= self._not_before.get(place, 0.0)
                if place not in self._workers and place not in self._refused and is_due:
                    self._workers[place] = self._start(node, number, cores, gpus)

    def _places(self, node: ClusterNode) -> Iterator[tuple[int, float]]:
        """Yield cores and GPUs of each worker on a node."""
        if not node.cores:
            return
        for _ in range(max(1, node.gpus)):
            # The learner may share a GPU with a worker.
            yield max(1, node.cores // max(1, node.gpus)), 0.5 if node.gpus else 0.0

    def _start(self, node: ClusterNode, number: int, cores: int, gpus: float) -> RemoteWorker:
        name = node.name if node.gpus < 2 else f"{node.name} GPU {number}"
        options = {"num_cpus": cores, "num_gpus": gpus, "scheduling_strategy": node.affinity()}
        handle = self._actor.options(**options).remote(self._recipe, cores, os.getcwd())
        return RemoteWorker(name, node, cores, handle, handle.digest.remote())

    def _check_ready(self, worker: RemoteWorker, refusing: bool = False) -> None:
        """Take note of a worker's first answer."""
        if worker.is_ready or not ray.wait([worker.digest], timeout=0)[0]:
            return
        try:
            same = ray.get(worker.digest) == self._digest
        except ray.exceptions.RayError as error:
            if refusing and isinstance(error, ray.exceptions.RayTaskError):
                raise failure_of(error, worker) from None
            self.lose(worker, reason_of(error))
            return
        worker.is_ready = same
        if not same:
            fault = "has another version of the recipe, or of a game or agent in a file"
            if refusing:
                raise ClusterError(f"Node {worker.name} {fault}.")
            with self._lock:
                for place, one in list(self._workers.items()):
                    if one is worker:
                        self._refuse(place, worker, f"it {fault}")

    def _refuse(self, place: tuple[str, int], worker: RemoteWorker, why: str) -> None:
        self._refused.add(place)
        self._workers.pop(place, None)
        with suppress(Exception):
            ray.kill(worker.handle)
        self._note(f"Node {worker.name} is not used: {why}.")


def failure_of(error: Any, worker: RemoteWorker) -> HalmaError:
    """Return the error of a call that raised on a worker."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, HalmaError):
        return cause
    return WorkerError(f"A worker on {worker.name} has failed: {error_text(cause or error)}.")


def reason_of(error: Exception) -> str:
    """Return why a worker is lost, as a short clause."""
    kind = type(error).__name__
    return {"OutOfMemoryError": "it ran out of memory", "NodeDiedError": "its node is lost"}.get(
        kind, "its process has died"
    )


def _with_groups() -> type[PlayWorker]:
    """Return the actor's class with its methods in groups that run at the same time."""

    class GroupedWorker(PlayWorker):
        play = ray.method(concurrency_group="play")(PlayWorker.play)
        play_match = ray.method(concurrency_group="match")(PlayWorker.play_match)

    return GroupedWorker
