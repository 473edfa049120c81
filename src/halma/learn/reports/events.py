"""What a training run says while it works.

A loop emits reports and does not know who listens. A handler is anything with `handle`
and `close`: a console, a file of metrics, TensorBoard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

#: A line of metrics.jsonl: plain values by name, always with `iteration` and `seconds`.
Metrics = Mapping[str, Any]


@dataclass(frozen=True)
class Curve:
    """A figure worth watching: its key in the metrics, its title, and how it is written."""

    key: str
    title: str
    format: str
    #: what it is, for someone who sees it for the first time
    about: str = ""


@dataclass(frozen=True)
class Started:
    """A run begins or goes on."""

    name: str
    out: Path
    game: str
    iterations: int
    #: iterations that were done before
    done: int
    #: the metrics of those
    history: tuple[Metrics, ...]
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Progress:
    """Where an iteration is: a stage, how much of it is done, and how fast that goes."""

    iteration: int
    stage: str
    done: int
    #: 0 where nobody knows
    total: int
    #: by unit, such as `games/s`
    rates: Mapping[str, float]


@dataclass(frozen=True)
class Iteration:
    """An iteration is over; `metrics["iteration"]` counts from 1."""

    metrics: Metrics


@dataclass(frozen=True)
class Checkpoint:
    """Everything up to an iteration is safe."""

    iteration: int
    path: Path
    #: what writing took
    seconds: float


@dataclass(frozen=True)
class Note:
    """A sentence that a person should see."""

    text: str


@dataclass(frozen=True)
class Stopped:
    """A person asked to stop; what was done is safe."""

    iteration: int


@dataclass(frozen=True)
class Finished:
    """The last iteration is over."""

    metrics: Metrics


Report = Started | Progress | Iteration | Checkpoint | Note | Stopped | Finished


class Handler(Protocol):
    """Someone who listens."""

    def handle(self, report: Report) -> None:
        """Make of a report what there is to make of it."""

    def close(self) -> None:
        """Nothing more will come."""


class Reporter:
    """Passes every report on to all handlers."""

    def __init__(self, handlers: Iterable[Handler]) -> None:
        self._handlers = list(handlers)

    def emit(self, report: Report) -> None:
        """Tell everybody."""
        for handler in self._handlers:
            handler.handle(report)

    def note(self, text: str) -> None:
        """Tell everybody a sentence."""
        self.emit(Note(text))

    def close(self) -> None:
        """Close all handlers, the last first."""
        for handler in reversed(self._handlers):
            handler.close()


@contextmanager
def reporting(handlers: Iterable[Handler]) -> Iterator[Reporter]:
    """Give reports to handlers, and close those in the end."""
    reporter = Reporter(handlers)
    try:
        yield reporter
    finally:
        reporter.close()
