"""Solved tables on disk: where they are, and opening them."""

from __future__ import annotations

import os
from pathlib import Path

from halma.errors import TableError
from halma.games import Game
from halma.solve.engines import ENGINES
from halma.solve.solution import Solution
from halma.storage import SUFFIX, load_arrays


def tables_folder() -> Path:
    """Return the folder of tables: `$HALMA_TABLES`, or `tables` in the current directory."""
    return Path(os.environ.get("HALMA_TABLES") or "tables")


def table_path(game: Game, folder: Path | None = None, pieces: int | None = None) -> Path:
    """Return the file of a variant's table, or of its endgame tables up to `pieces` pieces."""
    # Some systems forbid a colon in a file's name.
    name = game.name.replace(":", ",")
    part = "" if pieces is None else f",pieces={pieces}"
    return (folder or tables_folder()) / f"{name}{part}{SUFFIX}"


def open_table(path: Path, game: Game) -> Solution:
    """Return the solution in a file, memory-mapped; `TableError` if it is not of this game."""
    solutions = {engine.solution.kind: engine.solution for engine in ENGINES}
    file = load_arrays(path, game)
    if file.kind not in solutions:
        raise TableError(f"'{path}' is not used: it is a {file.kind}, not a solution.")
    return solutions[file.kind](game, file.arrays, file.about)
