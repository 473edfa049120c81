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

    Measurements replace those of the same name and scale, and all of another seed or version.
    """
    runs = measured = 0
    for full in (True, False):
        workspace = Workspace(folder, lambda text: None, full=full, adopt=adopt)
        for experiment in paper.experiments:
            recipes = experiment.on((), full).recipes(workspace)
            runs += keep_runs(paper.kept, workspace.runs, recipes, paper.curves, revision)
        path = workspace.pages / "measured.json"
        if path.exists():
            found, to = MeasurementFile(path), paper.kept / f"{workspace.scale}.json"
            before, settings = MeasurementFile(to), {**found.settings, "revision": revision}
            alike = {**before.settings, "revision": revision} == settings
            stay = [name for name in before if alike and name not in found]
            values = {name: before[name] for name in stay} | dict(found)
            content = {
                "settings": settings,
                "measured": {name: packed(value) for name, value in values.items()},
                "seconds": {name: before.seconds.get(name, 0.0) for name in stay} | found.seconds,
                "revisions": {name: before.revision(name) for name in stay},
            }
            make_folder(paper.kept)
            replace_file(to, json.dumps(content, separators=(",", ":")) + "\n")
            measured += len(found)
    return f"{runs} runs and {measured} measurements are new in {paper.kept.name}."
