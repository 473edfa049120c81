"""What runs on the nodes of a cluster: tasks, and a board between them and their pool."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import ray

from halma.errors import HalmaError, WorkerError
from halma.executors import TaskChannel, TaskFunction, attempt

R = TypeVar("R")

#: Seconds between two reports of progress of a task.
_REPORT_SECONDS = 1.0


class TaskBoard:
    """An actor between tasks and their pool: it keeps news of tasks until they are taken."""

    def __init__(self) -> None:
        self._fractions: dict[int, float] = {}
        self._processes: dict[int, int] = {}
        self._numbers = itertools.count()
        #: questions that were not taken yet, and answers that tasks wait for
        self._questions: dict[int, Any] = {}
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._has_news = asyncio.Event()

    async def begin(self, index: int, process: int) -> None:
        """Note which process runs a task."""
        self._processes[index] = process

    async def take_processes(self) -> dict[int, int]:
        """Return the processes of tasks."""
        return self._processes

    async def put(self, index: int, fraction: float) -> None:
        """Note how much of a task is done."""
        self._fractions[index] = fraction
        self._has_news.set()

    async def ask(self, question: Any) -> Any:
        """Return the pool's answer to a question."""
        number = next(self._numbers)
        self._questions[number] = question
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._has_news.set()
        return await answer

    async def answer(self, number: int, answer: Any) -> None:
        """Answer a question."""
        self._answers.pop(number).set_result(answer)

    async def take(self) -> tuple[dict[int, float], dict[int, Any]]:
        """Wait for news and return them: progress by task, and questions by number."""
        await self._has_news.wait()
        self._has_news.clear()
        taken = self._fractions, self._questions
        self._fractions, self._questions = {}, {}
        return taken


def run_tasks(
    function: TaskFunction[Any, R], items: Mapping[int, Any], board: Any, folder: str
) -> list[tuple[R | None, HalmaError | None]]:
    """Run tasks on a node, in the folder of the command if the node has it."""
    if os.path.isdir(folder):
        os.chdir(folder)
    # Ray starts its processes with SIGINT blocked.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    reported_at = 0.0

    def report(index: int, fraction: float) -> None:
        nonlocal reported_at
        if board is not None and time.monotonic() - reported_at > _REPORT_SECONDS:
            reported_at = time.monotonic()
            board.put.remote(index, float(fraction))

    def ask(question: Any) -> Any:
        return ray.get(board.ask.remote(question))

    results: list[tuple[R | None, HalmaError | None]] = []
    try:
        for index, item in items.items():
            if board is not None:
                board.begin.remote(index, os.getpid())
            results.append(attempt(function, item, TaskChannel(partial(report, index), ask)))
    except KeyboardInterrupt:
        stopped = WorkerError("It was interrupted.")
        results += [(None, stopped)] * (len(items) - len(results))
    return results


def send_sigint(processes: Iterable[int]) -> None:
    """Interrupt processes of this node."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGINT)
