"""metrics.jsonl: a line of JSON per iteration; warm-start.jsonl: one per epoch of a warm start."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from halma.errors import RunError
from halma.files import flush_to_disk, open_to_append, read_file, replace_file
from halma.learn.reports.events import Epoch, Handler, Iteration, Report, Started
from halma.structure import Check, fields, list_of, map_of, optional, parse_json, real, text, whole

NAME = "metrics.jsonl"
EPOCHS = "warm-start.jsonl"
#: Largest file that is read, in bytes.
_MOST_BYTES = 1 << 30
#: Larger numbers are no measurement.
_LARGEST = 1e15

#: Checks of a metric, and of the positions that a run watches.
NUMBER = real(-_LARGEST, _LARGEST)
WATCHED = list_of(fields({"position": text(), "value": real(0, 1), "policy": map_of(real(0, 1))}))
_COMMON = dict.fromkeys(("seconds", "learning_rate", "games", "play_seconds"), NUMBER)
_TRUTH = ("wr_p", "wr_p_low", "wr_p_high", "err_p", "mae_v")


def _line_check(*numbers: str, maybe: tuple[str, ...] = ()) -> Check:
    """Return the check of a line that must have these metrics; `maybe` has those that can be null.

    Other metrics are numbers or null too.
    """
    required = {**_COMMON, **dict.fromkeys(numbers, NUMBER)}
    required |= dict.fromkeys(maybe, optional(NUMBER))
    return fields({"iteration": whole(1), **required}, {"watched": WATCHED}, optional(NUMBER))


#: What every line must be, by the method of the run.
_LINES = {
    "tabular": _line_check("plies", "updated_1", "updated_4", "updated_16", maybe=_TRUTH),
    "alphazero": _line_check("mean_plies", "evaluations_per_second"),
    "dqn": _line_check("mean_plies", "epsilon", "transitions", "reward", maybe=("td_error",)),
}
_ANY_LINE = fields({"iteration": whole(1)}, {"watched": WATCHED}, optional(NUMBER))
_EPOCH_NUMBERS = ("seconds", "games", "discarded", "games_per_second", "policy_loss", "value_loss")
_EPOCH_LINE = fields(
    {"epoch": whole(1), **dict.fromkeys(_EPOCH_NUMBERS, NUMBER)}, {}, optional(NUMBER)
)


def read_metrics(run: Path, method: str | None = None) -> list[dict[str, Any]]:
    """Return the metrics of a run directory, iteration by iteration.

    Those that a method always has are demanded if it is given. The last line may be incomplete
    while the run goes on; it is left out then.
    """
    return _read(run / NAME, "iteration", _ANY_LINE if method is None else _LINES[method])


def read_epochs(run: Path) -> list[dict[str, Any]]:
    """Return the metrics of a run's warm start, epoch by epoch."""
    return _read(run / EPOCHS, "epoch", _EPOCH_LINE)


def truncate_metrics(run: Path, iterations: int, method: str) -> list[dict[str, Any]]:
    """Remove the lines after the first `iterations`, and return those."""
    return _truncate(run / NAME, read_metrics(run, method), iterations, "iteration")


def truncate_epochs(run: Path, epochs: int) -> list[dict[str, Any]]:
    """Remove the lines of a warm start after the first `epochs`, and return those."""
    return _truncate(run / EPOCHS, read_epochs(run), epochs, "epoch")


def _read(path: Path, unit: str, check: Check) -> list[dict[str, Any]]:
    """Return the lines of a file, each of which must be that of its number."""
    if not path.exists():
        return []
    found = []
    lines = read_file(path, _MOST_BYTES, RunError).split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            metrics = parse_json(line)
        except ValueError:
            metrics = None
        if not isinstance(metrics, dict) or metrics.get(unit) != number:
            raise RunError(f"'{path}' is damaged: line {number} is not that of {unit} {number}.")
        if fault := check(metrics):
            raise RunError(f"'{path}' is damaged: line {number} {fault}.")
        found.append(metrics)
    return found


def _truncate(
    path: Path, found: list[dict[str, Any]], number: int, unit: str
) -> list[dict[str, Any]]:
    if len(found) < number:
        raise RunError(
            f"'{path}' ends with {unit} {len(found)}, but the run's checkpoint is of "
            f"{unit} {number}: something has been removed."
        )
    kept = found[:number]
    text = "".join(map(_line, kept))
    if not path.exists() or path.read_bytes() != text.encode():
        replace_file(path, text)
    return kept


class MetricsFile(Handler):
    """Handler of reports that appends a line for every iteration or epoch, flushed to the disk."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._files: dict[str, BinaryIO] = {}

    def handle(self, report: Report) -> None:
        """Write the metrics of an iteration or an epoch."""
        if isinstance(report, Started):
            self._open(NAME)
        elif isinstance(report, Iteration | Epoch):
            name = NAME if isinstance(report, Iteration) else EPOCHS
            file = self._open(name)
            file.write(_line(report.metrics).encode())
            flush_to_disk(file, self._run / name)

    def _open(self, name: str) -> BinaryIO:
        if name not in self._files:
            self._files[name] = open_to_append(self._run / name)
        return self._files[name]

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            # A line that a full disk did not take is removed when the run is resumed.
            with suppress(OSError):
                file.close()


def _line(metrics: Any) -> str:
    return json.dumps(metrics) + "\n"
