"""Solving a variant: planned, layer by layer with checkpoints, into a table on disk."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice, product
from pathlib import Path

from halma.errors import HalmaError, TableError
from halma.files import remove_file
from halma.games import Game, families
from halma.games import game as game_named
from halma.machine import free_memory, in_bytes
from halma.solve.engines import ENGINES, Engine, engine_for
from halma.solve.solution import MAX_PIECES, Progress, Solution
from halma.solve.tables import LazyArray, load_arrays, save_arrays, table_path

#: Variants that need at most this much memory are solved in memory when there is no table; it
#: takes a second or two.
SMALL = 24 << 20
#: Least seconds between checkpoints. They are also at least ten times as far apart as one takes
#: to write, so that no more than a tenth of the time is spent on them.
CHECKPOINT_SECONDS = 1.0
_CHECKPOINT = "checkpoint"
#: Names of smaller variants tried at most; each is built to see its size.
_MAX_NAMES = 1500


def plan(game: Game, memory: int, threads: int = 2, pieces: int | None = None) -> Engine:
    """Return the solver to use, or raise the `TableError` that says why it is impossible."""
    engine = engine_for(game, threads, pieces)
    if engine is None:
        reason = f"it has {game.players} players" if game.players != 2 else "it has no index"
        if game.players == 2 and game.core.index_size:
            reason = f"its index has {game.core.index_size:,} entries"
        raise TableError(
            f"'{game.name}' cannot be solved, as {reason}{largest_that_fits(game, memory)}."
        )
    needed = engine.bytes_needed
    free = free_memory() or memory
    if needed > min(memory, free):
        limit = f"{in_bytes(memory)} are allowed" if memory <= free else f"{in_bytes(free)} free"
        raise TableError(
            f"'{game.name}' has {engine.entries:,} positions and needs {in_bytes(needed)} "
            f"({needed:,} bytes), but {limit}{largest_that_fits(game, min(memory, free))}."
        )
    return engine


def solve(
    game: Game,
    folder: Path | None = None,
    memory: int = 8 << 30,
    threads: int = 2,
    progress: Progress = lambda done, total: None,
    note: Callable[[str], None] = lambda text: None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    keep: bool = True,
    pieces: int | None = None,
    distances: bool = True,
) -> Solution:
    """Solve a variant and write its table, continuing from a checkpoint if there is one.

    With `keep` false nothing is read from disk or written to it. With `pieces` only endgames of
    up to that many pieces are solved. With `distances` false the table of a game without chance
    holds values only, two bits a position.
    """
    engine = plan(game, memory, threads, pieces)
    if not distances and not engine.distances_optional:
        raise TableError(f"Distances cannot be left out of the table of '{game.name}'.")
    path = table_path(game, folder, pieces)
    if keep:
        _check_disk(path, engine.bytes_on_disk, game)
    partial = _checkpoint_of(path)
    seconds = _run(engine, partial if keep else None, checkpoint_seconds, progress, note)
    started = time.perf_counter()
    arrays, statistics = engine.finish()
    about = {"variant": game.name, "kind": engine.solution.kind, **statistics}
    about["index_size"] = game.core.index_size
    about["bytes"] = engine.bytes_needed
    about["seconds"] = seconds + time.perf_counter() - started
    if distances and keep and engine.distances_optional:
        needed, free = sum(array.nbytes for array in arrays.values()), _free_disk(path)
        distances = needed <= free
        if not distances:
            note(f"Distances are left out: {needed:,} bytes are needed, but {free:,} are free.")
    if not distances:
        arrays = {name: array for name, array in arrays.items() if name != "distances"}
    if not keep:
        computed = {k: a.array() if isinstance(a, LazyArray) else a for k, a in arrays.items()}
        return engine.solution(game, computed, about)
    save_arrays(path, game, engine.solution.kind, about, arrays)
    remove_file(partial)
    del engine, arrays  # frees their memory before the table is mapped
    return open_table(path, game)


def _checkpoint_of(table: Path) -> Path:
    return table.with_suffix(".partial")


def _run(
    engine: Engine,
    partial: Path | None,
    checkpoint_seconds: float,
    progress: Progress,
    note: Callable[[str], None],
) -> float:
    """Solve step by step with checkpoints in `partial`; return the seconds taken in all."""
    before = 0.0 if partial is None else _resume(engine, partial, note)
    started = saved = time.perf_counter()
    wait = checkpoint_seconds
    progress(engine.done, engine.total)
    while not engine.finished:
        try:
            engine.step()
        except ValueError as error:
            raise TableError(f"'{engine.game.name}' cannot be solved: {error}") from None
        progress(engine.done, engine.total)
        now = time.perf_counter()
        if partial is not None and not engine.finished and now - saved >= wait:
            arrays, about = engine.checkpoint()
            about["seconds"] = before + now - started
            save_arrays(partial, engine.game, _CHECKPOINT, about, arrays)
            saved = time.perf_counter()
            wait = max(checkpoint_seconds, 10 * (saved - now))
    return before + time.perf_counter() - started


def _resume(engine: Engine, partial: Path, note: Callable[[str], None]) -> float:
    """Continue from a checkpoint where there is one; return the seconds spent before it."""
    if not partial.exists():
        return 0.0
    try:
        found = load_arrays(partial, engine.game, {_CHECKPOINT: engine.layout()})
    except TableError as error:
        note(f"{error} Starting anew.")
        return 0.0
    try:
        engine.resume(found.arrays, found.about)
    except ValueError:
        note(f"'{partial}' is not used: it is from another version of halma. Starting anew.")
        return 0.0
    note(f"Going on from '{partial}': {engine.done:,} of {engine.total:,} positions are solved.")
    return float(found.about["seconds"])


# Getting a solution: from a table, or solved in memory if that is quick.


def solution_for(game: Game, pieces: int | None = None) -> Solution:
    """Return a solution from the folder of tables, or solve a small variant in memory.

    With `pieces`, these are endgame tables of up to that many pieces.
    """
    path = table_path(game, pieces=pieces)
    return solution_in(path, game) if path.exists() else _solve_in_memory(game, pieces)


def is_at_hand(game: Game) -> bool:
    """Whether `solution_for` has a solution without much work."""
    engine = engine_for(game)
    return table_path(game).exists() or (engine is not None and engine.bytes_needed <= SMALL)


def endgames_at_hand(game: Game, left: int) -> int:
    """Return the most pieces of endgame tables that can be probed without much work, or 0.

    Those are tables on disk and, once no more than twice as many pieces are `left` on the
    board, tables that are solved in memory.
    """
    for pieces in range(MAX_PIECES, 1, -1):
        if table_path(game, pieces=pieces).exists():
            return pieces
        engine = engine_for(game, pieces=pieces) if left <= 2 * pieces else None
        if engine is not None and engine.bytes_needed <= SMALL:
            return pieces
    return 0


def solution_in(path: Path, game: Game) -> Solution:
    """Return the solution in a file; it is checked once, and again after a change."""
    return _opened(path, path.stat().st_mtime_ns, game)


def finished_table(path: Path, game: Game) -> Solution:
    """Open a table, and remove the checkpoint of the process that was killed once it was there."""
    partial = _checkpoint_of(path)
    if partial.exists() and partial.stat().st_mtime_ns <= path.stat().st_mtime_ns:
        remove_file(partial)
    return open_table(path, game)


def open_table(path: Path, game: Game) -> Solution:
    """Return the solution in a file, memory-mapped; `TableError` if it is not of this game."""
    solutions = {
        engine.solution.kind: engine.solution
        for engine in ENGINES
        if engine.supports(game, None) or engine.supports(game, MAX_PIECES)
    }
    file = load_arrays(path, game, {k: solution.layout(game) for k, solution in solutions.items()})
    return solutions[file.kind](game, file.arrays, file.about)


@lru_cache(maxsize=8)
def _opened(path: Path, changed: int, game: Game) -> Solution:
    return open_table(path, game)


@lru_cache(maxsize=8)
def _solve_in_memory(game: Game, pieces: int | None = None) -> Solution:
    engine = engine_for(game, pieces=pieces)
    if engine is None and pieces is None:
        raise TableError(f"'{game.name}' is not solved, and there is no way to solve it.")
    if engine is None:
        raise TableError(f"'{game.name}' has no endgame tables.")
    if engine.bytes_needed > SMALL:
        which = f"'{game.name}'" + ("" if pieces is None else f" with {pieces} pieces")
        more = "" if pieces is None else f" --pieces {pieces}"
        raise TableError(
            f"There is no '{table_path(game, pieces=pieces)}', and {which} is too large to be "
            f"solved now: run 'halma solve {game.name}{more}' first."
        )
    return solve(game, keep=False, pieces=pieces)


# Memory and disk.


def _free_disk(path: Path) -> int:
    """Return the free bytes of the disk a file will be on."""
    folder = path.parent.absolute()
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _check_disk(path: Path, needed: int, game: Game) -> None:
    """Raise a `TableError` before the work if its result would not fit on disk."""
    free = _free_disk(path)
    if needed > free:
        raise TableError(
            f"'{game.name}' has {game.core.index_size:,} positions; its table and a checkpoint "
            f"need {in_bytes(needed)} ({needed:,} bytes) in '{path.parent}', "
            f"but only {in_bytes(free)} are free{largest_that_fits(game, free // 2)}."
        )


def largest_that_fits(asked: Game, memory: int) -> str:
    """Return a clause that names the largest smaller variant that fits, or an empty string."""
    best, size = None, 0
    for variant in _smaller_variants(asked):
        if variant.core.index_size <= size or variant == asked:
            continue
        engine = engine_for(variant, threads=1)
        if engine is not None and engine.bytes_needed <= memory:
            best, size = variant, variant.core.index_size
    if best is None:
        return ""
    return f"; the largest variant that fits is '{best.name}' with {size:,} positions"


def _smaller_variants(asked: Game) -> Iterator[Game]:
    """Yield variants whose name has smaller numbers, and the well-known ones of the family."""
    bare, colon, options = asked.name.partition(":")
    parts = re.split(r"(\d+)", bare)
    smaller = product(*(range(int(number), 0, -1) for number in parts[1::2]))
    names = []
    for chosen in islice(smaller, _MAX_NAMES):
        parts[1::2] = map(str, chosen)
        names.append("".join(parts))
    for family in families():
        if family.title == asked.title:
            names += family.variants
    for name in dict.fromkeys(names):
        try:
            yield game_named(f"{name}{colon}{options}")
        except HalmaError:
            continue
