"""What a training run reports while it works.

A loop emits reports to handlers and knows nothing of them. A handler is anything with `handle`
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
    """A metric to watch: its key, its title, and the format of its values."""

    key: str
    title: str
    format: str
    #: an explanation for someone who sees it for the first time
    about: str = ""


@dataclass(frozen=True)
class Started:
    """A run starts or continues."""

    name: str
    out: Path
    game: str
    iterations: int
    #: iterations of earlier sessions, and their metrics
    done: int
    history: tuple[Metrics, ...]
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Progress:
    """How far a stage of an iteration is."""

    iteration: int
    stage: str
    done: int
    #: 0 if unknown
    total: int
    #: rates by unit, such as `games/s`
    rates: Mapping[str, float]


@dataclass(frozen=True)
class Iteration:
    """An iteration is over; `metrics["iteration"]` counts from 1."""

    metrics: Metrics


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint was written."""

    iteration: int
    path: Path
    #: time that it took
    seconds: float


@dataclass(frozen=True)
class Note:
    """A sentence for the user."""

    text: str


@dataclass(frozen=True)
class Stopped:
    """The run stops before its last iteration, with a checkpoint of this one."""

    iteration: int


@dataclass(frozen=True)
class Finished:
    """The last iteration is over."""

    metrics: Metrics


Report = Started | Progress | Iteration | Checkpoint | Note | Stopped | Finished


class Handler(Protocol):
    """Receives reports."""

    def handle(self, report: Report) -> None:
        """Receive a report."""

    def close(self) -> None:
        """Release what is open; no report follows."""


class Reporter:
    """Passes every report on to all handlers."""

    def __init__(self, handlers: Iterable[Handler]) -> None:
        self._handlers = list(handlers)

    def emit(self, report: Report) -> None:
        """Pass a report on."""
        for handler in self._handlers:
            handler.handle(report)

    def note(self, text: str) -> None:
        """Report a sentence."""
        self.emit(Note(text))


@contextmanager
def reporting(handlers: Iterable[Handler]) -> Iterator[Reporter]:
    """Report to handlers, and close them in the end, the last first."""
    handlers = list(handlers)
    try:
        yield Reporter(handlers)
    finally:
        for handler in reversed(handlers):
            handler.close()


def clock(seconds: float) -> str:
    """Return a time as h:mm:ss, or m:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
