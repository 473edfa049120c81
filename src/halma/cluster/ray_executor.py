"""Tasks on the nodes of a Ray cluster.

Tasks are given to nodes by the cores they have. A task whose node or process is lost is given to
another one; where nothing else is left to start, a slow one is started a second time.
"""

from __future__ import annotations

import itertools
import os
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Generic, TypeVar

import ray

from halma.cluster.connection import Cluster, ClusterNode
from halma.cluster.node_tasks import TaskBoard, run_tasks, send_sigint
from halma.errors import WorkerError, error_text
from halma.executors import (
    Answer,
    Executor,
    TaskEnd,
    TaskFunction,
    TaskPool,
    TaskProgress,
    no_answer,
)

T = TypeVar("T")
R = TypeVar("R")

#: Times that the process of a task may die before the task has failed.
_MOST_CRASHES = 3
#: A task may take this many times the median, and at least these seconds, before it is repeated.
_PATIENCE, _LEAST_PATIENCE = 4.0, 3.0
#: Seconds that the tasks of a batch should take together, and how many they may be.
_BATCH_SECONDS, _LARGEST_BATCH = 0.2, 64
#: Seconds that the pool waits for an event.
_WAIT_SECONDS = 0.25


class RayExecutor(Executor):
    """The nodes of a cluster; a task takes some cores, and a share of a GPU if it needs one."""

    def __init__(self, cluster: Cluster, cores: int = 1, gpus: float = 0.0) -> None:
        self._cluster = cluster
        self._cores = cores
        self._gpus = gpus

    @property
    def workers(self) -> int:
        """How many tasks the nodes run now; it changes as nodes come and go."""
        return max(1, sum(self.slots(node) for node in self.nodes))

    @property
    def nodes(self) -> tuple[ClusterNode, ...]:
        """The nodes that can be used."""
        return self._cluster.nodes

    def slots(self, node: ClusterNode) -> int:
        """Return how many tasks a node runs at the same time."""
        by_cores = node.cores // self._cores
        return min(by_cores, int(node.gpus / self._gpus)) if self._gpus else by_cores

    def check_shared(self, folder: Path) -> None:
        """Raise a `ClusterError` unless all nodes see the same files in a folder."""
        self._cluster.check_shared(folder)

    def pool(self, function: TaskFunction[T, R], answer: Answer = no_answer) -> TaskPool[T, R]:
        """Return a pool that calls a function on the nodes."""
        return RayPool(self, function, answer, self._cores, self._gpus)


@dataclass(frozen=True)
class _TaskBatch(Generic[T]):
    """Tasks that a node has got in one message."""

    #: by their indices
    items: Mapping[int, T]
    node: ClusterNode
    since: float


class RayPool(TaskPool[T, R]):
    """Tasks of one function on the nodes of a cluster; the function travels once to each node."""

    def __init__(
        self,
        executor: RayExecutor,
        function: TaskFunction[T, R],
        answer: Answer,
        cores: int,
        gpus: float,
    ) -> None:
        self._executor = executor
        self._answer = answer
        self._function = ray.put(function)
        self._run_tasks = ray.remote(num_cpus=cores, num_gpus=gpus, max_retries=0)(run_tasks)
        self._running: dict[Any, _TaskBatch[T]] = {}
        #: batches of each node, by its id
        self._loads: Counter[str] = Counter()
        #: seconds of a task, those of the last batches
        self._durations: deque[float] = deque(maxlen=99)
        self._crashes: Counter[int] = Counter()
        #: ids of nodes that are lost, which the cluster may list for some seconds more
        self._lost: set[str] = set()
        self._board: Any = None
        #: what the board will have to say next
        self._news: Any = None
        #: questions that it took from the board and has not answered, by number
        self._questions: dict[int, Any] = {}

    def __exit__(self, *error: object) -> None:
        """Stop the tasks, whatever they are doing."""
        for reference in list(self._running):
            self._cancel(reference)
        if self._board is not None:
            with suppress(Exception):
                ray.kill(self._board)

    def run(
        self,
        items: Iterable[T],
        queued: int = 1,
        lookahead: int | None = None,
        repeatable: bool = False,
    ) -> Iterator[TaskProgress | TaskEnd[R]]:
        """Run a task for every item; a node holds up to `queued` for each it can run.

        Repeatable tasks that are short travel in batches, and `lookahead` counts those.
        """
        if not repeatable and self._board is None:
            self._start_board()
        self._crashes.clear()
        coming = enumerate(items)
        again: deque[tuple[int, T]] = deque()
        unfinished: dict[int, T] = {}
        begun = 0
        while True:
            nodes = [node for node in self._executor.nodes if node.id not in self._lost]
            while (node := self._with_room(nodes, queued)) is not None:
                room = self._batch_size() if repeatable else 1
                if lookahead is not None and unfinished and not again:
                    room = min(room, lookahead * room - (begun - min(unfinished)))
                batch = dict(itertools.islice(itertools.chain(_taken(again), coming), max(room, 0)))
                if not batch:
                    break
                begun = max(begun, *(index + 1 for index in batch))
                unfinished |= batch
                self._start(batch, node)
            if not unfinished:
                return
            if repeatable:
                self._repeat_slowest(nodes)
            if not self._running:  # there is no node at the moment
                time.sleep(_WAIT_SECONDS)
                continue
            ready, progress = self._wait(_WAIT_SECONDS)
            yield from progress
            for reference in ready:
                for end in self._ends_of(reference, again):
                    if end.index in unfinished:  # unless its twin was faster
                        del unfinished[end.index]
                        yield end
            for reference, late in list(self._running.items()):
                if unfinished.keys().isdisjoint(late.items):
                    self._cancel(reference)

    def interrupt(self, seconds: float) -> None:
        """Send SIGINT to the processes of tasks and wait until they have ended.

        Ray's own way to cancel a task does not wake one that waits for something. One that waits
        for an answer hears the signal only after it.
        """
        if self._board is None or not self._running:
            return
        with suppress(ray.exceptions.RayError):
            processes = ray.get(self._board.take_processes.remote(), timeout=10)
            send = ray.remote(num_cpus=0)(send_sigint)
            for batch in self._running.values():
                placed = send.options(scheduling_strategy=batch.node.affinity())
                placed.remote([processes[i] for i in batch.items if i in processes])
            self._reply()
            until = time.monotonic() + seconds
            while self._running and time.monotonic() < until:
                for reference in self._wait(_WAIT_SECONDS)[0]:
                    self._loads[self._running.pop(reference).node.id] -= 1

    def _start_board(self) -> None:
        """Start the board on the node of this process: without that, everything ends anyway."""
        place = next((n.affinity() for n in self._executor.nodes if n.is_here), "DEFAULT")
        self._board = ray.remote(num_cpus=0, scheduling_strategy=place)(TaskBoard).remote()
        self._news = self._board.take.remote()

    def _wait(self, seconds: float) -> tuple[list[Any], list[TaskProgress]]:
        """Wait for the end of a batch, or for news of tasks: progress, and questions to answer."""
        awaited = [*self._running, *filter(None, [self._news])]
        ready, _ = ray.wait(awaited, num_returns=1, timeout=seconds)
        if self._news not in ready:
            return ready, []
        try:
            fractions, questions = ray.get(self._news)
            self._news = self._board.take.remote()
        except ray.exceptions.RayError:
            self._news = None
            return [], []
        self._questions |= questions
        self._reply()
        return [], [TaskProgress(index, fraction) for index, fraction in fractions.items()]

    def _reply(self) -> None:
        """Answer all questions; Ctrl-C may come before that is done."""
        for number, question in list(self._questions.items()):
            self._board.answer.remote(number, self._answer(question))
            del self._questions[number]

    def _batch_size(self) -> int:
        """Return how many tasks take the seconds of a batch."""
        if not self._durations:
            return 1
        return max(1, min(_LARGEST_BATCH, int(_BATCH_SECONDS / (median(self._durations) + 1e-9))))

    def _with_room(self, nodes: Iterable[ClusterNode], queued: int) -> ClusterNode | None:
        """Return the node with the most room for another batch, as a share of what it runs."""
        shares = {
            node: self._loads[node.id] / slots
            for node in nodes
            if (slots := self._executor.slots(node)) > 0
        }
        node = min(shares, key=shares.__getitem__, default=None)
        return node if node is not None and shares[node] < queued else None

    def _start(self, items: Mapping[int, T], node: ClusterNode) -> None:
        placed = self._run_tasks.options(scheduling_strategy=node.affinity())
        reference = placed.remote(self._function, items, self._board, os.getcwd())
        self._running[reference] = _TaskBatch(items, node, time.monotonic())
        self._loads[node.id] += 1

    def _cancel(self, reference: Any) -> None:
        with suppress(Exception):
            ray.cancel(reference, force=True)
        self._loads[self._running.pop(reference).node.id] -= 1

    def _repeat_slowest(self, nodes: Iterable[ClusterNode]) -> None:
        """Start the batch that has run for the longest on a second node, if one is free."""
        copies = Counter(index for batch in self._running.values() for index in batch.items)
        alone = [b for b in self._running.values() if all(copies[i] == 1 for i in b.items)]
        slowest = min(alone, key=lambda batch: batch.since, default=None)
        if slowest is None or not self._durations:
            return
        expected = median(self._durations) * len(slowest.items)
        if time.monotonic() - slowest.since < max(_LEAST_PATIENCE, _PATIENCE * expected):
            return
        for node in nodes:
            free = self._loads[node.id] < self._executor.slots(node)
            if free and node.id != slowest.node.id:
                self._start(slowest.items, node)
                return

    def _ends_of(self, reference: Any, again: deque[tuple[int, T]]) -> list[TaskEnd[R]]:
        """Return the ends of a batch's tasks; those that have to run again are put into `again`."""
        batch = self._running.pop(reference)
        self._loads[batch.node.id] -= 1
        try:
            results = ray.get(reference)
            self._durations.append((time.monotonic() - batch.since) / len(batch.items))
            return [TaskEnd(index, *end) for index, end in zip(batch.items, results, strict=True)]
        except ray.exceptions.RayTaskError as error:
            failure = WorkerError(f"{error_text(error.cause)}.")
            return [TaskEnd(index, error=failure) for index in batch.items]
        except (ray.exceptions.NodeDiedError, ray.exceptions.TaskUnschedulableError):
            self._lost.add(batch.node.id)
        except ray.exceptions.RayError:
            pass
        failed = []
        for index, item in batch.items.items():
            self._crashes[index] += batch.node.id not in self._lost
            if self._crashes[index] >= _MOST_CRASHES:
                failed.append(TaskEnd[R](index, error=_crash(batch.node)))
            elif all(index not in other.items for other in self._running.values()):
                again.append((index, item))
        return failed


def _taken(tasks: deque[T]) -> Iterator[T]:
    """Yield tasks and remove them."""
    while tasks:
        yield tasks.popleft()


def _crash(node: ClusterNode) -> WorkerError:
    return WorkerError(
        f"A worker process on node {node.name} ended {_MOST_CRASHES} times in the same task. Code "
        "of your own that crashes or calls os._exit does that, and so does a lack of memory."
    )
