"""Adding the runs and measurements of a folder of `halma reproduce` to what a paper keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from halma.files import make_folder, replace_file
from halma.lab.experiment import Paper
from halma.lab.kept import keep_runs, kept_digests
from halma.lab.network_files import NetworkFile, digests_in
from halma.lab.packing import packed
from halma.lab.workspace import MeasurementFile, Workspace
from halma.networks import shipped_networks


def keep(paper: Paper, folder: Path, revision: str, adopt: Sequence[Path] = ()) -> str:
    """Keep summaries of all runs and measurements that there are; say how many are new.

    Measurements replace those of the same name and scale, and all of another seed or version.
    Those made with a network that no kept run has, and that does not come with halma, are left out:
    no page could find them.
    """
    runs = measured = left_out = 0
    for full in (True, False):
        workspace = Workspace(folder, lambda text: None, full=full, adopt=adopt, draw_only=True)
        for experiment in paper.experiments:
            chosen = experiment.on((), full)
            recipes = [*chosen.recipes(workspace), *chosen.extra_recipes(workspace)]
            runs += keep_runs(paper.kept, workspace.runs, recipes, paper.curves, revision)
        path = workspace.pages / "measured.json"
        if path.exists():
            found, to = MeasurementFile(path), paper.kept / f"{workspace.scale}.json"
            before, settings = MeasurementFile(to), {**found.settings, "revision": revision}
            alike = {**before.settings, "revision": revision} == settings
            stay = [name for name in before if alike and name not in found]
            networks = kept_digests(paper.kept) | _shipped_digests()
            every = {name: before[name] for name in stay} | dict(found)
            values = {name: one for name, one in every.items() if digests_in(name) <= networks}
            seconds = {name: before.seconds.get(name, 0.0) for name in stay} | found.seconds
            content = {
                "settings": settings,
                "measured": {name: packed(value) for name, value in values.items()},
                "seconds": {name: seconds[name] for name in values if name in seconds},
                "revisions": {name: before.revision(name) for name in stay if name in values},
            }
            make_folder(paper.kept)
            replace_file(to, json.dumps(content, separators=(",", ":")) + "\n")
            measured += sum(name in found for name in values)
            left_out += len(every) - len(values)
    said = f"{runs} runs and {measured} measurements are new in {paper.kept.name}."
    if left_out:
        said += f" {left_out} were left out: no kept run has the networks that they were made with."
    return said


def _shipped_digests() -> set[str]:
    """Return the digests of the networks that come with halma."""
    return {NetworkFile.at(file).digest for file in shipped_networks().values()}
