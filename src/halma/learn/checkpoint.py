"""Checkpoints of a run: a safetensors file each, the newest few kept, and when to write one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halma.errors import RunError, TensorFileError
from halma.files import remove_file
from halma.games import Game
from halma.learn.sections.common import CheckpointSettings
from halma.structure import ArrayKind, Check, fields, real, whole
from halma.tensors import TensorFile, iteration_file, list_iterations, open_tensors, write_tensors

if TYPE_CHECKING:
    from halma.tensors import Arrays

#: Prefix of the arrays that an optimiser remembers. A run goes on without them.
OPTIMISER = "optimiser."


def identity(game: Game, kind: str) -> dict[str, Any]:
    """Return the part of a file's description that must agree for a run to read the file."""
    return {"kind": kind, "game": game.identity, "rules_version": game.core.version}


class Checkpoints:
    """The checkpoints of one run; `kind` tells those of one method from another's."""

    def __init__(self, folder: Path, game: Game, kind: str, settings: CheckpointSettings) -> None:
        self.folder = folder
        self._identity = identity(game, kind)
        self._settings = settings
        self._saved_at = time.monotonic()
        #: seconds that the last one took to write
        self.last_cost = 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is time to write one."""
        since = time.monotonic() - self._saved_at
        return since >= min(self._settings.seconds, self.last_cost / self._settings.share)

    def save(self, iteration: int, description: Mapping[str, Any], arrays: Arrays) -> Path:
        """Write a checkpoint atomically, then remove those that are too old."""
        began = time.monotonic()
        path = iteration_file(self.folder, iteration)
        write_tensors(path, arrays, {**self._identity, **description, "iteration": iteration})
        self.remove_old()
        self._saved_at = time.monotonic()
        self.last_cost = self._saved_at - began
        return path

    def remove_old(self) -> None:
        """Remove the oldest beyond `checkpoints.keep`, but not the newest."""
        self._keep_newest(max(self._settings.keep, 1))

    def finish(self) -> None:
        """Remove the checkpoints that a finished run does not keep."""
        self._keep_newest(self._settings.keep)

    def _keep_newest(self, number: int) -> None:
        for _, old in list_iterations(self.folder)[number:]:
            remove_file(old)

    def newest(
        self,
        note: Callable[[str], None],
        structure: Mapping[str, Check],
        arrays: Callable[[TensorFile], Mapping[str, ArrayKind]],
    ) -> TensorFile | None:
        """Return the newest undamaged checkpoint; damaged ones are removed with a note.

        `structure` and `arrays` say what the method keeps in description and arrays.
        """
        damaged: list[tuple[Path, str]] = []
        whole_structure = fields({"iteration": whole(1), "seconds": real(0), **structure})
        for iteration, path in list_iterations(self.folder):
            expected = {**self._identity, "iteration": iteration}
            try:
                found = open_tensors(path, expected, whole_structure, arrays)
            except TensorFileError as error:
                damaged.append((path, str(error)))
                continue
            for path, fault in damaged:
                note(f"{fault} Going back to iteration {found.description['iteration']}.")
                remove_file(path)
            return found
        if damaged:
            raise RunError(
                f"{damaged[0][1]} There is no other checkpoint in '{self.folder}' to go back to: "
                "remove the run's directory to begin again."
            )
        return None
