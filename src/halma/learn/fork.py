"""A copy of a run that goes on with other settings."""

from __future__ import annotations

import json
from pathlib import Path

from halma.errors import RunError
from halma.files import TEMPORARY, atomic_folder, copy_file, make_folder, replace_file
from halma.learn.recipe import Recipe
from halma.learn.run import META, RECIPE, read_meta


def fork_run(run: Path, out: Path, recipe: Recipe) -> None:
    """Copy a run that nobody trains into a new directory, with another recipe of the same game.

    Weights, optimiser, replay buffer and metrics are those of the run; training goes on from its
    newest checkpoint with the new settings. The directory appears as a whole.
    """
    if not (run / META).is_file():
        raise RunError(f"'{run}' is not the directory of a run.")
    with atomic_folder(out) as folder:
        for path in sorted(run.rglob("*")):
            target = folder / path.relative_to(run)
            if path.is_dir():
                make_folder(target)
            elif path.name not in ("lock", RECIPE, META) and not path.name.endswith(TEMPORARY):
                copy_file(path, target)
        replace_file(folder / RECIPE, recipe.toml(out))
        meta = {**read_meta(run), "recipe": recipe.name, "seed": recipe.settings.seed}
        meta["forked_from"] = str(run)
        replace_file(folder / META, json.dumps(meta, indent=2) + "\n")
