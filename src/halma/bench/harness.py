"""Timing: several rounds on one thread, of which the best counts.

Other load on a machine only ever slows a program down, so the best round depends least on
it. Two programs that are compared take turns within a round, so that load hits both.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from halma.bench.report import Measurement

#: does the given number of portions of some work; returns the number of units done
Work = Callable[[int], float]


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    rounds: int
    #: minimum duration of a round
    seconds: float
    #: random games from which a peer's mean length is taken
    peer_games: int
    #: whether to include measurements that take minutes
    long: bool = False


FULL = Effort(rounds=5, seconds=1.0, peer_games=2000, long=True)
QUICK = Effort(rounds=5, seconds=0.1, peer_games=500)


def rates(effort: Effort, *works: Work) -> list[float]:
    """Return the best units per second of each work."""
    portions = [_enough(work, effort.seconds) for work in works]
    best = [0.0] * len(works)
    for _ in range(effort.rounds):
        for index, work in enumerate(works):
            started = time.perf_counter()
            units = work(portions[index])
            best[index] = max(best[index], units / (time.perf_counter() - started))
    return best


def measure_rate(
    name: str, unit: str, effort: Effort, work: Work, goal: float | None = None
) -> Measurement:
    """Measure the units per second of some work."""
    return Measurement(name, rates(effort, work)[0], unit, goal)


def repeated(function: Callable[[], object], units: float) -> Work:
    """Return work that calls a function again and again; each call does this many units."""

    def work(times: int) -> float:
        for _ in range(times):
            function()
        return times * units

    return work


def _enough(work: Work, seconds: float) -> int:
    """Return the number of portions that last this long, after warming up."""
    portions = 1
    while True:
        started = time.perf_counter()
        work(portions)
        took = time.perf_counter() - started
        if took >= seconds / 4:
            return max(1, round(portions * seconds / took))
        portions *= 2


def machine() -> dict[str, str]:
    """Return what the measurements depend on: processor, compiler and flags, Python."""
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
