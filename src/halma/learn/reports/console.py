"""A run in the terminal."""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TextIO

from halma.errors import printable
from halma.learn.reports.events import (
    Checkpoint,
    Curve,
    Epoch,
    Finished,
    Handler,
    Iteration,
    Metrics,
    Note,
    Progress,
    Report,
    Started,
    Stopped,
    clock,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

_BARS = "▁▂▃▄▅▆▇█"
#: Least time between two lines where there is no terminal.
_LINE_SECONDS = 5.0
#: The same for lines about the progress within an iteration.
_STAGE_SECONDS = 15.0
_CURVE_WIDTH = 40


class Console(Handler):
    """Handler that shows a run on standard error: live in a terminal, as lines elsewhere."""

    def __init__(self, stream: TextIO | None = None) -> None:
        from rich.console import Console as Rich

        self._rich = Rich(file=stream or sys.stderr, highlight=False)
        self._live: Any = None
        self._curves: tuple[Curve, ...] = ()
        self._history: list[Metrics] = []
        self._saved: Checkpoint | None = None
        self._now: Progress | None = None
        # When the last line was printed, and the iteration it shows.
        self._printed_at, self._shown = -_LINE_SECONDS, 0
        self._stage_at = 0.0
        self._began = time.monotonic()
        self._first = self._total = 0

    def handle(self, report: Report) -> None:
        """Show a report."""
        match report:
            case Started():
                self._start(report)
            case Progress():
                self._now = report
                self._show_stage(report)
            case Epoch(metrics):
                self._show_epoch(metrics)
            case Iteration(metrics):
                self._now = None
                self._history.append(metrics)
                self._show(metrics)
            case Checkpoint():
                self._saved = report
            case Note(text):
                self._print(text)
            case Stopped(iteration, instead):
                self.close()
                if iteration or instead:
                    what = f"iteration {iteration}" if iteration else instead
                    self._print(f"Stopped after {what}, which is saved.")
                else:
                    self._print("Stopped before the first iteration was over.")
            case Finished(metrics):
                self.close()
                if self._shown != metrics["iteration"]:
                    self._print(self._line(metrics))

    def _start(self, report: Started) -> None:
        self._curves = report.curves
        self._history = list(report.history)
        self._began, self._first = time.monotonic(), report.done
        self._stage_at = self._began
        self._total = total = report.recipe.settings.iterations
        if report.done == total > 0:
            way = "finished already"
        elif report.done:
            way = f"continued after iteration {report.done}"
        else:
            way = "from the beginning"
        length = f"{total} iterations" if total else "a warm start alone"
        self._print(
            f"{report.recipe.name}: {report.recipe.game.name}, {length}, {way}, in {report.out}"
        )
        for curve in report.curves:
            if curve.about:
                self._print(f"  {curve.title:<6} {curve.about}")
        if self._rich.is_terminal and (report.done < total or not total):
            from rich.live import Live

            self._live = Live(
                get_renderable=self._picture, console=self._rich, refresh_per_second=4
            )
            self._live.start()

    def _show(self, metrics: Metrics) -> None:
        """Print a line where there is no live display, unless one was printed just now."""
        if self._live is not None:
            return
        now = time.monotonic()
        if now - self._printed_at >= _LINE_SECONDS:
            self._printed_at, self._shown = now, metrics["iteration"]
            self._print(self._line(metrics))

    def _show_epoch(self, metrics: Metrics) -> None:
        """Print a line about an epoch of the warm start, unless one was printed just now."""
        now = time.monotonic()
        if now - self._printed_at >= _LINE_SECONDS:
            self._printed_at = now
            self._print(
                f"warm start, epoch {metrics['epoch']}  "
                f"policy loss {metrics['policy_loss']:.3f}  "
                f"value loss {metrics['value_loss']:.3f}  "
                f"games {metrics['games']:,}  games/s {metrics['games_per_second']:,.0f}  "
                f"{clock(metrics['seconds'])}"
            )

    def _show_stage(self, now: Progress) -> None:
        """Print a line where there is no live display and the last one is long ago."""
        last = max(self._printed_at, self._stage_at)
        if self._live is None and time.monotonic() - last >= _STAGE_SECONDS:
            self._stage_at = time.monotonic()
            where = now.where or f"iteration {len(self._history) + 1}/{self._total}"
            self._print(f"{where}: {_stage(now)}")

    def _print(self, text: str) -> None:
        self._rich.print(printable(text), markup=False, soft_wrap=True)

    def close(self) -> None:
        """Stop the live display."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _line(self, metrics: Metrics) -> str:
        parts = [f"iteration {metrics['iteration']}/{self._total}"]
        for curve in self._curves:
            value = metrics.get(curve.key)
            shown = "-" if value is None else format(value, curve.format)
            parts.append(f"{curve.title} {shown}")
        parts.append(clock(metrics["seconds"]))
        left = self._left(metrics["iteration"])
        return "  ".join(parts + ([f"{clock(left)} left"] if left else []))

    def _left(self, done: int) -> float:
        """Estimate the seconds left from the pace of this session."""
        here = done - self._first
        pace = (time.monotonic() - self._began) / here if here else 0.0
        return pace * (self._total - done)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        done = len(self._history)
        last: Metrics = self._history[-1] if self._history else {}
        top = Table.grid(padding=(0, 2))
        took = last.get("seconds", time.monotonic() - self._began)
        left = self._left(done) if done > self._first else None
        top.add_row(
            f"iteration {done}/{self._total}",
            ProgressBar(total=self._total, completed=done, width=_CURVE_WIDTH),
            clock(took) + ("" if left is None else f", {clock(left)} left"),
        )
        curves = Table.grid(padding=(0, 2))
        for curve in self._curves:
            values = [m[curve.key] for m in self._history if m.get(curve.key) is not None]
            shown = format(values[-1], curve.format) if values else ""
            curves.add_row(curve.title, f"[bold]{shown}[/bold]", sparkline(values))
        rest = [
            f"{key.replace('_', ' ')} {value:,}"
            for key, value in last.items()
            if isinstance(value, int) and key != "iteration"
        ]
        saved = f"saved: iteration {self._saved.iteration}" if self._saved else "nothing saved yet"
        now = [] if self._now is None else [f"{self._now.where} {_stage(self._now)}".strip()]
        return Group(top, *now, curves, f"[dim]{', '.join(rest)}[/dim]", f"[dim]{saved}[/dim]")


def sparkline(values: list[float], width: int = _CURVE_WIDTH) -> str:
    """Return values as a line of bars, each the mean of an equal part of them."""
    if not values:
        return ""
    parts = min(width, len(values))
    edges = [i * len(values) // parts for i in range(parts + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, high = min(means), max(means)
    step = (high - low) / (len(_BARS) - 1) or 1.0
    return "".join(_BARS[round((mean - low) / step)] for mean in means)


def _stage(now: Progress) -> str:
    """Return the progress of a stage in a line."""
    parts = [now.stage if not now.total else f"{now.stage} {now.done:,}/{now.total:,}"]
    return ", ".join([*parts, *(f"{rate:,.1f} {unit}" for unit, rate in now.rates.items())])
