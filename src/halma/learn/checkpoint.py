"""Checkpoints of a run: arrays with checksums, the newest few of them, and when to take one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from halma.errors import RunError, TableError
from halma.games import Game
from halma.learn.sections import CheckpointSettings
from halma.storage import SUFFIX, ArrayFile, Arrays, load_arrays, save_arrays

_PREFIX = "iteration-"


class Checkpoints:
    """The checkpoints of one run; `kind` is what their files say they are."""

    def __init__(self, folder: Path, game: Game, kind: str, settings: CheckpointSettings) -> None:
        self.folder = folder
        self.game = game
        self.kind = kind
        self._settings = settings
        self._saved_at = time.monotonic()
        self._cost = 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is time for another one."""
        since = time.monotonic() - self._saved_at
        return since >= min(self._settings.seconds, self._cost / self._settings.share)

    def save(self, iteration: int, about: Mapping[str, Any], arrays: Arrays) -> Path:
        """Write a checkpoint, then remove those that are too many; either all of it or nothing."""
        began = time.monotonic()
        path = self.folder / f"{_PREFIX}{iteration:06}{SUFFIX}"
        save_arrays(path, self.game, self.kind, {**about, "iteration": iteration}, arrays)
        self._keep_newest(max(self._settings.keep, 1))
        self._saved_at = time.monotonic()
        self._cost = self._saved_at - began
        return path

    def finish(self) -> None:
        """Remove what nobody wants once the run is at its end."""
        self._keep_newest(self._settings.keep)

    def _keep_newest(self, number: int) -> None:
        for _, old in list_checkpoints(self.folder)[number:]:
            old.unlink(missing_ok=True)

    @property
    def last_cost(self) -> float:
        """Seconds that the last one took."""
        return self._cost

    def newest(self, note: Callable[[str], None]) -> ArrayFile | None:
        """Return the newest checkpoint that is whole; one that is not is removed with a note."""
        found = list_checkpoints(self.folder)
        faults: list[str] = []
        damaged: list[Path] = []
        for _, path in found:
            try:
                table = load_arrays(path, self.game, self.kind)
            except TableError as error:
                faults.append(str(error))
                damaged.append(path)
                continue
            for path, fault in zip(damaged, faults, strict=True):
                note(f"{fault} Going back to iteration {table.about['iteration']}.")
                path.unlink()
            return table
        if faults:
            raise RunError(
                f"{faults[0]} There is no other checkpoint in '{self.folder}' to go back to: "
                "remove the run's directory to begin again."
            )
        return None


def list_checkpoints(folder: Path) -> list[tuple[int, Path]]:
    """Return iterations and files of checkpoints, newest first; they may be damaged."""
    found = []
    for path in folder.glob(f"{_PREFIX}*{SUFFIX}"):
        digits = path.name.removeprefix(_PREFIX).removesuffix(SUFFIX)
        if digits.isdigit():
            found.append((int(digits), path))
    return sorted(found, reverse=True)
