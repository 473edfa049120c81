"""A pool of worker processes: results in order, or events as they happen."""

from __future__ import annotations

import ctypes
import itertools
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic, TypeVar, cast

from halma.errors import HalmaError, WorkerError, error_text
from halma.plugins import explain
from halma.streams import protect_streams

T = TypeVar("T")
R = TypeVar("R")

#: Reports how much of a task is done, 0 to 1.
ReportProgress = Callable[[float], None]

#: `map_ordered` starts at most this many tasks per worker ahead of the oldest unfinished one.
_LOOKAHEAD = 16
#: Tasks that a worker of `map_ordered` holds, so that it need not wait for the next one.
_QUEUED = 2
#: What a worker sends when it begins with its first task: from then on it hears SIGINT.
_BEGUN = None
#: prctl: the signal that a process gets when its parent ends
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class TaskProgress:
    """Part of a task is done."""

    #: the task's place among the items
    index: int
    #: 0 to 1
    fraction: float


@dataclass(frozen=True)
class TaskEnd(Generic[R]):
    """A task has ended, with a result or with an error."""

    index: int
    result: R | None = None
    error: HalmaError | None = None


class ProcessPool(Generic[T, R]):
    """Worker processes that run `function(item, report)`, started as tasks need them.

    The function is sent to each worker once; items and results are sent one by one. Workers do
    not receive the terminal's Ctrl-C, and end when this process ends, however it ends.
    """

    def __init__(self, function: Callable[[T, ReportProgress], R], workers: int) -> None:
        self._function = function
        self._size = workers
        self._workers: dict[Connection, _Worker[T, R]] = {}

    def __enter__(self) -> ProcessPool[T, R]:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers.values():
            worker.end()

    def run(
        self, items: Iterable[T], queued: int = 1, lookahead: int | None = None
    ) -> Iterator[TaskProgress | TaskEnd[R]]:
        """Run a task for every item and yield what happens, as it happens.

        A task that raises, or whose process dies, ends with an error; the others go on. A worker
        holds up to `queued` tasks. With `lookahead`, only that many tasks are started beyond the
        oldest unfinished one. Items are taken from their iterator as workers become free.
        """
        coming: Iterator[tuple[int, T]] = enumerate(items)
        started = 0
        while True:
            while self._has_room(queued):
                oldest = min((w.tasks[0][0] for w in self._workers.values() if w.tasks), default=0)
                if lookahead is not None and self._is_busy and started - oldest >= lookahead:
                    break
                task = next(coming, None)
                if task is None:
                    break
                started = max(started, task[0] + 1)
                self._least_busy().give(*task)
            if not self._is_busy:
                return
            for pipe in wait([pipe for pipe, worker in self._workers.items() if worker.tasks]):
                assert isinstance(pipe, Connection)
                worker = self._workers[pipe]
                event = worker.receive()
                if event is None:
                    continue
                if worker.is_dead:
                    del self._workers[pipe]
                    coming = itertools.chain(list(worker.tasks), coming)
                yield event

    def kill(self) -> None:
        """End the processes, from any thread; tasks they had end with an error."""
        for worker in list(self._workers.values()):
            worker.process.kill()

    def interrupt(self, seconds: float) -> None:
        """Send SIGINT to the workers and give them some time to save and leave."""
        for worker in self._workers.values():
            if not worker.has_begun():
                worker.process.terminate()  # it has nothing to save, and may not get the signal
            elif worker.process.is_alive() and worker.process.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(worker.process.pid, signal.SIGINT)
        until = time.monotonic() + seconds
        for worker in self._workers.values():
            worker.process.join(max(0.0, until - time.monotonic()))

    @property
    def _is_busy(self) -> bool:
        return any(worker.tasks for worker in self._workers.values())

    def _has_room(self, queued: int) -> bool:
        return len(self._workers) < self._size or any(
            len(worker.tasks) < queued for worker in self._workers.values()
        )

    def _least_busy(self) -> _Worker[T, R]:
        """Return the worker with the fewest tasks; a new one rather than one with any."""
        found = min(self._workers.values(), key=lambda worker: len(worker.tasks), default=None)
        if found is None or (found.tasks and len(self._workers) < self._size):
            found = _Worker(self._function)
            self._workers[found.pipe] = found
        return found


def map_ordered(
    function: Callable[[T], R], items: Iterable[T], workers: int
) -> Generator[R, None, None]:
    """Yield `function(item)` for every item, in order; with one worker, in this process.

    The first error is raised here. Closing the generator early ends the workers.
    """
    if workers <= 1:
        yield from map(function, items)
        return
    finished: dict[int, R] = {}
    due = 0
    with ProcessPool(partial(_without_progress, function), workers) as pool:
        for event in pool.run(items, queued=_QUEUED, lookahead=_LOOKAHEAD * workers):
            if isinstance(event, TaskProgress):
                continue
            if event.error is not None:
                raise event.error
            finished[event.index] = cast(R, event.result)
            while due in finished:
                yield finished.pop(due)
                due += 1


def _without_progress(function: Callable[[T], R], item: T, report: ReportProgress) -> R:
    """Run a function that reports no progress."""
    return function(item)


class _Worker(Generic[T, R]):
    """A worker process, seen from its parent."""

    def __init__(self, function: Callable[[T, ReportProgress], R]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, far = context.Pipe()
        #: index and item of the tasks it was given, the one it works on first
        self.tasks: deque[tuple[int, T]] = deque()
        self.is_dead = False
        self._has_answered = False
        # The function is unpickled by the worker itself: it may import much, and while it does the
        # worker must notice already that its parent is gone.
        pickled = bytes(ForkingPickler.dumps(function))
        in_main_thread = threading.current_thread() is threading.main_thread()
        self.process: BaseProcess = context.Process(
            target=_work, args=(far, pickled, os.getpid(), in_main_thread), daemon=True
        )
        _start_ignoring_sigint(self.process)
        far.close()

    def give(self, index: int, item: T) -> None:
        """Queue a task; a worker takes them in order."""
        self.tasks.append((index, item))
        with suppress(OSError):  # a dead worker is noticed by receive()
            self.pipe.send(item)

    def has_begun(self) -> bool:
        """Whether it has begun with its first task."""
        with suppress(OSError):
            return self._has_answered or self.pipe.poll()
        return False

    def receive(self) -> TaskProgress | TaskEnd[R] | None:
        """Return what the process sent about its first task; None if it has begun with it."""
        self._has_answered = True
        index = self.tasks[0][0]
        try:
            sent = self.pipe.recv()
        except (EOFError, OSError):
            self.is_dead = True
            self.process.join(10)
            error = WorkerError(
                f"A worker process ended {ending(self.process.exitcode)}. Code of your own that "
                "crashes or calls os._exit does that, and so does a lack of memory."
            )
            self.end()
            sent = None, error
        if sent is _BEGUN:
            return None
        if isinstance(sent, float):
            return TaskProgress(index, sent)
        self.tasks.popleft()
        return TaskEnd(index, *sent)

    def end(self) -> None:
        """Stop the process, whatever it is doing."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()


def ending(status: int | None) -> str:
    """Return how a process ended by its exit status, as a clause."""
    if status is not None and status < 0:
        with suppress(ValueError):
            return f"by {signal.Signals(-status).name}"
    return f"with status {status}"


def _start_ignoring_sigint(process: BaseProcess) -> None:
    """Start a process with SIGINT blocked, so that an early Ctrl-C cannot reach it."""
    from multiprocessing import resource_tracker

    # Starting Python's own helper process would lift the block, so it is started before.
    resource_tracker.ensure_running()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _work(pipe: Connection, pickled: bytes, parent: int, in_main_thread: bool) -> None:
    """Run the function on what comes through the pipe until the pipe is closed."""
    _end_with_parent(parent, in_main_thread)
    protect_streams()
    # In a process group of its own a worker gets SIGINT from its parent alone. Ignoring the
    # signal first discards one that arrived before.
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        function: Callable[[Any, ReportProgress], Any] = pickle.loads(pickled)
        for number in itertools.count():
            item = pipe.recv()
            if number == 0:
                pipe.send(_BEGUN)
            result, failure = None, None
            try:
                result = function(item, lambda fraction: pipe.send(float(fraction)))
            except HalmaError as error:
                failure = error
            except Exception as error:
                failure = WorkerError(f"{explain(error) or error_text(error)}.")
                failure.add_note(traceback.format_exc())
            pipe.send((result, failure))


def _end_with_parent(parent: int, in_main_thread: bool) -> None:
    """End this process when its parent ends, however that happens and whatever runs here."""
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    # Linux also ends a process whose interpreter is locked by a long call. It watches the thread
    # that started the process, and of those only the main thread lives as long as the parent.
    if sys.platform == "linux" and in_main_thread:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it was gone before
            os._exit(1)


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
