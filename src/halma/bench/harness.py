"""Measurements: how they are timed, and the report of a benchmark.

A rate is that of the best of several rounds: other load on a machine only ever slows a program
down, so the best round depends least on it. Two programs that are compared take turns within a
round, so that load hits both.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from halma import __version__, _core
from halma.machine import processor

#: does the given number of portions of some work; returns the number of units done
Work = Callable[[int], float]


@dataclass(frozen=True)
class Measurement:
    """A measured value, its goal, and a peer's value where one was measured beside it."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    #: whether the goal is a maximum rather than a minimum
    at_most: bool = False
    peer: str | None = None
    peer_value: float | None = None
    #: the peer's unit; values in different units have no ratio
    peer_unit: str | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.at_most else self.value >= self.goal

    @property
    def ratio(self) -> float | None:
        """Our value divided by the peer's, where both have the same unit."""
        if not self.peer_value or self.peer_unit != self.unit:
            return None
        return self.value / self.peer_value

    def as_dict(self) -> dict[str, Any]:
        """Return the measurement for JSON; keys about a peer only where there is one."""
        known = {**asdict(self), "met": self.met, "ratio": self.ratio}
        about_peer = ("peer", "peer_value", "peer_unit", "ratio")
        return {k: v for k, v in known.items() if self.peer or k not in about_peer}


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


@dataclass
class BenchReport:
    """The measurements of a run, and notes on what was left out."""

    rows: list[Measurement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def collect(
        cls, results: Iterable[Measurement | str], progress: Callable[[str], None]
    ) -> BenchReport:
        """Run a benchmark, which yields measurements and notes, and report its progress."""
        report = cls()
        for result in results:
            if isinstance(result, str):
                report.notes.append(result)
                continue
            report.rows.append(result)
            of_goal = f", {result.value / result.goal:.2f} times the goal" if result.goal else ""
            progress(f"{result.name}: {result.value:,.4g} {result.unit}{of_goal}")
        return report

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {"rows": [row.as_dict() for row in self.rows], "notes": self.notes}

    def print(self, about: Mapping[str, str]) -> None:
        """Print the measurements, the machine they depend on, and the notes."""
        from rich.table import Table

        from halma.draw.terminal import table_console

        # Narrow enough for eighty columns.
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
        for heading in ("what", "figure", "goal", "met", "peer", "ratio"):
            right = heading in ("figure", "ratio")
            table.add_column(heading, justify="right" if right else "left", no_wrap=True)
        for row in self.rows:
            table.add_row(*_cells(row))
        console = table_console()
        console.print(table)
        for line in (*(f"{key}: {value}" for key, value in about.items()), *self.notes):
            console.print(line, markup=False)


def _cells(row: Measurement) -> list[str]:
    goal = "" if row.goal is None else f"{'<=' if row.at_most else '>='} {short(row.goal)}"
    met = {None: "", True: "yes", False: "no"}[row.met]
    peer = ""
    if row.peer_value is not None:
        unit = "" if row.peer_unit == row.unit else f" {row.peer_unit}"
        peer = f"{short(row.peer_value)}{unit}"
    ratio = "" if row.ratio is None else f"{row.ratio:.1f}"
    return [row.name, f"{short(row.value)} {row.unit}", goal, met, peer, ratio]


def short(number: float) -> str:
    """Return a number with three digits and a unit prefix: 31.2 M."""
    for size, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{prefix}"
    return f"{number:.3g}"


def machine() -> dict[str, str]:
    """Return what the measurements depend on: processor, compiler and flags, Python."""
    return {
        "halma": __version__,
        "build": _core.build(),
        "cpu": processor(),
        "python": platform.python_version(),
    }
