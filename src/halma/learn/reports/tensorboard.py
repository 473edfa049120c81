"""Handler that writes metrics for TensorBoard, anew from metrics.jsonl on every start."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from halma.files import remove_folder
from halma.learn.metrics import read_epochs
from halma.learn.reports.events import Epoch, Handler, Iteration, Metrics, Report, Started
from halma.machine import is_installed, missing_library

#: The folder in a run directory.
NAME = "tensorboard"


class TensorBoard(Handler):
    """Writes event files, if the package tensorboard is installed; else a note says so."""

    def __init__(self, run: Path, note: Callable[[str], None] = lambda text: None) -> None:
        self._run, self._folder = run, run / NAME
        self._writer: Any = None
        self._note = note

    def handle(self, report: Report) -> None:
        """Write the metrics of an iteration; at the start those of all before it."""
        if isinstance(report, Started):
            if not is_installed("tensorboard"):
                self._note(f"No curves for TensorBoard: {missing_library('tensorboard')}")
                return
            from tensorboard.summary import Writer

            remove_folder(self._folder)
            try:
                self._writer = Writer(str(self._folder))
            except UnicodeEncodeError:
                self._note(f"No curves for TensorBoard: '{self._folder}' is no path in UTF-8.")
                return
            for epoch in read_epochs(self._run):
                self._write(epoch, "epoch", "warm_start/")
            for metrics in report.history:
                self._write(metrics, "iteration")
        elif isinstance(report, Epoch) and self._writer is not None:
            self._write(report.metrics, "epoch", "warm_start/")
        elif isinstance(report, Iteration) and self._writer is not None:
            self._write(report.metrics, "iteration")

    def close(self) -> None:
        """Write what is not yet written."""
        if self._writer is not None:
            # It is written anew from the metrics on the next start.
            with suppress(OSError):
                self._writer.close()

    def _write(self, metrics: Metrics, unit: str, prefix: str = "") -> None:
        """Write metrics at the number of their iteration or epoch."""
        for key, value in metrics.items():
            if key != unit and isinstance(value, int | float):
                self._writer.add_scalar(prefix + key, value, metrics[unit])
