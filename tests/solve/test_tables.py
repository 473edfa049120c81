"""Tables on disk: whole or refused, and a solve that was killed goes on."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import halma
from halma.errors import TableError
from halma.solve import solve, solver
from halma.solve.engines import ENGINES, engine_for
from halma.solve.solver import open_table
from halma.solve.tables import ArrayLayout, load_arrays, save_arrays, table_path, tables_folder
from halma.solve.truth import longest_win
from halma.structure import ArrayKind, fields

SMALL = halma.game("ewn-3x3-2")


@pytest.fixture
def path(tmp_path):
    solve(SMALL, tmp_path)
    return table_path(SMALL, tmp_path)


def test_a_table_comes_back(path):
    solution = open_table(path, SMALL)
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
        open_table(path, SMALL)


@pytest.mark.parametrize("length", [0, 7, 20, 100, 1000, 100_000, -1])
def test_a_table_cut_short_is_found(path, length):
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(TableError, match=r"ewn-3x3-2\.table"):
        open_table(path, SMALL)


def test_a_table_with_something_added_is_found(path):
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(TableError, match="its length is not"):
        open_table(path, SMALL)


def test_foreign_tables_are_refused(path, tmp_path, monkeypatch):
    with pytest.raises(TableError, match="its variant is 'ewn-3x3-2', but 'ewn-3x3-3'"):
        open_table(path, halma.game("ewn-3x3-3"))
    other = tmp_path / "readme.table"
    other.write_text("This is not a table, whatever its name says. " * 10)
    with pytest.raises(TableError, match="not an array file of halma"):
        open_table(other, SMALL)
    monkeypatch.setattr("halma.solve.tables.FORMAT", 2)
    with pytest.raises(TableError, match="its format is 1, but 2"):
        open_table(path, SMALL)


def test_a_checkpoint_is_no_solution(tmp_path):
    file = tmp_path / "x.table"
    save_arrays(file, SMALL, "checkpoint", {}, {"values": np.zeros(5)})
    five = ArrayLayout(fields({}), lambda about, names: {"values": ArrayKind("float64", (5,))})
    assert load_arrays(file, SMALL, {"checkpoint": five}).arrays["values"].tolist() == [0] * 5
    with pytest.raises(TableError, match="it is of kind 'checkpoint', not expectimax solution"):
        open_table(file, SMALL)


def test_writing_that_fails_leaves_the_old_table(path, monkeypatch):
    before = path.read_bytes()

    def fail(handle):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        save_arrays(path, SMALL, "expectimax solution", {}, {"values": np.zeros(5)})
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
        open_table(partial, game)
    notes, seen = [], []
    solution = solve(
        game, tmp_path, note=notes.append, progress=lambda done, total: seen.append((done, total))
    )
    assert "Going on from" in notes[0]
    assert 0 < seen[0][0] < seen[-1][0] == seen[-1][1]
    assert solution.verify() == 0
    assert solution.about["positions"] == 3_268_620
    assert final.exists() and not partial.exists()


KILLED = """
import sys
from pathlib import Path
import halma
from halma.solve import solve
solve(
    halma.game("rhombus-5x5-3:hops=mirror"),
    Path(sys.argv[1]),
    checkpoint_seconds=0,
    progress=lambda done, total: print(done, flush=True),
)
"""


def test_a_solve_that_is_killed_again_and_again_gets_there(tmp_path):
    game = halma.game("rhombus-5x5-3:hops=mirror")
    final, partial = table_path(game, tmp_path), table_path(game, tmp_path).with_suffix(".partial")
    rng = random.Random(0)
    layout = {"checkpoint": engine_for(game).layout()}
    reached = 0
    for _ in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE
        )
        begun = int(process.stdout.readline())
        # Nothing that was written down is lost.
        assert begun >= reached
        for _ in range(rng.randrange(4, 12)):
            process.stdout.readline()
        time.sleep(rng.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if final.exists():
            break
        if partial.exists():
            reached = load_arrays(partial, game, layout).about["done"]
    assert reached > 0
    solution = solve(game, tmp_path)
    assert solution.verify() == 0
    assert (solution.about["wins"], solution.about["losses"]) == (2_203_852, 1_298_640)
    assert list(tmp_path.iterdir()) == [final]


@pytest.mark.parametrize(("layer", "write"), [(0.01, 0.02), (0.4, 0.3), (30.0, 20.0)])
def test_little_is_lost_and_little_time_goes_into_checkpoints(monkeypatch, tmp_path, layer, write):
    clock, layers = 0.0, 400
    #: when a layer was done, when it was safe on the disk, and which it was
    finished, safe = [], [(0.0, 0)]
    writing = 0.0

    class Layers(ENGINES[1]):
        total, bytes_needed = layers, 1

        @staticmethod
        def supports(game, pieces):
            return True

        @property
        def finished(self):
            return self.done == layers

        def step(self):
            nonlocal clock
            clock += layer
            self.done += 1
            finished.append(clock)

        def checkpoint(self):
            return {}, {"done": self.done}

        def finish(self):
            raise StopIteration

    def write_down(path, game, kind, about, arrays):
        nonlocal clock, writing
        clock += write
        writing += write
        safe.append((clock, about["done"]))

    monkeypatch.setattr("halma.solve.engines.ENGINES", (Layers,))
    monkeypatch.setattr(solver, "save_arrays", write_down)
    monkeypatch.setattr(solver.time, "perf_counter", lambda: clock)
    with pytest.raises(StopIteration):
        solve(SMALL, tmp_path)
    assert writing <= clock / 10
    promised = max(1.0, 10 * write)
    for killed in np.linspace(0, clock, 2000):
        done = sum(at <= killed for at in finished)
        kept = max(number for at, number in safe if at <= killed)
        # What is lost is the layer in hand, or else what was done in the time promised.
        assert done - kept <= (promised + layer + write) / layer


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
    monkeypatch.setattr(solver, "free_memory", lambda: 1 << 20)
    with pytest.raises(TableError, match=r"but 1\.0 MiB free; the largest variant"):
        solve(halma.game("ewn-3x3-3"), tmp_path)
    monkeypatch.undo()
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    with pytest.raises(TableError, match="only 1000 bytes are free"):
        solve(SMALL, tmp_path)
    assert not list(tmp_path.iterdir())


def test_values_alone(tmp_path, monkeypatch):
    game = halma.game("rhombus-4x4-3")
    full = solve(game, tmp_path / "full")
    solution = solve(game, tmp_path, distances=False)
    assert list(solution.arrays) == ["values"]
    assert np.array_equal(solution.arrays["values"], full.arrays["values"])
    assert table_path(game, tmp_path).stat().st_size < game.core.index_size // 4 + 2000
    assert solution.verify() == 0
    assert solution.about == {**full.about, "seconds": solution.about["seconds"]}
    start = game.start()
    assert (solution.value(start), solution.distance(start), full.distance(start)) == (1.0, 0, 21)
    assert set(full.best_moves(start)) <= set(solution.best_moves(start))
    assert longest_win(full) is not None and longest_win(solution) is None
    with pytest.raises(TableError, match="cannot be left out"):
        solve(SMALL, tmp_path, distances=False)
    # They are left out, too, when the disk has filled up meanwhile.
    notes = []
    room = iter([10**9, 100_000])
    monkeypatch.setattr(solver, "_free_disk", lambda path: next(room))
    short = solve(game, tmp_path / "short", note=notes.append)
    assert list(short.arrays) == ["values"] and "left out" in notes[0]


def test_solutions_on_the_spot_and_from_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))
    assert solver.solution_for(SMALL) is solver.solution_for(SMALL)
    assert not list(tmp_path.iterdir())
    solve(SMALL, tmp_path)
    mapped = solver.solution_for(SMALL)
    assert isinstance(mapped.arrays["values"], np.memmap)
    path = table_path(SMALL)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(TableError, match="its length is not"):
        solver.solution_for(SMALL)
    with pytest.raises(TableError, match="run 'halma solve ewn-3x3-4' first"):
        solver.solution_for(halma.game("ewn-3x3-4"))
    with pytest.raises(TableError, match="no way to solve"):
        solver.solution_for(halma.game("star-121-3p"))
