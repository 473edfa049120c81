"""Files whose checksum is right and whose contents are wrong, and files that are none."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hostile import forger
from hostile.forged_formats import all_formats
from hostile.forged_reading import check_files, watchdog

import halma
from halma.agents import agent
from halma.arena import GameStore
from halma.arena.openings import read_book
from halma.cli.game_files import read_games
from halma.errors import HalmaError, RunError, StoreError, TableError, TensorFileError
from halma.learn import load, read_metrics, train
from halma.learn.replay_buffer import GameFiles
from halma.learn.run import read_meta
from halma.networks import lookup_table
from halma.networks.lookup_table import open_lookup_table
from halma.solve.solver import open_table
from halma.structure import fields, list_of, parse_json, plain, real, text, tuple_of, whole
from halma.tensors import open_tensors

TINY, SMALL = halma.game("ewn-2x2-1"), halma.game("rhombus-3x3-1")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a valid file of every format."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("formats")
    return folder, all_formats(folder)


@pytest.fixture
def folder(made, tmp_path):
    """A copy of that folder."""
    return shutil.copytree(made[0], tmp_path / "copy")


def test_a_few_forged_files_of_every_format(made):
    findings = check_files(made[1], seed=0, number=12)
    assert not findings.failures, "\n".join(findings.failures.values())
    assert findings.files > 6 * len(made[1]) and findings.refused > findings.files / 3


# Run files.

DEEP, HUGE = "[" * 5000 + "]" * 5000, "9" * 5000


LINES = [DEEP, HUGE, "null", "[]", "3", "NaN", '{"iteration": null}', "{}"]


def shortened(value):
    return str(value)[:16]


@pytest.mark.parametrize("line", LINES, ids=shortened)
def test_metrics_of_any_kind(folder, line):
    path = folder / "tabular" / "metrics.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(RunError, match="line 1 is not that of iteration 1"):
        read_metrics(folder / "tabular")


@pytest.mark.parametrize(
    "value", ["NaN", "1e999", '"x"', "[]", "true", "null", "1" * 400], ids=shortened
)
def test_values_of_metrics(folder, value):
    path = folder / "tabular" / "metrics.jsonl"
    first = path.read_text().splitlines()[0]
    path.write_text(first.replace('"seconds": ', f'"seconds": {value}, "rest": ') + "\n")
    with pytest.raises(RunError, match="line 1 "):
        read_metrics(folder / "tabular", "tabular")


@pytest.mark.parametrize("content", [DEEP, HUGE, "null", "[]", '{"format": 2}'], ids=shortened)
def test_meta_of_any_kind(folder, content):
    run = folder / "tabular"
    (run / "meta.json").write_text(content)
    with pytest.raises(RunError, match="is damaged, so"):
        read_meta(run)
    with pytest.raises(RunError, match="is damaged, so"):
        train(load(str(run / "recipe.toml")), run)


@pytest.mark.parametrize(
    "line",
    [
        f"a = {DEEP}",
        f"seed = {HUGE}",
        f"seed = {'9' * 400}",
        f"iterations = {'9' * 400}",
        f"search.c = {'9' * 400}",
        "search.c = nan",
        "a." * 3000 + "a = 1",
        "game = []",
        "method = 1979-05-27",
        "truth.watch = [1]",
    ],
    ids=shortened,
)
def test_recipes_of_any_kind(tmp_path, line):
    path = tmp_path / "recipe.toml"
    path.write_text(f'{line}\nextends = "hsueh2023/ewn-3x3-3"\n')
    with watchdog(2), pytest.raises(HalmaError):
        load(str(path))


# Tables, checkpoints, games.


def forge_header(path, change):
    """Write a table with another header, whose checksum is right."""
    header, arrays = forger.table_parts(path.read_bytes())
    path.write_bytes(forger.table_bytes(header, arrays, change))


@pytest.mark.parametrize("key", ["length", "offset"])
@pytest.mark.parametrize("value", [2**60, -1, None, 0.5, "x", 10**30])
def test_lengths_of_a_table_are_checked_before_they_are_read(folder, key, value):
    path = folder / "ewn-2x2-1.table"

    def change(header):
        header["arrays"][0][key] = value
        return header

    forge_header(path, change)
    with watchdog(2), pytest.raises(TableError, match="is not used: it"):
        open_table(path, TINY)


@pytest.mark.parametrize("key", ["kind", "about", "arrays", "bytes", "format", "index_size"])
def test_a_table_without_a_key(folder, key):
    path = folder / "ewn-2x2-1.table"
    forge_header(path, lambda header: {k: v for k, v in header.items() if k != key})
    with pytest.raises(TableError, match="is not used"):
        open_table(path, TINY)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 1e9])
def test_values_of_a_table_are_chances(folder, value):
    path = folder / "ewn-2x2-1.table"
    header, arrays = forger.table_parts(path.read_bytes())
    arrays["values"][3] = value
    path.write_bytes(forger.table_bytes(header, arrays))
    with pytest.raises(TableError, match="'values' with values"):
        open_table(path, TINY)


def test_states_of_self_play_are_those_of_games(folder):
    """The core trusts states, so those of a file are replayed: any bytes could crash it."""
    run = folder / "network"
    path = run / "games" / "iteration-000001.safetensors"
    description, arrays = forger.tensor_parts(path.read_bytes())
    for name, value in (("states", 255), ("moves", 2**31), ("event_values", 77), ("plies", 5)):
        changed = {key: array.copy() for key, array in arrays.items()}
        changed[name].reshape(-1)[2] = value
        path.write_bytes(forger.tensor_bytes(description, changed))
        with pytest.raises(TensorFileError, match="a game 1 that does not follow the rules"):
            GameFiles(run, SMALL).read(1)


def test_a_shape_of_nothing_is_not_gone_through(tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(forger.tensor_bytes({}, {"x": np.zeros((2**50, 0), np.uint8)}))
    with watchdog(2):
        assert open_tensors(path, {}).shape("x") == (2**50, 0)


def test_an_agent_says_that_it_plays_an_older_checkpoint(folder, capfd):
    run = folder / "tabular"
    newest = run / "checkpoints" / "iteration-000002.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1])
    lookup_table._warn.cache_clear()
    player = agent(f"tabular:{run}")
    for _ in range(2):
        player.check(TINY)
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith("cut short or damaged. The table of iteration 1 is used instead.")


# Databases.


def test_a_store_with_text_that_is_not_unicode(folder):
    path = folder / "games.db"
    for query in (
        "UPDATE game SET end = CAST(x'ff41' AS TEXT)",
        "UPDATE match SET begun = CAST(x'ff41' AS TEXT)",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = CAST(x'ff41' AS TEXT)",
    ):
        with sqlite3.connect(path) as db:
            db.executescript(query)
        db.close()
        with pytest.raises(StoreError), GameStore(path, read_only=True) as store:
            store.matches()


def test_a_store_takes_an_end_that_is_not_unicode(folder):
    plan = halma.arena.make_plan("ewn-2x2-1", ["greedy", "random"])
    with GameStore(folder / "games.db") as store:
        _, played = store.game(1)
        store.add(plan, replace(played, number=4, end="by an error: '\udcff'"))
        assert store.game(5)[1].end == "by an error: '?'"


def test_a_store_runs_no_code(folder):
    path = folder / "games.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER more AFTER INSERT ON game BEGIN DELETE FROM match; END")
    db.close()
    with pytest.raises(StoreError, match="it has a trigger 'more'"):
        GameStore(path)


@pytest.fixture
def logged(folder):
    """A store with games that are in its write-ahead log only, as after a kill."""
    path, kept = folder / "games.db", folder / "kept"
    kept.mkdir()
    with GameStore(path) as store:
        plan = halma.arena.make_plan("ewn-2x2-1", ["greedy", "random"])
        halma.arena.play_matches([plan], 8, store=store)
        for file in folder.glob("games.db*"):
            shutil.copyfile(file, kept / file.name)
    assert (kept / "games.db-wal").stat().st_size
    return kept / "games.db"


@pytest.mark.parametrize("index", [True, False])
def test_reading_leaves_nothing_behind(folder, logged, index):
    if not index:
        logged.with_name("games.db-shm").unlink()
    for path, games in ((folder / "games.db", 8), (logged, 8)):
        before = sorted(path.parent.glob("games.db*"))
        with GameStore(path, read_only=True) as store:
            assert len(list(store.games(1))) == games
        assert sorted(path.parent.glob("games.db*")) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(folder, logged):
    for path in (folder / "games.db", logged):
        path.parent.chmod(0o500)
        try:
            with GameStore(path, read_only=True) as store:
                assert len(list(store.games(1))) == 8
        finally:
            path.parent.chmod(0o700)


READ_ONLY_DISK = """
import ctypes, os, sys
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_BIND, MS_REMOUNT, MS_RDONLY = 0x20000, 4096, 32, 1
MS_REC, MS_PRIVATE = 16384, 1 << 18
place = sys.argv[1].encode()
def must(result):
    if result:
        sys.exit(77)
must(libc.unshare(CLONE_NEWNS))
must(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
must(libc.mount(place, place, None, MS_BIND, None))
must(libc.mount(b"none", place, None, MS_BIND | MS_REMOUNT | MS_RDONLY, None))
from halma.arena import GameStore
with GameStore(Path(sys.argv[1]) / "games.db", read_only=True) as store:
    print(len(list(store.games(1))))
"""


def test_a_read_only_disk(folder, logged):
    for place in (folder, logged.parent):
        command = [sys.executable, "-c", READ_ONLY_DISK, str(place)]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode == 77:
            pytest.skip("no disk can be mounted here")
        assert ran.stdout == "8\n", ran.stderr


# What is not a file.

READERS = {
    "tabular/metrics.jsonl": lambda path: read_metrics(path.parent),
    "tabular/meta.json": lambda path: read_meta(path.parent),
    "tabular/recipe.toml": lambda path: load(str(path)),
    "tabular/checkpoints/iteration-000002.safetensors": lambda path: open_tensors(path, {}),
    "ewn-2x2-1.table": lambda path: open_table(path, TINY),
    "games.db": lambda path: GameStore(path, read_only=True),
    "games.db-wal": lambda path: GameStore(path.with_name("games.db"), read_only=True),
    "games.jsonl": lambda path: [raise_error(one) for one in read_games(path, None, None)],
    "book.txt": lambda path: read_book(path, TINY),
}


def raise_error(one):
    if isinstance(one, HalmaError):
        raise one


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop"])
@pytest.mark.parametrize("name", READERS)
def test_what_is_not_a_file(folder, name, kind):
    path = folder / name
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
        assert stat.S_ISFIFO(path.stat().st_mode)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path.name)
    if kind == "loop" and name in ("tabular/metrics.jsonl", "games.db-wal"):
        return  # the same as no file, of which there may be none
    with watchdog(2), pytest.raises(HalmaError):
        READERS[name](path)


def test_a_pipe_in_place_of_the_newest_checkpoint(folder, capfd):
    path = folder / "tabular" / "checkpoints" / "iteration-000002.safetensors"
    path.unlink()
    os.mkfifo(path)
    with watchdog(2):
        assert open_lookup_table(folder / "tabular", TINY, keep=False).iteration == 1


# The checks themselves.

TOO_DEEP = json.loads("[" * 40 + "]" * 40)


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (whole(0, 9), [0, 9], [-1, 10, True, 1.0, "1", None, 10**400]),
        (real(0, 1), [0, 0.5, 1], [-0.1, 1.1, float("nan"), True, "0", None, 10**400]),
        (real(), [-1e9, 10**20], [float("inf"), float("nan"), 10**400]),
        (text(3), ["", "abc"], ["abcd", "\ud800", 3, None, b"x"]),
        (list_of(whole(), 2), [[1, 2]], [[1], [1, "2"], (1, 2), None]),
        (tuple_of(whole(), text()), [[1, "x"]], [["x", 1], [1], 1]),
        (fields({"a": whole()}, {"b": text()}), [{"a": 1}, {"a": 1, "b": "", "c": []}],
         [{}, {"a": "1"}, {"a": 1, "b": 2}, {"a": 1, "c": 10**30}, [], None]),
        (plain, [[{"a": 2**64 - 1}], None], [2**64, {"a": "\udfff"}, TOO_DEEP]),
    ],
)  # fmt: skip
def test_checks(check, right, wrong):
    assert [check(value) for value in right] == [""] * len(right)
    assert all(check(value) for value in wrong)


def test_json_that_is_too_deep():
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json("[" * 100_000)
