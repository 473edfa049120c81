"""Summaries of runs and measurements that are kept beside a paper's code.

A paper's package has a folder `kept`: `runs.jsonl` with a line for each training run, and
`full.json` and `quick.json` with the measurements of those scales. They are small enough for the
repository, and every figure can be drawn from them without training.

The line of a run has its last metrics, the digests of its networks, by which the measurements made
with them are found, the means of some metrics over all iterations, and curves of those that figures
show along the iterations, thinned to `MOST_POINTS`. Numbers are rounded to six digits, so
that sums of several, such as losses, are shown as they were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

from halma.errors import HalmaError
from halma.files import make_folder, read_file, replace_file
from halma.lab.network_files import DIGITS, NetworkFile
from halma.lab.run_store import RunStore, run_name
from halma.learn import Recipe
from halma.learn.metrics import NUMBER, WATCHED
from halma.learn.reports.events import Metrics
from halma.structure import fields, list_of, map_of, optional, parse_json, text, tuple_of, whole

RUNS = "runs.jsonl"
#: Points of a curve, at most.
MOST_POINTS = 200
#: Metrics whose mean over all iterations is kept, where a run has them.
MEANS = ("play_seconds", "processor_seconds", "games")

_MOST_BYTES = 1 << 26
_LAST = fields({"iteration": whole(1)}, {"watched": WATCHED}, optional(NUMBER))
_LINE = fields(
    {
        "run": text(),
        "iterations": whole(1),
        "revision": text(40),
        "points": list_of(tuple_of(*[whole(1)] * 3)),
        "curves": map_of(list_of(optional(NUMBER))),
        "constants": map_of(NUMBER),
        "watched": list_of(WATCHED),
        "means": map_of(NUMBER),
        "last": _LAST,
    },
    {
        "versions": map_of(text(DIGITS)),
        "best": text(DIGITS),
        "promoted": list_of(whole(0)),
    },
)
#: What identifies the networks of a run.
_NETWORKS = ("versions", "best", "promoted")


class KeptRuns(RunStore):
    """The runs of a folder `kept`, read as if they were run directories.

    Their networks have digests and no files: what was measured with them is found, and nothing can
    be measured.
    """

    @cached_property
    def _lines(self) -> dict[str, dict[str, Any]]:
        return read_runs(self.folder / RUNS)

    def path(self, recipe: Recipe) -> Path:
        """Return a path at which there is nothing: files of networks are not kept."""
        return self.folder / "runs" / run_name(recipe)

    def is_adopted(self, recipe: Recipe) -> bool:
        """Whether a run was made elsewhere; none is."""
        return False

    def versions(self, recipe: Recipe) -> dict[int, NetworkFile]:
        """Return the networks that a run had archived, without their files."""
        found, nowhere = self._line(recipe).get("versions", {}), self.path(recipe)
        return {int(number): NetworkFile(digest, nowhere) for number, digest in found.items()}

    def best(self, recipe: Recipe) -> NetworkFile | None:
        """Return the network that a run had found best, without its file."""
        digest = self._line(recipe).get("best")
        return None if digest is None else NetworkFile(digest, self.path(recipe))

    def promoted(self, recipe: Recipe) -> list[int]:
        """Return the iterations whose networks were best."""
        return list(self._line(recipe).get("promoted", ()))

    def _line(self, recipe: Recipe) -> Mapping[str, Any]:
        return self._lines.get(run_name(recipe), {})

    def metrics(self, recipe: Recipe) -> Sequence[Metrics]:
        """Return the thinned metrics of a run; only the last entry has all of them."""
        line = self._lines.get(run_name(recipe))
        return [] if line is None else _entries(line)

    def iterations(self, recipe: Recipe) -> int:
        """Return how many iterations of a run were done, of which its metrics have some."""
        return int(self._line(recipe).get("iterations", 0))

    def mean(self, recipe: Recipe, key: str) -> float | None:
        """Return the mean of a metric over all iterations, as it was before thinning."""
        mean = self._lines[run_name(recipe)]["means"].get(key)
        return None if mean is None else float(mean)

    def revision(self, recipe: Recipe) -> str:
        """Return the revision of halma that made a run."""
        return str(self._line(recipe).get("revision", ""))


def read_runs(path: Path) -> dict[str, dict[str, Any]]:
    """Return the lines of a file of kept runs by the names of the runs."""
    if not path.exists():
        return {}
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(read_file(path, _MOST_BYTES).splitlines(), start=1):
        try:
            value = parse_json(line)
        except ValueError:
            value = None
        fault = _LINE(value)
        if not fault:
            value["points"] = [i for run in value["points"] for i in range(*run)]
        if fault or any(len(curve) != len(value["points"]) for curve in value["curves"].values()):
            raise HalmaError(f"'{path}' is damaged: line {number} is not that of a run.")
        found[value["run"]] = value
    return found


def keep_runs(
    folder: Path, runs: RunStore, recipes: Iterable[Recipe], curves: Sequence[str], revision: str
) -> int:
    """Add the summaries of the runs that there are to a folder; return how many are new.

    `curves` are the metrics that are kept along the iterations, of those iterations that have the
    first. A run replaces a shorter one. It replaces one as long if its networks are others, and at
    least as many: what was measured with networks that it lacks would be lost.
    """
    path = folder / RUNS
    lines: dict[str, dict[str, Any]] = read_runs(path)
    new = 0
    for recipe in recipes:
        metrics, name = runs.metrics(recipe), run_name(recipe)
        if not metrics:
            continue
        before, networks = lines.get(name, {"iterations": 0}), _networks(runs, recipe)
        known = {key: before[key] for key in _NETWORKS if key in before}
        now, then = _digests(networks), _digests(known)
        is_named_anew = networks != known and len(now) >= max(1, len(then))
        longer = len(metrics) - before["iterations"]
        if longer > 0 or (longer == 0 and is_named_anew):
            made_by = _short(runs.revision(recipe)) or revision
            lines[name] = summary(name, metrics, curves, made_by) | networks
            new += 1
    if new:
        make_folder(folder)
        shown = ({**line, "points": _ranges(line["points"])} for _, line in sorted(lines.items()))
        written = (json.dumps(line, separators=(",", ":")) for line in shown)
        replace_file(path, "".join(f"{line}\n" for line in written))
    return new


def _networks(runs: RunStore, recipe: Recipe) -> dict[str, Any]:
    """Return what identifies the networks of a run; nothing if there are none."""
    versions, best = runs.versions(recipe), runs.best(recipe)
    if not versions and best is None:
        return {}
    found: dict[str, Any] = {"versions": {str(n): one.digest for n, one in versions.items()}}
    found["promoted"] = runs.promoted(recipe)
    return found if best is None else {**found, "best": best.digest}


def _digests(networks: Mapping[str, Any]) -> set[str]:
    """Return the digests of all networks of a run."""
    return {*networks.get("versions", {}).values(), networks.get("best", "")} - {""}


def _short(revision: str) -> str:
    """Return a revision with seven digits of its hash, and whether it had been changed."""
    return re.sub(r"^([0-9a-f]{7})[0-9a-f]+", r"\1", revision)


def kept_digests(folder: Path) -> set[str]:
    """Return the digests of all networks of the runs that are kept in a folder."""
    found = set()
    for line in read_runs(folder / RUNS).values():
        found |= _digests(line)
    return found


def summary(
    name: str, metrics: Sequence[Metrics], curves: Sequence[str], revision: str
) -> dict[str, Any]:
    """Return the summary of a run."""
    measured = [entry for entry in metrics if entry.get(curves[0]) is not None] or metrics
    last, shown = measured[-1], thinned(measured)
    columns = {key: [_rounded(entry.get(key)) for entry in shown] for key in curves if key in last}
    constants = {
        key: column[0]
        for key, column in columns.items()
        if len({*column}) == 1 and column[0] is not None
    }
    watched = [entry["watched"] for entry in shown if "watched" in entry]
    means = {key: [entry[key] for entry in metrics if key in entry] for key in MEANS}
    return {
        "run": name,
        "iterations": len(metrics),
        "revision": revision,
        "points": [entry["iteration"] for entry in shown],
        "curves": {key: column for key, column in columns.items() if key not in constants},
        "constants": constants,
        "watched": _rounded(watched),
        "means": {key: _rounded(fmean(values)) for key, values in means.items() if values},
        "last": {key: _rounded(value) for key, value in last.items()},
    }


def thinned(entries: Sequence[Any], most: int = MOST_POINTS) -> list[Any]:
    """Return every n-th entry counted from the last, at most `most` of them."""
    step = -(-len(entries) // most)
    return list(entries[::-1][:: max(1, step)][::-1])


def _ranges(numbers: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return rising numbers as arguments of `range`."""
    ranges: list[tuple[int, int, int]] = []
    for number in numbers:
        if ranges:
            first, stop, step = ranges[-1]
            last = stop - 1
            if first == last or number - last == step:
                ranges[-1] = first, number + 1, number - last
                continue
        ranges.append((number, number + 1, 1))
    return ranges


def _entries(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return metrics again; what is not kept of an iteration is missing from its entry."""
    entries = [{"iteration": number, **line["constants"]} for number in line["points"]]
    for key, curve in line["curves"].items():
        for entry, value in zip(entries, curve, strict=True):
            entry[key] = value
    for entry, watched in zip(entries, line["watched"], strict=False):
        entry["watched"] = watched
    if entries and entries[-1]["iteration"] == line["last"]["iteration"]:
        entries.pop()
    return [*entries, dict(line["last"])]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return value
