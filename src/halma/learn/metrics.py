"""metrics.jsonl: one line per iteration, the truth about a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from halma.errors import RunError
from halma.files import replace_file

NAME = "metrics.jsonl"


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """Return the metrics of a run directory, iteration by iteration.

    A run that is going on may be in the middle of a line; such a line is left out.
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


def keep_metrics(run: Path, iterations: int) -> list[dict[str, Any]]:
    """Cut the metrics back to so many iterations, and return those."""
    found = read_metrics(run)
    if len(found) < iterations:
        raise RunError(
            f"'{run / NAME}' ends with iteration {len(found)}, but the run's checkpoint is of "
            f"iteration {iterations}: something has been removed."
        )
    kept = found[:iterations]
    text = "".join(map(as_line, kept))
    path = run / NAME
    if not path.exists() or path.read_bytes() != text.encode():
        replace_file(path, text)
    return kept


def as_line(metrics: Any) -> str:
    """Return metrics as a line of the file."""
    return json.dumps(metrics) + "\n"
