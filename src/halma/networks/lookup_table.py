"""The result of tabular training, read from a checkpoint."""

from __future__ import annotations

import sys
from bisect import bisect_left
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from halma.errors import RunError, TensorFileError
from halma.games import Game, Position
from halma.structure import ArrayKind, fields, real, whole
from halma.tensors import TensorFile, list_iterations, open_tensors

#: What checkpoints of tabular runs are called.
KIND = "lookup table"
_STRUCTURE = fields({"iteration": whole(1), "seconds": real(0)})


class LookupTable:
    """Policies and values of all reachable positions, read from the file row by row."""

    def __init__(self, game: Game, file: TensorFile) -> None:
        self.game = game
        self.path = file.path
        self.iteration = file.description["iteration"]
        self._file = file
        (self._rows,) = file.shape("indices")

    def __len__(self) -> int:
        """Return the number of positions."""
        return self._rows

    def policy(self, position: Position) -> npt.NDArray[np.float64]:
        """Return a probability for each of the legal moves, in their order."""
        logits = self._entry(position)[1:]
        core, state = self.game.core, position.state
        chosen = logits[[core.action(state, move) for move in core.legal(state)]]
        return softmax(chosen)

    def value(self, position: Position) -> float:
        """Return the value for the player to move, between 0 and 1."""
        return float(sigmoid(self._entry(position)[:1])[0])

    def values(self, first: int, last: int) -> npt.NDArray[np.float64]:
        """Return the values of the rows from `first` to before `last`, for the player to move."""
        return sigmoid(self._file.rows("table", first, last)[:, 0])

    def indices(self, first: int, last: int) -> npt.NDArray[np.uint64]:
        """Return the game's own index of the position in each of some rows; they ascend."""
        return self._file.rows("indices", first, last)

    def updates(self, first: int, last: int) -> npt.NDArray[np.uint32]:
        """Return how often each of some rows was updated."""
        return self._file.rows("updates", first, last)

    def _entry(self, position: Position) -> npt.NDArray[np.float32]:
        """Return a position's row: the logit of its value, then those of its policy."""
        index = self.game.core.index(position.state)
        row = bisect_left(range(self._rows), index, key=self._index)
        if row == self._rows or self._index(row) != index:
            raise RunError(
                f"No game of '{self.game.name}' reaches {position.text!r}, so the table has no "
                "entry for it."
            )
        entry: npt.NDArray[np.float32] = self._file.rows("table", row, row + 1)[0]
        return entry

    def _index(self, row: int) -> int:
        return int(self.indices(row, row + 1)[0])


def table_arrays(game: Game) -> dict[str, ArrayKind]:
    """Return what the arrays of a checkpoint must be."""
    return {
        "indices": ArrayKind("uint64", ("positions",), 0, game.core.index_size - 1),
        "table": ArrayKind("float32", ("positions", 1 + game.actions)),
        "updates": ArrayKind("uint32", ("positions",)),
        "recent": ArrayKind("uint8", ("bytes",)),
    }


def open_lookup_table(path: Path, game: Game, keep: bool = True) -> LookupTable:
    """Open a checkpoint, or the newest undamaged one of a run directory.

    A note on standard error says where that is not the newest.

    With `keep` the file stays open, so that opening it again costs nothing; but an open file
    keeps its place on the disk, even if the run has removed it meanwhile.
    """
    if path.is_file():
        files = [path]
    else:
        files = [file for _, file in list_iterations(path / "checkpoints")]
        if not files:
            raise RunError(f"There is no run with a checkpoint in '{path}'.")
    opened = _open if keep else _open.__wrapped__
    faults: list[TensorFileError] = []
    for file in files:
        try:
            found = opened(file, file.stat().st_mtime_ns, game)
        except TensorFileError as error:
            faults.append(error)
            continue
        for fault in faults:
            _warn(f"{fault} The table of iteration {found.iteration} is used instead.")
        return found
    raise faults[0]


@cache
def _warn(sentence: str) -> None:
    """Print a line on standard error, once: an agent opens its table for every move."""
    print(sentence, file=sys.stderr, flush=True)


@lru_cache(maxsize=8)
def _open(path: Path, changed: int, game: Game) -> LookupTable:
    expected = {"kind": KIND, "game": game.identity, "rules_version": game.core.version}
    return LookupTable(
        game, open_tensors(path, expected, _STRUCTURE, lambda file: table_arrays(game))
    )


def sigmoid(logits: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the values of value logits, in double precision."""
    with np.errstate(over="ignore"):  # the value of a logit far below zero is 0
        values: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-logits.astype(np.float64)))
    return values


def softmax(logits: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the policy of logits (..., actions), in double precision."""
    exact = logits.astype(np.float64)
    weights = np.exp(exact - exact.max(axis=-1, keepdims=True))
    policy: npt.NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
    return policy
