"""Tables on disk: whole or refused, and a solve that was killed goes on."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import halma
from halma.errors import TableError
from halma.solve import solve, solver
from halma.solve.table import load, save, table_path, tables_folder

SMALL = halma.game("ewn-3x3-2")


@pytest.fixture
def path(tmp_path):
    solve(SMALL, tmp_path)
    return table_path(SMALL, tmp_path)


def test_a_table_comes_back(path):
    solution = solver.open_table(path, SMALL)
    fresh = solve(SMALL, keep=False)
    assert isinstance(solution.arrays["values"], np.memmap)
    for name, array in fresh.arrays.items():
        assert np.array_equal(array, solution.arrays[name])
    assert solution.about["positions"] == fresh.about["positions"]
    assert solution.verify() == 0
    # Nothing but the table is left behind.
    assert [file.name for file in path.parent.iterdir()] == ["ewn-3x3-2.table"]


@pytest.mark.parametrize("where", [0, 5, 9, 20, 60, 500, 5_000, -1])
def test_a_damaged_byte_is_found(path, where):
    data = bytearray(path.read_bytes())
    data[where] ^= 0x10
    path.write_bytes(data)
    with pytest.raises(TableError, match=r"ewn-3x3-2\.table"):
        solver.open_table(path, SMALL)


@pytest.mark.parametrize("length", [0, 7, 20, 100, 1000, 100_000, -1])
def test_a_table_cut_short_is_found(path, length):
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(TableError, match=r"ewn-3x3-2\.table"):
        solver.open_table(path, SMALL)


def test_a_table_with_something_added_is_found(path):
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(TableError, match="cut short or has something added"):
        solver.open_table(path, SMALL)


def test_foreign_tables_are_refused(path, tmp_path, monkeypatch):
    with pytest.raises(TableError, match="its variant is 'ewn-3x3-2', but 'ewn-3x3-3'"):
        solver.open_table(path, halma.game("ewn-3x3-3"))
    other = tmp_path / "readme.table"
    other.write_text("This is not a table, whatever its name says. " * 10)
    with pytest.raises(TableError, match="not a table of halma"):
        solver.open_table(other, SMALL)
    monkeypatch.setattr("halma.solve.table.FORMAT", 2)
    with pytest.raises(TableError, match="its format is 1, but 2"):
        solver.open_table(path, SMALL)


def test_a_checkpoint_is_no_solution(tmp_path):
    file = tmp_path / "x.table"
    save(file, SMALL, "checkpoint", {}, {"values": np.zeros(5)})
    assert load(file, SMALL).arrays["values"].tolist() == [0] * 5
    with pytest.raises(TableError, match="it is a checkpoint, not a solution"):
        solver.open_table(file, SMALL)


def test_writing_that_fails_leaves_the_old_table(path, monkeypatch):
    before = path.read_bytes()

    def fail(handle):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        save(path, SMALL, "solution by stages", {}, {"values": np.zeros(5)})
    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 1


def test_leftovers_of_killed_writers_go(path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead = path.with_name(f"{path.name}.{ended.pid}.tmp")
    living = path.with_name(f"{path.name}.{os.getppid()}.tmp")
    for file in (dead, living):
        file.write_bytes(b"half a table")
    solve(SMALL, path.parent)
    assert not dead.exists()
    assert living.exists()


SCRIPT = """
import sys
from pathlib import Path
import halma
from halma.solve import solve
solve(halma.game("ewn-3x4-3"), Path(sys.argv[1]), checkpoint_seconds=0)
"""


def test_a_solve_that_is_killed_goes_on(tmp_path):
    game = halma.game("ewn-3x4-3")
    final, partial = table_path(game, tmp_path), tmp_path / "ewn-3x4-3.partial"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)])
    try:
        patience = time.monotonic() + 60
        while not partial.exists() and time.monotonic() < patience:
            time.sleep(0.002)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert partial.exists()
    assert not final.exists()
    with pytest.raises(TableError, match="checkpoint"):
        solver.open_table(partial, game)
    notes, seen = [], []
    solution = solve(
        game, tmp_path, note=notes.append, progress=lambda done, total: seen.append((done, total))
    )
    assert "Going on from" in notes[0]
    assert 0 < seen[0][0] < seen[-1][0] == seen[-1][1]
    assert solution.verify() == 0
    assert solution.about["positions"] == 3_268_620
    assert final.exists() and not partial.exists()


def test_a_damaged_checkpoint_is_not_used(tmp_path):
    partial = tmp_path / "ewn-3x3-2.partial"
    partial.write_bytes(b"halmatbl and so on, but not quite")
    notes = []
    solution = solve(SMALL, tmp_path, note=notes.append)
    assert "is not used" in notes[0] and "anew" in notes[0]
    assert solution.verify() == 0
    assert not partial.exists()


def test_where_tables_are_kept(tmp_path, monkeypatch):
    monkeypatch.delenv("HALMA_TABLES", raising=False)
    assert str(tables_folder()) == "tables"
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))
    assert tables_folder() == tmp_path
    named = halma.game("cdc-2x4-PPPP:draw=none")
    assert table_path(named).name == "cdc-2x4-PPPP,draw=none.table"


def test_too_little_memory_and_disk(tmp_path, monkeypatch):
    with pytest.raises(
        TableError, match=r"has 614,009,864 positions and needs 5\.2 GiB .* 'ewn-3x"
    ):
        solve(halma.game("ewn-3x4-4"), tmp_path, memory=1 << 30)
    monkeypatch.setattr(solver, "_free_memory", lambda: 1 << 20)
    with pytest.raises(TableError, match=r"but 1\.0 MiB free; the largest relative"):
        solve(halma.game("ewn-3x3-3"), tmp_path)
    monkeypatch.undo()
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    with pytest.raises(TableError, match="only 1000 bytes are free"):
        solve(SMALL, tmp_path)
    assert not list(tmp_path.iterdir())


def test_solutions_on_the_spot_and_from_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))
    assert solver.solution_for(SMALL) is solver.solution_for(SMALL)
    assert not list(tmp_path.iterdir())
    solve(SMALL, tmp_path)
    mapped = solver.solution_for(SMALL)
    assert isinstance(mapped.arrays["values"], np.memmap)
    path = table_path(SMALL)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(TableError, match="cut short"):
        solver.solution_for(SMALL)
    with pytest.raises(TableError, match="run 'halma solve ewn-3x3-4' first"):
        solver.solution_for(halma.game("ewn-3x3-4"))
    with pytest.raises(TableError, match="no way to solve"):
        solver.solution_for(halma.game("star-121-3p"))
