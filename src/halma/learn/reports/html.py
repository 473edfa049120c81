"""Handler that writes the page of a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from halma.errors import HalmaError
from halma.learn.metrics import NAME as METRICS
from halma.learn.reports.events import (
    Checkpoint,
    Finished,
    Handler,
    Iteration,
    Report,
    Stopped,
)
from halma.learn.reports.page import NAME, write_report
from halma.solve import Solution

#: Largest share of the time that goes into pages before the last one.
_SHARE = 0.03
#: Least time between two pages.
_SECONDS = 20.0


class HtmlReport(Handler):
    """Writes report.html of a run directory: now and then at a checkpoint, and at the end."""

    def __init__(
        self,
        run: Path,
        note: Callable[[str], None] = lambda text: None,
        solution: Solution | None = None,
    ) -> None:
        self._run = run
        self._note = note
        self._solution = solution
        self._written_at = time.monotonic()
        self._cost = 0.0
        #: whether there are iterations that the page does not show yet
        self._news = False

    def handle(self, report: Report) -> None:
        """Write the page where it is due."""
        match report:
            case Iteration():
                self._news = True
            case Checkpoint():
                since = time.monotonic() - self._written_at
                if since >= max(_SECONDS, self._cost / _SHARE):
                    self._write()
            case Stopped():
                if self._news:
                    self._write()
            case Finished():
                if self._news or self._is_old():
                    self._write()

    def _is_old(self) -> bool:
        page, metrics = self._run / NAME, self._run / METRICS
        return not page.exists() or page.stat().st_mtime_ns < metrics.stat().st_mtime_ns

    def _write(self) -> None:
        began = time.monotonic()
        try:
            write_report(self._run, self._solution)
        except (HalmaError, OSError) as error:
            # It can be written again from the directory, so training goes on.
            self._note(f"The report was not written: {error}")
        self._written_at = time.monotonic()
        self._cost = self._written_at - began
        self._news = False
