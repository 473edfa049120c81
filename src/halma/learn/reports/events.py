"""What a training run reports while it works.

A loop emits reports to handlers and knows nothing of them: a console, a file of metrics,
TensorBoard.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halma.learn.recipe import Recipe

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

    recipe: Recipe
    out: Path
    #: iterations of earlier sessions, and their metrics
    done: int
    history: tuple[Metrics, ...]
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Progress:
    """How far a stage of an iteration is."""

    stage: str
    done: int = 0
    #: 0 if unknown
    total: int = 0
    #: rates by unit, such as `games/s`
    rates: Mapping[str, float] = field(default_factory=dict)
    #: the part of the run, where that is not an iteration
    where: str = ""


@dataclass(frozen=True)
class Epoch:
    """An epoch of the warm start is over; `metrics["epoch"]` counts from 1."""

    metrics: Metrics


@dataclass(frozen=True)
class Iteration:
    """An iteration is over; `metrics["iteration"]` counts from 1."""

    metrics: Metrics


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint was written."""

    iteration: int
    path: Path


@dataclass(frozen=True)
class Note:
    """A sentence for the user."""

    text: str


@dataclass(frozen=True)
class Stopped:
    """The run stops before its last iteration, with a checkpoint of this one."""

    iteration: int
    #: what is saved where no iteration is, as a phrase
    instead: str = ""


@dataclass(frozen=True)
class Finished:
    """The last iteration is over."""

    metrics: Metrics


Report = Started | Progress | Epoch | Iteration | Checkpoint | Note | Stopped | Finished


class Handler(ABC):
    """Receives reports."""

    @abstractmethod
    def handle(self, report: Report) -> None:
        """Receive a report."""

    def close(self) -> None:  # noqa: B027
        """Release what is open; no report follows."""


class Reporter:
    """Passes every report on to all handlers; closes them in the end, the last first."""

    def __init__(self, handlers: Iterable[Handler]) -> None:
        self._handlers = list(handlers)

    def emit(self, report: Report) -> None:
        """Pass a report on."""
        for handler in self._handlers:
            handler.handle(report)

    def note(self, text: str) -> None:
        """Report a sentence."""
        self.emit(Note(text))

    def close(self) -> None:
        """Close all handlers."""
        for handler in reversed(self._handlers):
            handler.close()


def clock(seconds: float) -> str:
    """Return a time as h:mm:ss, or m:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
