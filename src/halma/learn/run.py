"""The directory of a run: one recipe, one writer.

    recipe.toml      the resolved settings, with comments
    meta.json        versions, machine, revision, seed
    metrics.jsonl    a line per iteration
    warm-start.jsonl of a network with a warm start: a line per epoch
    warm-start.safetensors  its last epoch, until there is a checkpoint of an iteration
    checkpoints/     the states that the run can continue from
    games/           of a network: the games of the replay buffer
    versions/        of a network: its past, if the recipe says so
    compiled/        of a network on a GPU: what torch.compile made
    lock             held by the process that trains

A directory with another recipe, other versions or other contents is refused, never overwritten;
but a run may go on with other settings of what does not change learning, such as evaluations.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import halma
from halma import _core
from halma.agents import quick_agents
from halma.errors import RecipeError, RunError
from halma.files import (
    TEMPORARY,
    is_running,
    make_folder,
    read_file,
    remove_file,
    replace_file,
    take_lock,
)
from halma.learn.metrics import read_metrics
from halma.learn.recipe import Recipe, load
from halma.learn.settings import Plain, write_value
from halma.machine import processor
from halma.networks.finding import BEST
from halma.structure import Check, fields, optional, parse_json, plain, text

#: Counts up when the files of a run directory change their meaning.
FORMAT = 2

#: The resolved settings.
RECIPE = "recipe.toml"
#: Versions and circumstances.
META = "meta.json"
#: The folder of checkpoints.
CHECKPOINTS = "checkpoints"
_LOCK = "lock"
#: The best network: its weights, and to play with.
WEIGHTS, MODEL = "best.safetensors", BEST
#: The state after the last epoch of the warm start.
WARM_START = "warm-start.safetensors"
#: What torch.compile made of the network.
COMPILED = "compiled"
#: The batch from which a loss became not a number.
BAD_BATCH = "bad-batch.safetensors"

_LARGEST_META = 1 << 20
_VERSIONS = ("format", "halma", "rules_version")
_STRUCTURE = fields(dict.fromkeys(_VERSIONS, plain), {"recipe": optional(text())})


@dataclass
class RunDirectory:
    """A run directory that this process has locked; `with RunDirectory(...) as run`.

    Entering creates the directory or checks it; the lock is released on leaving, and by the
    system if the process is killed. Settings that do not change what is learned may differ from
    those of the directory, which then gets the new ones. The recipe keeps the name that the run
    began with.
    """

    path: Path
    recipe: Recipe
    #: settings that differed from those of the directory
    changes: Mapping[str, Plain] = field(default_factory=dict, init=False)

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints."""
        return self.path / CHECKPOINTS

    def __enter__(self) -> RunDirectory:
        if self.path.exists() and not self.path.is_dir():
            raise RunError(f"'{self.path}' is a file, not the directory of a run.")
        self._refuse_other_contents()
        make_folder(self.path)
        self._lock = self._take_lock()
        try:
            # Again, now that no other process can change it.
            self._refuse_other_contents()
            self._check_or_create()
            self._remove_unfinished()
            make_folder(self.checkpoints)
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.close()

    def _refuse_other_contents(self) -> None:
        """Refuse a directory that holds something other than a run."""
        if not self.path.exists() or (self.path / META).exists():
            return
        ours = (_LOCK, RECIPE)
        others = [
            entry.name
            for entry in self.path.iterdir()
            if entry.name not in ours and not entry.name.endswith(TEMPORARY)
        ]
        if others:
            raise RunError(
                f"'{self.path}' is not the directory of a run, but holds '{min(others)}': "
                "choose another one with --out."
            )

    def _take_lock(self) -> BinaryIO:
        path = self.path / _LOCK
        try:
            return take_lock(path)
        except BlockingIOError:
            holder = path.read_bytes()[:20].decode(errors="replace").strip() or "another one"
            raise RunError(
                f"'{self.path}' is in use: process {holder} is training in it."
            ) from None

    def _check_or_create(self) -> None:
        """Compare recipe and versions with those of the directory, or write them.

        The recipe is written first: where there is one without a meta.json, a run was killed
        at its start, and only the same recipe may continue there.
        """
        recipe, meta = self.path / RECIPE, self.path / META
        if meta.exists():
            self._compare_versions()
        if recipe.exists():
            self._compare_recipe(recipe)
        elif meta.exists():
            raise RunError(f"'{self.path}' has lost its {RECIPE}, so it is not used.")
        else:
            replace_file(recipe, self.recipe.toml(self.path))
        if not meta.exists():
            about = {**self._versions(), **self._circumstances()}
            replace_file(meta, json.dumps(about, indent=2) + "\n")
        self.recipe = _with_first_name(self.recipe, self.path)

    def _compare_recipe(self, path: Path) -> None:
        there: Recipe | None = None
        try:
            there = load(str(path))
            difference = self.recipe.difference(there)
        except RecipeError as error:
            difference = str(error).rstrip(".")
        if there is None or difference is not None:
            raise RunError(
                f"'{self.path}' belongs to another recipe: {difference}. "
                "Choose another directory with --out."
            )
        self.changes = self.recipe.changes_from(there)
        if self.changes:
            replace_file(path, self.recipe.toml(self.path))

    @property
    def notes(self) -> list[str]:
        """A sentence for each setting that has changed."""
        return [
            f"'{key}' is {write_value(value)} from now on." for key, value in self.changes.items()
        ]

    def _compare_versions(self) -> None:
        found = read_meta(self.path)
        for key, wanted in self._versions().items():
            if found.get(key) != wanted:
                raise RunError(
                    f"'{self.path}' belongs to another version: its {key.replace('_', ' ')} is "
                    f"{repr(found.get(key))[:60]}, and here it is {wanted!r}. "
                    "Choose another directory with --out."
                )

    def _remove_unfinished(self) -> None:
        """Remove the temporary files of killed processes; no other one writes under our lock."""
        for leftover in self.path.rglob(f"*{TEMPORARY}"):
            remove_file(leftover)

    def _versions(self) -> dict[str, Any]:
        """Return what must agree for a run to continue."""
        values = (FORMAT, halma.__version__, self.recipe.game.core.version)
        return dict(zip(_VERSIONS, values, strict=True))

    def _circumstances(self) -> dict[str, Any]:
        """Return the circumstances of a new run, for readers."""
        import numpy

        return {
            "recipe": self.recipe.name,
            "method": self.recipe.method,
            "game": self.recipe.game.name,
            "seed": self.recipe.settings.seed,
            "begun": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "core": _core.build(),
            "python": platform.python_version(),
            "numpy": numpy.__version__,
            "system": platform.platform(),
            "processor": processor(),
            "cores": os.cpu_count(),
            "revision": _revision(),
        }


def read_meta(run: Path) -> dict[str, Any]:
    """Return versions and circumstances of a run."""
    return read_description(run / META, _LARGEST_META, _STRUCTURE)


def read_description(path: Path, most: int, check: Check) -> dict[str, Any]:
    """Return the JSON object that describes a folder, from a file in it of at most this size."""
    try:
        found: dict[str, Any] = parse_json(read_file(path, most, RunError))
        fault = check(found)
    except RunError:
        raise
    except ValueError:
        fault = "is not JSON"
    if fault:
        raise RunError(f"'{path}' is damaged, so '{path.parent}' is not used: it {fault}.")
    return found


def is_training(run: Path) -> bool:
    """Whether the process that wrote its id into a run's lock is alive; the lock is not touched."""
    try:
        holder = read_file(run / _LOCK, 100, RunError).decode(errors="replace").strip()
    except RunError:
        return False
    return holder.isdecimal() and is_running(int(holder))


def run_recipe(run: Path) -> Recipe:
    """Return the recipe of a run directory, under the name that the run began with."""
    recipe = load(str(run / RECIPE))
    return _with_first_name(recipe, run) if (run / META).exists() else recipe


def _with_first_name(recipe: Recipe, run: Path) -> Recipe:
    return replace(recipe, name=str(read_meta(run).get("recipe", recipe.name)))


def set_iterations(path: Path, iterations: int) -> Recipe:
    """Give a run another number of iterations in all; return its new recipe.

    Settings that depend on the length, such as when the learning rate falls, follow the new
    one from where the run is.
    """
    recipe = run_recipe(path)
    done = len(read_metrics(path))
    if iterations < done:
        raise RunError(
            f"'{path}' has made {done:,} iterations: it cannot end after {iterations:,}."
        )
    changed = recipe.changed({"iterations": iterations})
    with RunDirectory(path, recipe):
        replace_file(path / RECIPE, changed.toml(path))
    return changed


def weights_file(name: str) -> Path:
    """Return the file of weights that a name means: the file itself, or a run's best network."""
    path = Path(name)
    return path / WEIGHTS if os.path.isdir(path) else path  # False for what cannot be a path


def trained_agent(path: Path, recipe: Recipe) -> tuple[str, str]:
    """Return the agent that a run trains, and one to play a match with."""
    if recipe.method == "alphazero":
        return f"net:{path / MODEL},sims=100", quick_agents(recipe.game)[0]
    if recipe.method == "dqn":
        return f"q:{path / MODEL}", recipe.settings.opponent
    return f"tabular:{path}", "optimal"


def _revision() -> str | None:
    """Return the revision of the sources, if the package runs from a checkout."""
    root = Path(halma.__file__).parents[2]
    if not (root / ".git").exists():
        return None
    try:
        found = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None
