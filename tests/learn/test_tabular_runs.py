"""Runs that are killed, stopped, damaged or not ours."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from small_runs import (
    Listener,
    contents,
    fill_disk,
    finish,
    lines_of,
    recipe_file,
    small,
    start,
    without_times,
)

from halma import _core
from halma.errors import RunError
from halma.learn import read_metrics, train
from halma.learn.checkpoint import identity
from halma.learn.reports.events import Checkpoint, Finished, Note, Started, Stopped
from halma.learn.run import RunDirectory, set_iterations
from halma.networks.lookup_table import KIND, open_lookup_table
from halma.tensors import list_iterations, open_tensors


def assert_same(out, whole):
    """Two runs have learnt the same, in the same steps."""
    assert list(map(without_times, read_metrics(out))) == list(
        map(without_times, read_metrics(whole))
    )
    tables = []
    for folder in (out, whole):
        _, path = list_iterations(folder / "checkpoints")[0]
        tables.append(open_tensors(path, identity(small().game, KIND)).arrays())
    for name in tables[0]:
        assert np.array_equal(tables[0][name], tables[1][name]), name
    assert not list(out.rglob("*.tmp"))


def test_what_a_run_leaves(whole):
    names = sorted(path.name for path in whole.iterdir())
    assert names == ["checkpoints", "lock", "meta.json", "metrics.jsonl", "recipe.toml"]
    assert [number for number, _ in list_iterations(whole / "checkpoints")] == [6, 5]
    metrics = read_metrics(whole)
    assert [line["iteration"] for line in metrics] == [1, 2, 3, 4, 5, 6]
    assert [line["learning_rate"] for line in metrics] == [1, 1, 1, 0.1, 0.1, 0.1]
    for line in metrics:
        assert line["wr_p_low"] <= line["wr_p"] <= line["wr_p_high"]
        assert line["wr_p"] == pytest.approx((line["wr_p_first"] + line["wr_p_second"]) / 2)
        assert line["updated_1"] >= line["updated_4"] >= line["updated_16"]
        assert line["games"] == 40
        assert line["simulations"] == 10 * line["plies"]
    assert metrics[1]["positions"] == metrics[0]["plies"] + metrics[1]["plies"]
    meta = json.loads((whole / "meta.json").read_text(encoding="utf-8"))
    assert (meta["game"], meta["seed"], meta["method"]) == ("ewn-3x3-2", 0, "tabular")


def test_threads_change_nothing(whole, tmp_path):
    train(small(), tmp_path / "run", threads=2)
    assert_same(tmp_path / "run", whole)


def test_another_seed_is_another_run(whole, tmp_path):
    train(small(seed=1), tmp_path / "run")
    assert read_metrics(tmp_path / "run")[-1]["err_p"] != read_metrics(whole)[-1]["err_p"]


def test_a_finished_run_only_answers(run, monkeypatch):
    before = contents(run)
    monkeypatch.setattr(_core, "TabularTrainer", None)
    listener = Listener()
    last = train(small(), run, [listener])
    assert last == read_metrics(run)[-1]
    assert contents(run) == before
    assert listener.all(Started)[0].done == 6
    assert listener.closed


def test_a_run_without_checkpoints_in_the_end(whole, tmp_path):
    """keep = 0: it goes on where it was stopped, and leaves metrics only."""
    recipe = small(checkpoints__keep=0)

    class Stop(Exception):
        pass

    class Impatient(Listener):
        def handle(self, report):
            super().handle(report)
            if isinstance(report, Checkpoint) and report.iteration == 3:
                raise Stop

    with pytest.raises(Stop):
        train(recipe, tmp_path / "run", [Impatient()])
    assert [number for number, _ in list_iterations(tmp_path / "run" / "checkpoints")] == [3]
    again = Listener()
    last = train(recipe, tmp_path / "run", [again])
    assert again.reports[0].done == 3
    assert not list_iterations(tmp_path / "run" / "checkpoints")
    expected = [without_times(line) for line in read_metrics(whole)]
    assert [without_times(line) for line in read_metrics(tmp_path / "run")] == expected
    # Finished: it only answers, though there is no checkpoint.
    finished = Listener()
    assert train(recipe, tmp_path / "run", [finished]) == last
    assert finished.reports[0].done == 6 and len(read_metrics(tmp_path / "run")) == 6


def test_watched_positions_are_what_the_table_says(tmp_path):
    game = small().game
    start = game.start()
    while start.is_chance:
        start = start.resolve(start.outcomes[0])
    recipe = small(truth__watch=(start.text,), iterations=3)
    train(recipe, tmp_path / "run")
    lines = read_metrics(tmp_path / "run")
    assert all(line["watched"][0]["position"] == start.text for line in lines)
    table = open_lookup_table(tmp_path / "run", game)
    [watched] = lines[-1]["watched"]
    assert watched["value"] == pytest.approx(table.value(start))
    assert list(watched["policy"]) == [move.text for move in start.legal_moves]
    assert list(watched["policy"].values()) == pytest.approx(table.policy(start).tolist())
    assert lines[0]["watched"] != lines[-1]["watched"]


def test_a_position_that_no_game_gets_to(tmp_path):
    # Blue has a piece too few for red to have moved so little.
    far = "1../.../.2a r 1"
    with pytest.raises(RunError, match="cannot be watched"):
        train(small(truth__watch=(far,)), tmp_path / "run")


def test_killed_again_and_again(whole, tmp_path):
    recipe, out = recipe_file(tmp_path), tmp_path / "run"
    rng = random.Random(5)
    kills = 0
    # First while it starts, then at any instant of iterations and of their writing.
    for wanted in (None, None, 1, 1, 2, 3, 4, 5):
        process = start(recipe, out)
        try:
            if wanted is None:
                time.sleep(rng.uniform(0.2, 0.6))
            give_up = time.monotonic() + 60
            while wanted is not None and lines_of(out) < wanted and process.poll() is None:
                assert time.monotonic() < give_up
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.02))
            kills += process.poll() is None
        finally:
            process.kill()
            process.communicate()
        done = [number for number, _ in list_iterations(out / "checkpoints")]
        # At most the iteration in hand is lost.
        assert lines_of(out) - max(done, default=0) <= 1
    assert kills >= 4
    status, answer, _ = finish(start(recipe, out))
    assert status == 0
    assert without_times(read_metrics(whole)[-1]).items() <= answer.items()
    shutil.rmtree(out / "tensorboard", ignore_errors=True)
    assert_same(out, whole)


def test_killed_between_rare_checkpoints(whole, tmp_path, monkeypatch):
    """What was learnt after the last checkpoint is learnt again, and counted once."""
    out = tmp_path / "run"

    class Killed(Exception):
        pass

    class Killer(Listener):
        def handle(self, report):
            super().handle(report)
            if len(self.all(type(report))) == 5 and hasattr(report, "metrics"):
                raise Killed

    recipe = small()
    monkeypatch.setattr(
        "halma.learn.checkpoint.Checkpoints.is_due",
        property(lambda self: len(list_iterations(self.folder)) < 1),
    )
    with pytest.raises(Killed):
        train(recipe, out, [Killer()])
    assert [number for number, _ in list_iterations(out / "checkpoints")] == [1]
    assert lines_of(out) == 5
    listener = Listener()
    train(recipe, out, [listener])
    assert listener.all(Started)[0].done == 1
    assert_same(out, whole)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1000])


def flip(path):
    data = bytearray(path.read_bytes())
    data[-1000] ^= 1
    path.write_bytes(data)


def empty(path):
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut, flip, empty])
def test_a_damaged_checkpoint_gives_way_to_the_one_before(run, whole, damage):
    newest, before = list_iterations(run / "checkpoints")
    damage(newest[1])
    listener = Listener()
    train(small(), run, [listener])
    (note,) = listener.all(Note)
    assert str(newest[1]) in note.text
    assert note.text.endswith(f"Going back to iteration {before[0]}.")
    assert listener.all(Started)[0].done == before[0]
    assert_same(run, whole)


def test_no_checkpoint_is_whole(run):
    for _, path in list_iterations(run / "checkpoints"):
        cut(path)
    before = contents(run)
    with pytest.raises(RunError, match="no other checkpoint"):
        train(small(), run)
    assert contents(run) == before


def test_half_a_line_of_metrics(run, whole):
    newest, _ = list_iterations(run / "checkpoints")
    newest[1].unlink()
    path = run / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert len(read_metrics(run)) == 5
    train(small(), run)
    assert_same(run, whole)


def test_metrics_that_do_not_fit(run):
    path = run / "metrics.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:3]), encoding="utf-8")
    with pytest.raises(RunError, match="something has been removed"):
        train(small(), run)
    path.write_text("".join(lines[1:]), encoding="utf-8")
    with pytest.raises(RunError, match="damaged: line 1"):
        train(small(), run)


def test_a_second_process_is_refused(run, tmp_path):
    with RunDirectory(run, small()):
        before = contents(run)
        status, answer, said = finish(start(recipe_file(tmp_path), run))
        assert contents(run) == before
    assert (status, answer) == (2, None)
    assert f"'{run}' is in use: process {os.getpid()} is training in it." in said
    train(small(), run)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"search__simulations": 11}, "'search.simulations' is 10 there and 11 here."),
        ({"seed": 1}, "'seed' is 0 there and 1 here."),
        ({"game": "ewn-3x3-3"}, '\'game\' is "ewn-3x3-2" there and "ewn-3x3-3" here.'),
    ],
)
def test_another_recipe_s_directory(run, changes, sentence):
    before = contents(run)
    with pytest.raises(RunError) as caught:
        train(small(**changes), run)
    assert sentence in str(caught.value)
    assert contents(run) == before


@pytest.mark.parametrize("key", ["format", "halma", "rules_version"])
def test_another_version_s_directory(run, key):
    path = run / "meta.json"
    meta = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**meta, key: "0.0.7"}), encoding="utf-8")
    before = contents(run)
    with pytest.raises(RunError, match=r"belongs to another version: its .* is '0\.0\.7'"):
        train(small(), run)
    assert contents(run) == before


def test_a_directory_that_is_no_run(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RunError, match=r"holds 'thesis\.txt'"):
        train(small(), tmp_path)
    assert os.listdir(tmp_path) == ["thesis.txt"]
    with pytest.raises(RunError, match="is a file"):
        train(small(), tmp_path / "thesis.txt")
    own = tmp_path / "own"
    own.mkdir()
    (own / "recipe.toml").write_text("eggs = 3")
    with pytest.raises(RunError, match="belongs to another recipe"):
        train(small(), own)
    assert (own / "recipe.toml").read_text() == "eggs = 3"


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_a_damaged_meta(run, text):
    (run / "meta.json").write_text(text)
    with pytest.raises(RunError, match="damaged"):
        train(small(), run)


def test_a_run_killed_at_birth(whole, tmp_path):
    out = tmp_path / "run"
    out.mkdir()
    (out / "recipe.toml").write_text(small().toml(), encoding="utf-8")
    (out / "meta.json.123.tmp").write_text("{")
    train(small(), out)
    assert_same(out, whole)


def test_a_full_disk(whole, tmp_path, monkeypatch):
    out = tmp_path / "run"
    fill_disk(monkeypatch, after=15)
    with pytest.raises(RunError, match=r"No space left on device.*iteration \d is safe"):
        train(small(), out)
    monkeypatch.undo()
    (number, path), *_ = list_iterations(out / "checkpoints")
    assert number > 1
    open_tensors(path, identity(small().game, KIND))
    train(small(), out)
    assert_same(out, whole)


def test_files_that_may_not_grow(tmp_path):
    """A limit that the kernel enforces; checkpoints are above it, metrics below."""
    recipe, out = recipe_file(tmp_path), tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "halma.cli", "train", str(recipe), "--out", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "File too large. The run has stopped; no iteration was saved yet" in said
    assert not list(out.rglob("*.tmp"))
    assert list_iterations(out / "checkpoints") == []


@pytest.mark.parametrize(
    ("number", "left"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_ctrl_c_and_requests_to_end(whole, tmp_path, number, left):
    recipe, out = recipe_file(tmp_path, iterations=3000), tmp_path / "run"
    process = start(recipe, out)
    give_up = time.monotonic() + 60
    while lines_of(out) < 2:
        assert time.monotonic() < give_up and process.poll() is None
        time.sleep(0.005)
    process.send_signal(number)
    status, answer, said = finish(process)
    assert (status, answer) == (left, None)
    assert f"To go on: halma train {recipe} --out {out} --threads 1 --json" in said
    done = list_iterations(out / "checkpoints")[0][0]
    assert f"Stopped after iteration {done}, which is saved." in said
    assert lines_of(out) == done
    assert not list(out.rglob("*.tmp"))


def test_out_of_time(whole, tmp_path):
    out, listener = tmp_path / "run", Listener()
    last = train(small(iterations=100_000), out, [listener], seconds=1.0)
    assert listener.all(Stopped)[0].iteration == last["iteration"] == len(read_metrics(out))
    assert last["iteration"] < 100_000
    assert not listener.all(Finished)
    assert list_iterations(out / "checkpoints")[0][0] == last["iteration"]
    again = train(small(iterations=100_000), out, seconds=1.0)
    assert again["iteration"] > last["iteration"] and again["seconds"] > last["seconds"]
    first = [without_times(line) for line in read_metrics(out)]
    for ours, theirs in zip(first, map(without_times, read_metrics(whole)), strict=False):
        # The learning rate of the whole run falls half-way.
        if theirs["learning_rate"] == 1.0:
            assert ours == theirs


def test_time_that_is_too_short(tmp_path):
    with pytest.raises(RunError, match="too short for a single iteration"):
        train(small(selfplay__games=100_000), tmp_path / "run", seconds=0.05)
    assert read_metrics(tmp_path / "run") == []


def test_minutes_on_the_command_line(tmp_path):
    given = ("--minutes", "0.04", "--iterations", "100000")
    process = start(recipe_file(tmp_path), tmp_path / "run", *given)
    status, told, err = finish(process)
    assert status == 0 and 0 < told["iteration"] < 100_000
    assert f"Stopped after iteration {told['iteration']}, which is saved." in err


def test_a_run_can_get_another_length_but_not_lose_iterations(tmp_path):
    out = tmp_path / "run"
    train(small(iterations=5), out, stop_when=lambda metrics: metrics["iteration"] == 2)
    with pytest.raises(RunError, match="has made 2 iterations: it cannot end after 1"):
        set_iterations(out, 1)
    # The learning rate falls along the new length.
    shorter = set_iterations(out, 3)
    assert shorter.difference(small(iterations=3)) is None
    assert train(shorter, out)["iteration"] == 3
    longer = set_iterations(out, 4)
    assert longer.difference(small(iterations=4)) is None
    train(longer, out)
    assert [line["iteration"] for line in read_metrics(out)] == [1, 2, 3, 4]
    # What it was before is no longer its recipe.
    with pytest.raises(RunError, match="'iterations' is 4 there and 2 here"):
        train(small(iterations=2), out)


def test_iterations_on_the_command_line(tmp_path):
    out = tmp_path / "run"
    file = recipe_file(tmp_path, iterations=1)
    for asked, lines in (("2", 2), ("3", 3)):
        status, said, err = finish(start(file, out, "--iterations", asked))
        assert status == 0, err
        assert said["settings"]["iterations"] == lines == lines_of(out)
    # Another recipe's run is not made longer.
    other = tmp_path / "other"
    other.mkdir()
    status, _, err = finish(
        start(recipe_file(other, search__simulations=11), out, "--iterations", "4")
    )
    assert status == 2 and "belongs to another recipe" in err
