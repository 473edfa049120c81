"""best.*: after any resume it is that of the newest state, under the name the run began with."""

import json
import shutil

import pytest
from small_networks import small, train

from halma import files
from halma.learn import read_metrics
from halma.learn.recipe import load
from halma.learn.run import MODEL, RECIPE, WEIGHTS, run_recipe, set_iterations
from halma.networks.network_file import read_info


class KilledHere(BaseException):
    """Ends a run at a place, as a kill does."""


def train_until(monkeypatch, out, place, name, times, **changes):
    """Train until a failpoint is passed for the given time."""
    seen = []

    def strike(where, path):
        if where == place and path.name == name:
            seen.append(path)
            if len(seen) == times:
                raise KilledHere

    with monkeypatch.context() as patch:
        patch.setattr(files, "on_failpoint", strike)
        with pytest.raises(KilledHere):
            train(small(**changes), out)


def best_of(out):
    return {name: (out / name).read_bytes() for name in (WEIGHTS, MODEL)}


@pytest.mark.parametrize(
    ("name", "times"), [("iteration-000003.safetensors", 2), (WEIGHTS, 3), (MODEL, 3)]
)
def test_killed_just_after_the_last_checkpoint(whole, tmp_path, monkeypatch, name, times):
    out = tmp_path / "run"
    # Games and checkpoints have the same names; the checkpoint of an iteration is the second.
    train_until(monkeypatch, out, "after rename", name, times)
    assert len(read_metrics(out)) == 3
    train(small(), out)
    assert best_of(out) == best_of(whole)


@pytest.mark.parametrize("name", [WEIGHTS, MODEL])
@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: b"", None])
def test_a_damaged_or_missing_one_is_repaired(run, whole, name, damage):
    path = run / name
    path.unlink() if damage is None else path.write_bytes(damage(path.read_bytes()))
    train(small(), run)
    assert best_of(run) == best_of(whole)


def test_one_of_an_earlier_iteration_is_replaced(run, whole, tmp_path):
    shorter = tmp_path / "shorter"
    train(small(iterations=2), shorter)
    for name in (WEIGHTS, MODEL):
        shutil.copyfile(shorter / name, run / name)
    train(small(), run)
    assert best_of(run) == best_of(whole)


def test_a_run_without_checkpoints(tmp_path, monkeypatch):
    changes = {"iterations": 1, "checkpoints__keep": 0}
    whole, out = tmp_path / "whole", tmp_path / "run"
    train(small(**changes), whole)
    assert not any((whole / "checkpoints").iterdir())
    # All metrics are there, but nothing to make the network of: it is trained again.
    train_until(monkeypatch, out, "before write", WEIGHTS, 1, **changes)
    assert len(read_metrics(out)) == 1
    train(small(**changes), out)
    assert best_of(out) == best_of(whole)
    # A model is made of the weights.
    (out / MODEL).write_bytes(b"")
    metrics = (out / "metrics.jsonl").read_bytes()
    train(small(**changes), out)
    assert best_of(out) == best_of(whole)
    assert (out / "metrics.jsonl").read_bytes() == metrics


def test_a_resumed_run_keeps_the_name_of_its_recipe(run, whole):
    assert run_recipe(run).name == "small"
    set_iterations(run, 4)
    # As `halma train RUN` reads it.
    train(load(str(run / RECIPE)), run)
    assert read_info(run / MODEL).about == {"recipe": "small", "iteration": 4}
    assert json.loads((run / "meta.json").read_text())["recipe"] == "small"
