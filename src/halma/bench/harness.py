"""How things are timed: one thread, several rounds, the best of them.

Machines are noisy and noise only ever slows down, so the best round is the one that
says most about the code. Contestants take turns within a round, so that a slow minute
hits them alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

#: Does this many portions of some work and returns how many units that came to.
Work = Callable[[int], float]


@dataclass(frozen=True)
class Settings:
    """How long to measure."""

    rounds: int
    #: what one round of one contestant should last at least
    seconds: float
    #: random games from which a peer's mean length is taken
    peer_games: int


FULL = Settings(rounds=5, seconds=1.0, peer_games=2000)
QUICK = Settings(rounds=5, seconds=0.1, peer_games=500)


@dataclass
class Row:
    """A measured figure, its goal, and a peer's figure where one ran beside it."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    #: whether the goal is a ceiling rather than a floor
    at_most: bool = False
    peer: str | None = None
    peer_value: float | None = None
    #: the peer's unit; where it differs from ours there is no ratio to speak of
    peer_unit: str | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.at_most else self.value >= self.goal

    @property
    def ratio(self) -> float | None:
        """How many times the peer's figure ours is, where the two can be compared."""
        if not self.peer_value or self.peer_unit != self.unit:
            return None
        return self.value / self.peer_value

    def as_dict(self) -> dict[str, Any]:
        """Return the row for JSON; without a peer it has no keys about one."""
        known = {**asdict(self), "met": self.met, "ratio": self.ratio}
        about_peer = ("peer", "peer_value", "peer_unit", "ratio")
        return {k: v for k, v in known.items() if self.peer or k not in about_peer}


@dataclass
class Report:
    """The rows of a run, and what was left out and why."""

    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {"rows": [row.as_dict() for row in self.rows], "notes": self.notes}


def rates(contestants: Mapping[str, Work], settings: Settings) -> dict[str, float]:
    """Return the best units per second of each contestant."""
    portions = {name: _enough(work, settings.seconds) for name, work in contestants.items()}
    best = dict.fromkeys(contestants, 0.0)
    for _ in range(settings.rounds):
        for name, work in contestants.items():
            started = time.perf_counter()
            units = work(portions[name])
            best[name] = max(best[name], units / (time.perf_counter() - started))
    return best


def _enough(work: Work, seconds: float) -> int:
    """Return how many portions last that long; trying it out also warms up."""
    portions = 1
    while True:
        started = time.perf_counter()
        work(portions)
        took = time.perf_counter() - started
        if took >= seconds / 4:
            return max(1, round(portions * seconds / took))
        portions *= 2


def machine() -> dict[str, str]:
    """Return what the figures depend on: processor, compiler and flags, Python."""
    import platform

    import halma
    from halma import _core
    from halma.machine import processor

    return {
        "halma": halma.__version__,
        "build": _core.build(),
        "cpu": processor(),
        "python": platform.python_version(),
    }
