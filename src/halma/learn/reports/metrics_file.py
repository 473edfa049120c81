"""Metrics as a file, a line for every iteration."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from halma.learn.metrics import NAME, as_line
from halma.learn.reports.events import Iteration, Report, Started


class MetricsFile:
    """Appends to metrics.jsonl of a run directory; what is written is on the disk."""

    def __init__(self, run: Path) -> None:
        self._path = run / NAME
        self._file: TextIO | None = None

    def handle(self, report: Report) -> None:
        """Write the metrics of an iteration."""
        if isinstance(report, Started):
            self._file = self._path.open("a", encoding="utf-8")
        elif isinstance(report, Iteration) and self._file is not None:
            self._file.write(as_line(report.metrics))
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            # All lines are on the disk; what a full one did not take is cut off on resuming.
            with suppress(OSError):
                self._file.close()
