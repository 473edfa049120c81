"""Metrics as a file, a line for every iteration."""

from __future__ import annotations

import os
from pathlib import Path

from halma.learn.metrics import NAME, as_line
from halma.learn.reports import Iteration, Report


class MetricsFile:
    """Appends to metrics.jsonl of a run directory; what is written is on the disk."""

    def __init__(self, run: Path) -> None:
        self._file = (run / NAME).open("a", encoding="utf-8")

    def handle(self, report: Report) -> None:
        """Write the metrics of an iteration."""
        if isinstance(report, Iteration):
            self._file.write(as_line(report.metrics))
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()
