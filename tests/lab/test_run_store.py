"""Run directories of distinct settings: names, adoption, training."""

import json

import pytest

from halma.errors import HalmaError
from halma.lab.jobs import run_jobs
from halma.lab.run_store import RunStore, run_name, training_settings
from halma.learn import load
from halma.learn.metric_names import TRUTH_METRICS

TINY = {"iterations": 3, "selfplay.games": 5, "search.simulations": 4, "truth.games": 20}


def tiny(**changes):
    given = {key.replace("__", "."): value for key, value in changes.items()}
    return load("hsueh2023/ewn-3x3-3", {**TINY, "checkpoints.keep": 0, **given})


def write_run(path, recipe, lines):
    """Make a run directory by hand; metrics that lines leave out are 0."""
    names = "seconds learning_rate games play_seconds plies updated_1 updated_4 updated_16"
    lines = [dict.fromkeys((*names.split(), *TRUTH_METRICS), 0) | line for line in lines]
    path.mkdir(parents=True)
    (path / "recipe.toml").write_text(recipe.toml(), encoding="utf-8")
    (path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_names_say_what_differs():
    assert run_name(load("hsueh2023/ewn-3x3-3")) == "ewn-3x3-3"
    assert run_name(load("hsueh2023/ewn-3x3-3", {"checkpoints.keep": 0})) == "ewn-3x3-3"
    changed = load("hsueh2023/cdc-2x4-PPPP", {"search.c": 0.5, "seed": 3, "search.fpu": "win"})
    assert run_name(changed) == "cdc-2x4-PPPP,seed=3,c=0.5,fpu=win"
    games = load("hsueh2023/ewn-3x3-3", {"selfplay.games": 7, "truth.games": 8})
    assert run_name(games) == "ewn-3x3-3,selfplay.games=7,truth.games=8"
    watching = load("hsueh2023/ewn-3x3-3", {"truth.watch": ("12./3.a/.cb r 2",)})
    assert "/" not in run_name(watching) and "watch=" in run_name(watching)


def test_finished_runs_elsewhere_are_adopted(tmp_path):
    recipe = tiny()
    lines = [{"iteration": i, "wr_p": wr_p} for i, wr_p in enumerate((None, 0.2, 0.3), start=1)]
    kept = load("hsueh2023/ewn-3x3-3", TINY)  # with checkpoints, which makes no difference
    assert training_settings(kept) == training_settings(recipe) and kept != recipe
    elsewhere = write_run(tmp_path / "elsewhere" / "any-name", kept, lines)
    other = write_run(tmp_path / "elsewhere" / "other", tiny(seed=1), lines[:2])
    store = RunStore(tmp_path / "store", [tmp_path / "elsewhere"])
    assert store.is_finished(recipe) and store.path(recipe) == elsewhere
    assert [line["wr_p"] for line in store.metrics(recipe)] == [None, 0.2, 0.3]
    # An unfinished one is shown, but does not count as done.
    assert store.path(tiny(seed=1)) == other and not store.is_finished(tiny(seed=1))
    assert not store.is_finished(tiny(seed=2))
    assert RunStore(elsewhere, [elsewhere]).is_finished(recipe)
    with pytest.raises(HalmaError, match="no run in"):
        RunStore(tmp_path / "store", [tmp_path])


def test_a_run_with_a_network_is_adopted_before_metrics_alone(tmp_path):
    lines = [{"iteration": i, "wr_p": 0.2} for i in (1, 2)]
    longer = write_run(tmp_path / "a", tiny(), lines)
    shorter = write_run(tmp_path / "b", tiny(), lines[:1])
    assert RunStore(tmp_path / "store", [tmp_path]).path(tiny()) == longer
    (shorter / "best.onnx").write_bytes(b"a network")
    assert RunStore(tmp_path / "store", [tmp_path]).path(tiny()) == shorter


def test_without_training_runs_are_taken_as_far_as_they_got(tmp_path):
    path = write_run(tmp_path / run_name(tiny()), tiny(), [{"iteration": 1, "wr_p": 0.2}])
    (path / "best.onnx").write_bytes(b"a network")
    usual, still = RunStore(tmp_path), RunStore(tmp_path, train=False)
    assert usual.best(tiny()) is None and still.best(tiny()).file == path / "best.onnx"
    assert len([*usual.jobs([tiny(), tiny(seed=1)], lambda recipe: 1.0)]) == 2
    assert not [*still.jobs([tiny(), tiny(seed=1)], lambda recipe: 1.0)]


def train_all(store, recipes):
    return run_jobs(store.jobs(recipes, cost=lambda recipe: 1.0), 2, lambda *kept: None)


def test_a_failed_run_is_reported_and_the_others_are_trained(tmp_path, capsys):
    store = RunStore(tmp_path)
    good, bad = tiny(), tiny(seed=1)
    (tmp_path / run_name(bad)).mkdir()
    (tmp_path / run_name(bad) / "letter.txt").write_text("not a run")
    failed = train_all(store, [good, bad])
    assert list(failed) == [run_name(bad)] and "not the directory of a run" in failed[run_name(bad)]
    assert "letter.txt" in capsys.readouterr().err.replace("\n", " ")
    assert store.is_finished(good) and not store.is_finished(bad)
    # Nothing but metrics is kept of a finished run.
    assert not list((tmp_path / run_name(good) / "checkpoints").iterdir())
    before = (tmp_path / run_name(good) / "metrics.jsonl").stat().st_mtime_ns
    assert train_all(store, [good]) == {}
    assert (tmp_path / run_name(good) / "metrics.jsonl").stat().st_mtime_ns == before


def test_a_damaged_bundle_is_not_adopted(tmp_path):
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "state.tar").write_bytes(b"not a tar file")
    for place in (tmp_path, tmp_path / "bundle"):
        with pytest.raises(HalmaError, match=r"state\.tar' is damaged"):
            RunStore(tmp_path / "store" / "runs", [place])
    assert not list(tmp_path.glob("store/adopted/*"))
