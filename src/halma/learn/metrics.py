"""metrics.jsonl: one line of JSON per iteration."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from halma.errors import RunError
from halma.files import flush_to_disk, open_to_append, replace_file
from halma.learn.reports.events import Handler, Iteration, Report, Started

NAME = "metrics.jsonl"


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """Return the metrics of a run directory, iteration by iteration.

    The last line may be incomplete while the run goes on; it is left out then.
    """
    path = run / NAME
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    found = []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            metrics = json.loads(line)
            expected = metrics["iteration"] == number
        except (ValueError, KeyError, TypeError):
            expected = False
        if not expected:
            raise RunError(f"'{path}' is damaged: line {number} is not that of iteration {number}.")
        found.append(metrics)
    return found


def truncate_metrics(run: Path, iterations: int) -> list[dict[str, Any]]:
    """Remove the lines after the first `iterations`, and return those."""
    found = read_metrics(run)
    if len(found) < iterations:
        raise RunError(
            f"'{run / NAME}' ends with iteration {len(found)}, but the run's checkpoint is of "
            f"iteration {iterations}: something has been removed."
        )
    kept = found[:iterations]
    text = "".join(map(_line, kept))
    path = run / NAME
    if not path.exists() or path.read_bytes() != text.encode():
        replace_file(path, text)
    return kept


class MetricsFile(Handler):
    """Handler of reports that appends a line for every iteration, flushed to the disk."""

    def __init__(self, run: Path) -> None:
        self._path = run / NAME
        self._file: BinaryIO | None = None

    def handle(self, report: Report) -> None:
        """Write the metrics of an iteration."""
        if isinstance(report, Started):
            self._file = open_to_append(self._path)
        elif isinstance(report, Iteration) and self._file is not None:
            self._file.write(_line(report.metrics).encode())
            flush_to_disk(self._file, self._path)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            # A line that a full disk did not take is removed when the run is resumed.
            with suppress(OSError):
                self._file.close()


def _line(metrics: Any) -> str:
    return json.dumps(metrics) + "\n"
