"""A match killed at any time: the store stays readable, and the same command continues it."""

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from halma.arena import GameStore, make_plan, play_matches

GAMES = 120
COMMAND = [sys.executable, "-m", "halma.cli", "match", "greedy", "random", "--game", "ewn-4x4-6"]
COMMAND += ["--games", str(GAMES), "--seed", "11", "--json", "--db"]


def start(path, workers):
    return subprocess.Popen(
        [*COMMAND, str(path), "--workers", str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def stored(path):
    """Count the games in a file that may not be there yet."""
    if not path.exists() or not path.stat().st_size:
        return 0
    with closing(sqlite3.connect(path, timeout=10)) as db:
        try:
            return db.execute("SELECT count(*) FROM game").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def children(process):
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(child) for child in path.read_text(encoding="ascii").split()]


def is_alive(pid):
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
            != "Z"
        )
    except OSError:
        return False


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_several_times(tmp_path, workers):
    path = tmp_path / "games.db"
    rng = random.Random(workers)
    plan = make_plan("ewn-4x4-6", ["greedy", "random"], seed=11)
    (whole,) = play_matches([plan], GAMES)
    before = 0
    # First at any instant of the start, then at any instant of the games.
    for wanted in (None, 1, 30, 80):
        process = start(path, workers)
        try:
            if wanted is None:
                time.sleep(rng.uniform(0.05, 0.6))
            else:
                give_up = time.monotonic() + 30
                while stored(path) < wanted and process.poll() is None:
                    assert time.monotonic() < give_up
                    time.sleep(rng.uniform(0, 0.02))
            helpers = children(process) if process.poll() is None else []
        finally:
            process.kill()
            process.communicate()
        if path.exists() and path.stat().st_size:
            with GameStore(path) as store:
                found = list(store.games_of(plan, GAMES))
            assert before <= len(found)
            assert [played.number for played in found] == list(range(len(found)))
            before = len(found)
        give_up = time.monotonic() + 10
        while any(is_alive(pid) for pid in helpers):
            assert time.monotonic() < give_up, "a worker outlived the match"
            time.sleep(0.05)
    assert before > 0
    process = start(path, workers)
    answer = json.loads(process.communicate(timeout=60)[0])
    assert process.returncode == 0
    assert answer["games"] == GAMES
    assert answer["games_played_now"] == GAMES - before
    assert answer["wins"] == whole.all.wins
    assert answer["losses"] == whole.all.losses
    assert answer["distinct_games"] == whole.distinct
    assert answer["elo_interval"] == list(whole.elo_interval)
    assert not os.path.exists(f"{path}-wal")
