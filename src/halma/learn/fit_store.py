"""Positions of a fit on disk, so that one that was interrupted goes on where it stopped.

Games do not depend on threads or on how a fit was divided, so a fit that goes on ends with the same
evaluator as one that was not interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halma import _core
from halma.errors import HalmaError, TensorFileError
from halma.files import make_folder, remove_folder
from halma.games import Game
from halma.structure import ArrayKind, fields, plain, text, whole
from halma.tensors import SUFFIX, open_tensors, write_tensors

if TYPE_CHECKING:
    from halma.tensors import Arrays

_FORMAT = 1
_KIND = "positions-of-fit"
_STRUCTURE = fields({"game": text(500), "version": whole(0, 1 << 20), "options": plain})


class FitStore:
    """Portions of positions in a folder beside the evaluator, removed when the fit is done."""

    def __init__(self, out: Path, game: Game, options: Mapping[str, Any]) -> None:
        self.folder = out.with_name(f"{out.name}.games")
        self._game = game
        self._about = {
            "game": game.identity,
            "version": game.core.version,
            "options": dict(options),
        }

    def load(self, round_number: int, first: int) -> Arrays | None:
        """Return the arrays of the portion that begins with a game, or None if there is none."""
        path = self._path(round_number, first)
        if not path.exists():
            return None
        try:
            file = open_tensors(
                path, {"kind": _KIND, "format": _FORMAT}, _STRUCTURE, lambda _: self._kinds()
            )
        except TensorFileError as error:
            raise HalmaError(f"{error} Remove '{self.folder}' to begin anew.") from None
        if {key: file.description[key] for key in self._about} != self._about:
            raise HalmaError(
                f"'{self.folder}' has the games of a fit with other options: repeat those, or "
                "remove it to begin anew."
            )
        return file.arrays()

    def save(self, round_number: int, first: int, arrays: Arrays) -> None:
        """Keep a portion: its inputs, targets, and the first player's result of each game."""
        make_folder(self.folder)
        about = {"kind": _KIND, "format": _FORMAT, **self._about}
        write_tensors(self._path(round_number, first), arrays, about)

    def remove(self) -> None:
        """Remove the portions."""
        remove_folder(self.folder)

    def _path(self, round_number: int, first: int) -> Path:
        return self.folder / f"round-{round_number}-game-{first}{SUFFIX}"

    def _kinds(self) -> dict[str, ArrayKind]:
        count, most = _core.input_count(self._game.core), _core.max_inputs(self._game.core)
        return {
            "inputs": ArrayKind("uint16", ("positions", most), 0, count),
            "targets": ArrayKind("float32", ("positions",), 0, 1),
            "results": ArrayKind("float32", ("games",), 0, 1),
        }
