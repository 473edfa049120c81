"""Worker processes of this machine as an executor."""

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
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic, TypeVar

from halma.errors import WorkerError
from halma.executors import (
    Answer,
    Executor,
    InProcess,
    TaskChannel,
    TaskEnd,
    TaskFunction,
    TaskPool,
    TaskProgress,
    attempt,
    no_answer,
)
from halma.streams import protect_streams

T = TypeVar("T")
R = TypeVar("R")

#: What a worker sends when it begins with its first task: from then on it hears SIGINT.
_BEGUN = None
#: prctl: the signal that a process gets when its parent ends
PR_SET_PDEATHSIG = 1


class ProcessPool(TaskPool[T, R]):
    """Worker processes that run `function(item, channel)`, started as tasks need them.

    The function is sent to each worker once; items and results are sent one by one. Workers do
    not receive the terminal's Ctrl-C, and end when this process ends, however it ends.
    """

    def __init__(
        self, function: TaskFunction[T, R], workers: int, answer: Answer = no_answer
    ) -> None:
        self._function = function
        self._answer = answer
        self._size = workers
        self._workers: dict[Connection, _Worker[T, R]] = {}

    def __exit__(self, *_: object) -> None:
        """Stop the processes, whatever they are doing."""
        for worker in self._workers.values():
            worker.end()

    def run(
        self,
        items: Iterable[T],
        queued: int = 1,
        lookahead: int | None = None,
        repeatable: bool = False,
    ) -> Iterator[TaskProgress | TaskEnd[R]]:
        """Run a task for every item and yield what happens; none is run twice."""
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
        """Send SIGINT to the workers and give them some time to save and leave.

        One that waits for an answer hears the signal only after it, and one whose task has ended
        has nothing to save.
        """
        for worker in self._workers.values():
            if not worker.has_begun():
                worker.process.terminate()  # it has nothing to save, and may not get the signal
            elif worker.process.is_alive() and worker.process.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(worker.process.pid, signal.SIGINT)
        until = time.monotonic() + seconds
        for worker in self._workers.values():
            worker.reply()
        while busy := [p for p, w in self._workers.items() if w.tasks and not w.is_dead]:
            ready = wait(busy, max(0.0, until - time.monotonic()))
            if not ready:
                break
            for pipe in ready:
                assert isinstance(pipe, Connection)
                self._workers[pipe].receive()

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
            found = _Worker(self._function, self._answer)
            self._workers[found.pipe] = found
        return found


class Processes(Executor):
    """Processes of this machine."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    @property
    def workers(self) -> int:
        """The number of processes."""
        return self._workers

    def pool(self, function: TaskFunction[T, R], answer: Answer = no_answer) -> TaskPool[T, R]:
        """Return a pool of processes that call a function."""
        return ProcessPool(function, self._workers, answer)


def executor_of(workers: int | Executor) -> Executor:
    """Return an executor as it is; for a number of workers, processes, or this one for 1."""
    if isinstance(workers, Executor):
        return workers
    return InProcess() if workers <= 1 else Processes(workers)


def map_ordered(
    function: Callable[[T], R], items: Iterable[T], workers: int | Executor
) -> Generator[R, None, None]:
    """Yield `function(item)` for every item, in order: `Executor.map_ordered`."""
    return executor_of(workers).map_ordered(function, items)


@dataclass(frozen=True)
class _PipeMessage:
    """A question of a task, or the answer."""

    content: Any


class _Worker(Generic[T, R]):
    """A worker process, seen from its parent."""

    def __init__(self, function: TaskFunction[T, R], answer: Answer) -> None:
        self._answer = answer
        self._question: _PipeMessage | None = None
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
        """Return what the process sent about its first task; None if that is no event.

        It has begun with it, or has asked a question, which is answered.
        """
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
        if isinstance(sent, _PipeMessage):
            self._question = sent
            self.reply()
            return None
        if isinstance(sent, float):
            return TaskProgress(index, sent)
        self.tasks.popleft()
        return TaskEnd(index, *sent)

    def reply(self) -> None:
        """Answer the question of its task, unless that was done; Ctrl-C may come before it is."""
        if self._question is None:
            return
        answer = _PipeMessage(self._answer(self._question.content))
        self._question = None
        with suppress(OSError):
            self.pipe.send(answer)

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
        # From the parent process, through its arguments: never from a file or a network.
        function: TaskFunction[Any, Any] = pickle.loads(pickled)
        #: items that came while a task waited for an answer
        queued: deque[Any] = deque()

        def ask(question: Any) -> Any:
            pipe.send(_PipeMessage(question))
            while not isinstance(sent := pipe.recv(), _PipeMessage):
                queued.append(sent)
            return sent.content

        channel = TaskChannel(lambda fraction: pipe.send(float(fraction)), ask)
        for number in itertools.count():
            item = queued.popleft() if queued else pipe.recv()
            if number == 0:
                pipe.send(_BEGUN)
            pipe.send(attempt(function, item, channel))


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
