"""Adding the runs and measurements of a folder of `halma reproduce` to what a paper keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from halma.files import make_folder, replace_file
from halma.lab.experiment import Paper
from halma.lab.kept import keep_runs
from halma.lab.packing import packed
from halma.lab.workspace import MeasurementFile, Workspace


def keep(paper: Paper, folder: Path, revision: str, adopt: Sequence[Path] = ()) -> str:
    """Keep summaries of all runs and measurements that there are; say how many are new.

    Measurements replace those that are kept of the same scale, as all of a file have one seed.
    """
    runs = measured = 0
    for full in (True, False):
        workspace = Workspace(folder, lambda text: None, full=full, adopt=adopt)
        for experiment in paper.experiments:
            recipes = experiment.on((), full).recipes(workspace)
            runs += keep_runs(paper.kept, workspace.runs, recipes, paper.curves, revision)
        path = workspace.pages / "measured.json"
        if path.exists():
            found = MeasurementFile(path)
            content = {
                "settings": {**found.settings, "revision": revision},
                "measured": {name: packed(value) for name, value in found.items()},
                "seconds": found.seconds,
            }
            make_folder(paper.kept)
            to = paper.kept / f"{workspace.scale}.json"
            replace_file(to, json.dumps(content, separators=(",", ":")) + "\n")
            measured += len(found)
    return f"{runs} runs and {measured} measurements are new in {paper.kept.name}."
