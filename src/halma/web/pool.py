"""Searches in a few worker processes, with a queue that is fair to everybody who waits.

Each client has a queue of its own, and workers take from them in turn: one that asks for much
does not delay the others. A process that dies or does not end in time costs its task, not the
server.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from halma.errors import HalmaError, WorkerError
from halma.executors import TaskEnd
from halma.processes import ProcessPool
from halma.web.tasks import SearchTask, run_task

#: Tasks that may wait: of one client, and of all.
_MOST_OF_ONE, _MOST = 4, 400
#: Seconds beyond its limit after which the process of a task is killed; a first task may have to
#: load a network or solve a small variant.
_PATIENCE = 20.0


class BusyError(HalmaError):
    """Too many searches wait."""


@dataclass
class _QueuedSearch:
    task: SearchTask
    client: str
    #: the worker that must run it; None for any
    worker: int | None = None
    future: Future[dict[str, Any]] = field(default_factory=Future)


class FairQueue:
    """Jobs by client; clients take turns."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[_QueuedSearch]] = OrderedDict()
        self._changed = threading.Condition()
        self._closed = False

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, job: _QueuedSearch) -> None:
        """Append a job to its client's queue, or raise a `BusyError`."""
        with self._changed:
            mine = self._waiting.get(job.client, ())
            if len(mine) >= _MOST_OF_ONE or len(self) >= _MOST:
                raise BusyError("Too many searches wait already: try again in a few seconds.")
            self._waiting.setdefault(job.client, deque()).append(job)
            self._changed.notify_all()

    def take(self, worker: int) -> _QueuedSearch | None:
        """Return the next job for a worker, waiting for one; None once the queue is closed."""
        with self._changed:
            while True:
                if self._closed:
                    return None
                for client, jobs in self._waiting.items():
                    if jobs[0].worker in (None, worker):
                        job = jobs.popleft()
                        # The client's next job waits behind those of all others.
                        del self._waiting[client]
                        if jobs:
                            self._waiting[client] = jobs
                        return job
                self._changed.wait()

    def close(self) -> list[_QueuedSearch]:
        """Let workers end; return the jobs that were waiting."""
        with self._changed:
            self._closed = True
            left = [job for jobs in self._waiting.values() for job in jobs]
            self._waiting.clear()
            self._changed.notify_all()
            return left


class SearchPool:
    """Worker processes, each with a thread that gives it one task after the other."""

    def __init__(self, workers: int, seconds: float) -> None:
        #: the longest search of a request
        self.seconds = seconds
        self.workers = workers
        self._queue = FairQueue()
        self._processes = [ProcessPool(run_task, 1) for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._serve, args=(number,), daemon=True)
            for number in range(workers)
        ]

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End the workers, whatever they are doing."""
        for job in self._queue.close():
            job.future.cancel()
        for processes in self._processes:
            processes.kill()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(5)

    @property
    def waiting(self) -> int:
        """Tasks that wait for a worker."""
        return len(self._queue)

    def submit(
        self, task: SearchTask, client: str, worker: int | None = None
    ) -> Future[dict[str, Any]]:
        """Queue a task; its answer has the number of its worker as `worker`."""
        job = _QueuedSearch(task, client, worker)
        self._queue.put(job)
        return job.future

    def _serve(self, number: int) -> None:
        with self._processes[number] as processes:
            for _ in processes.run([None]):
                pass  # the process imports what it needs
            while (job := self._queue.take(number)) is not None:
                if job.future.set_running_or_notify_cancel():
                    self._run(job, number, processes)

    def _run(
        self, job: _QueuedSearch, number: int, processes: ProcessPool[SearchTask | None, Any]
    ) -> None:
        late = threading.Event()

        def end() -> None:
            late.set()
            processes.kill()

        timer = threading.Timer(job.task.seconds + _PATIENCE, end)
        timer.daemon = True
        timer.start()
        error: HalmaError | None = None
        answer: dict[str, Any] | None = None
        try:
            for event in processes.run([job.task]):
                if isinstance(event, TaskEnd):
                    error, answer = event.error, event.result
        except Exception as failure:  # a worker that cannot be started
            error = WorkerError(f"The search could not be started: {failure}.")
        finally:
            timer.cancel()
        if late.is_set():
            error = WorkerError("The search did not end in time and was stopped.")
        if answer is not None and error is None:
            job.future.set_result({**answer, "worker": number})
        else:
            job.future.set_exception(error or WorkerError("The search has no result."))
