"""A learnt table as it can be asked: what a checkpoint of a tabular run knows of a position."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from halma.errors import RunError, TableError
from halma.games import Game, Position
from halma.learn.checkpoint import list_checkpoints
from halma.storage import ArrayFile, load_arrays

#: What checkpoints of tabular runs say they are.
KIND = "lookup table"


class LookupTable:
    """Policies and values of all positions that can be reached, mapped from a file."""

    def __init__(self, game: Game, table: ArrayFile) -> None:
        self.game = game
        self.path = table.path
        self.iteration = int(table.about["iteration"])
        #: the game's own index of each row, in order
        self.indices: npt.NDArray[np.uint64] = table.arrays["indices"]
        #: how often each row was updated
        self.updates: npt.NDArray[np.uint32] = table.arrays["updates"]
        #: [row, 0] is the logit of the value, [row, 1 + action] one of the policy
        self._table: np.memmap[Any, np.dtype[np.float32]] = table.arrays["table"]  # type: ignore[assignment]
        self._entries = self._table.reshape(len(self.indices), game.actions + 1)

    def policy(self, position: Position) -> npt.NDArray[np.float64]:
        """Return a probability for each of the legal moves, in their order."""
        logits = self._entry(position)[1:]
        core, state = self.game.core, position.state
        chosen = logits[[core.action(state, move) for move in core.legal(state)]]
        weights = np.exp((chosen - chosen.max()).astype(np.float64))
        policy: npt.NDArray[np.float64] = weights / weights.sum()
        return policy

    def value(self, position: Position) -> float:
        """Return the value for the player to move, between 0 and 1."""
        return float(_sigmoid(self._entry(position)[:1])[0])

    def values(self, first: int, last: int) -> npt.NDArray[np.float64]:
        """Return the values of the rows from first to before last, each for its player to move."""
        # Mapped for the moment: going through all of a large table must not fill the memory.
        width = self._entries.shape[1]
        part = np.memmap(
            self.path,
            dtype=self._table.dtype,
            mode="r",
            offset=self._table.offset + first * width * self._table.itemsize,
            shape=(last - first, width),
        )
        return _sigmoid(part[:, 0])

    def _entry(self, position: Position) -> npt.NDArray[np.float32]:
        index = self.game.core.index(position.state)
        row = int(np.searchsorted(self.indices, np.uint64(index)))
        if row == len(self.indices) or self.indices[row] != index:
            raise RunError(
                f"No game of '{self.game.name}' gets to {position.text!r}, so nothing was learnt "
                "about it."
            )
        entry: npt.NDArray[np.float32] = self._entries[row]
        return entry


def open_lookup_table(path: Path, game: Game, keep: bool = True) -> LookupTable:
    """Return what a run has learnt, by its newest checkpoint that is whole, or a checkpoint.

    With `keep` it stays open, so that asking again costs nothing; but as long as it is open,
    a large file takes its place on the disk, even if the run has removed it meanwhile.
    """
    if path.is_file():
        files = [path]
    else:
        files = [file for _, file in list_checkpoints(path / "checkpoints")]
        if not files:
            raise RunError(f"There is no run with a checkpoint in '{path}'.")
    fault: TableError | None = None
    for file in files:
        try:
            if not keep:
                return LookupTable(game, load_arrays(file, game, KIND))
            return _opened(file, file.stat().st_mtime_ns, game)
        except TableError as error:
            fault = fault or error
    assert fault is not None
    raise fault


@lru_cache(maxsize=8)
def _opened(path: Path, changed: int, game: Game) -> LookupTable:
    return LookupTable(game, load_arrays(path, game, KIND))


def _sigmoid(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    values: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-logits.astype(np.float64)))
    return values
