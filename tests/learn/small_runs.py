"""Runs that take a second, for tests."""

import errno
import json
import os

from cli import cli_helpers
from cli.cli_helpers import HALMA

from halma.learn import load

SMALL = {
    "game": "ewn-3x3-2",
    "iterations": 6,
    "search.simulations": 10,
    "selfplay.games": 40,
    "truth.games": 200,
    # Every iteration is saved.
    "checkpoints.seconds": 0.0,
}
#: What a finished run of a network leaves in its directory.
FILES_OF_A_NETWORK = [
    "best.onnx",
    "best.safetensors",
    "checkpoints",
    "games",
    "lock",
    "meta.json",
    "metrics.jsonl",
    "recipe.toml",
]
TIMES = ("play_seconds", "update_seconds", "processor_seconds", "truth_seconds", "seconds")


def small(**changes):
    """Return a small recipe; `search__c=2` changes `search.c`."""
    given = {key.replace("__", "."): value for key, value in changes.items()}
    return load("hsueh2023/ewn-3x3-3", {**SMALL, **given})


def without_times(metrics):
    """Return what must be the same every time."""
    return {key: value for key, value in metrics.items() if key not in TIMES}


class Listener:
    """Remembers what it hears."""

    def __init__(self):
        self.reports = []
        self.closed = False

    def handle(self, report):
        self.reports.append(report)

    def close(self):
        self.closed = True

    def all(self, kind):
        return [report for report in self.reports if isinstance(report, kind)]


def write_recipe(folder, recipe):
    """Write a recipe and return its file."""
    path = folder / "small.toml"
    path.write_text(recipe.toml(), encoding="utf-8")
    return path


def recipe_file(folder, **changes):
    """Write a small recipe and return its file."""
    return write_recipe(folder, small(**changes))


def start(recipe, out, *more):
    """Start `halma train`."""
    command = [*HALMA, "train", str(recipe), "--out", str(out), "--threads", "1", "--json", *more]
    return cli_helpers.start(command, env={**os.environ, "OMP_NUM_THREADS": "1"})


def fill_disk(monkeypatch, after):
    """Make the disk full after a number of writes."""
    real, calls = os.fsync, [0]

    def full(handle):
        calls[0] += 1
        if calls[0] > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", full)


def finish(process):
    """Wait for a process; return its status, its one object (or None) and standard error."""
    out, err = process.communicate(timeout=120)
    return process.returncode, json.loads(out) if out else None, err


def lines_of(out):
    """Count the finished lines of a run's metrics."""
    path = out / "metrics.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def contents(folder):
    """Return every file of a folder but the lock."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            if name != "lock":
                path = os.path.join(root, name)
                with open(path, "rb") as file:
                    found[path] = file.read()
    return found
