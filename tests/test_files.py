"""Atomic writes, their failpoints, and what a full disk leaves."""

import errno
import os
import subprocess
import sys

import pytest

from halma import files
from halma.files import (
    TEMPORARY,
    atomic_folder,
    atomic_write,
    flush_to_disk,
    open_to_append,
    remove_file,
    remove_temporary_files,
    replace_file,
    take_lock,
)


@pytest.fixture
def places(monkeypatch):
    """The failpoints that are passed, with their files."""
    found = []
    monkeypatch.setattr(files, "on_failpoint", lambda place, path: found.append((place, path.name)))
    return found


def fail_at(monkeypatch, place):
    """Make the disk full at a failpoint."""

    def fail(name, path):
        if name == place:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "on_failpoint", fail)


def test_places_of_an_atomic_write(tmp_path, places):
    replace_file(tmp_path / "file", "text")
    operations = ["write", "flush", "fsync", "rename", "folder fsync"]
    assert [place for place, _ in places if place.startswith("after")] == [
        f"after {operation}" for operation in operations
    ]
    assert {name for _, name in places} == {"file"}
    flush, write = (places.index((f"before {what}", "file")) for what in ("flush", "write"))
    assert flush < write  # a short text is written when it is flushed
    assert ("during write", "file") in places
    assert (tmp_path / "file").read_text() == "text"


def test_half_of_a_write_is_on_disk_during_it(tmp_path, monkeypatch):
    path, seen = tmp_path / "lines", []

    def look(place, where):
        if place == "during write":
            seen.append(path.read_bytes())

    monkeypatch.setattr(files, "on_failpoint", look)
    with open_to_append(path) as file:
        file.write(b"one line\n")
        flush_to_disk(file, path)
    assert seen == [b"one "]
    assert path.read_bytes() == b"one line\n"


@pytest.mark.parametrize("place", ["before write", "during write", "before fsync", "before rename"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, place):
    path = tmp_path / "file"
    replace_file(path, "old")
    fail_at(monkeypatch, place)
    with pytest.raises(OSError) as caught:
        replace_file(path, "new")
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(
    "words",
    [
        ["show", "ewn-3x3-2", "--svg", "out"],
        ["tournament", "random", "greedy", "--game", "ewn-3x3-2", "--games", "2", "--csv", "out"],
    ],
)
def test_a_full_disk_leaves_no_empty_file_of_a_verb(tmp_path, monkeypatch, words, capsys):
    from halma.cli.app import app

    monkeypatch.chdir(tmp_path)
    fail_at(monkeypatch, "before write")
    with pytest.raises(SystemExit) as ended:
        app(words, prog_name="halma")
    assert ended.value.code == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message == f"halma: '{tmp_path / 'out'}': No space left on device."
    assert os.listdir(tmp_path) == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "folder" / "file")
    replace_file(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "folder" / "file").read_text() == "text"


def test_a_device_is_written_to_as_it_is():
    command = "from pathlib import Path; from halma.files import replace_file"
    command += "; replace_file(Path('/dev/stdout'), 'text')"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("text", "")


def test_leftovers_of_killed_writers_are_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    path = tmp_path / "a[1].txt"
    dead = tmp_path / f"{path.name}.{ended.pid}{TEMPORARY}"
    alive = tmp_path / f"{path.name}.{os.getppid()}{TEMPORARY}"
    foreign = tmp_path / f"a1.txt.{ended.pid}{TEMPORARY}"
    for one in (dead, alive, foreign):
        one.write_text("half", encoding="utf-8")
    remove_temporary_files(path)
    assert sorted(tmp_path.iterdir()) == sorted([alive, foreign])


def test_a_folder_appears_as_a_whole(tmp_path):
    path = tmp_path / "folder"
    with pytest.raises(ValueError), atomic_folder(path) as folder:
        replace_file(folder / "file", "half")
        raise ValueError
    assert os.listdir(tmp_path) == []
    path.mkdir()
    with atomic_folder(path) as folder:
        replace_file(folder / "file", "text")
        assert os.listdir(path) == []
    assert os.listdir(tmp_path) == ["folder"]
    assert (path / "file").read_text() == "text"


def test_removal_and_locks_have_places(tmp_path, places):
    with take_lock(tmp_path / "lock"):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
        with pytest.raises(BlockingIOError):
            take_lock(tmp_path / "lock")
    remove_file(tmp_path / "lock")
    remove_file(tmp_path / "lock")
    assert ("before lock", "lock") in places
    assert ("after remove", "lock") in places


def test_an_error_in_the_block_keeps_its_own_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, atomic_write(tmp_path / "file"):
        (tmp_path / "other").read_bytes()
    assert caught.value.filename == str(tmp_path / "other")
