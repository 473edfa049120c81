"""Those who listen: console, TensorBoard; and what one iteration of reports looks like."""

import io
import json
import sys

import pytest
from rich.console import Console as Rich
from small_runs import Listener, finish, recipe_file, small, start

from halma.learn import read_metrics, train
from halma.learn.reports.console import Console, sparkline
from halma.learn.reports.events import Checkpoint, Finished, Iteration, Started
from halma.learn.reports.tensorboard import TensorBoard


def test_the_order_of_reports(tmp_path):
    listener = Listener()
    last = train(small(iterations=2), tmp_path / "run", [listener])
    kinds = [type(report) for report in listener.reports]
    assert kinds == [Started, Iteration, Checkpoint, Iteration, Checkpoint, Finished]
    assert listener.reports[-1].metrics == last == read_metrics(tmp_path / "run")[-1]
    assert [report.path.exists() for report in listener.reports if type(report) is Checkpoint] == [
        True,
        True,
    ]


def test_not_every_iteration_is_graded(tmp_path):
    train(small(iterations=5, truth__every=2), tmp_path / "run")
    graded = [line["wr_p"] is not None for line in read_metrics(tmp_path / "run")]
    assert graded == [False, True, False, True, True]


def test_seconds_instead_of_games(tmp_path):
    last = train(small(iterations=1, selfplay__seconds=0.05), tmp_path / "run")
    assert 0.05 <= last["play_seconds"] < 1
    assert last["games"] > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"search__rule": "gumbel", "search__simulations": 4},
        {"search__solver": True},
        {"learning__symmetry": True},
        {"search__fpu": "infinite"},
    ],
)
def test_other_searches_learn(tmp_path, changes):
    first, *_, last = (
        train(small(iterations=n, selfplay__games=200, **changes), tmp_path / str(n))
        for n in (1, 8)
    )
    assert last["err_p"] < first["err_p"]


def test_lines_where_there_is_no_terminal(tmp_path):
    stream = io.StringIO()
    train(small(), tmp_path / "run", [Console(stream)])
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("hsueh2023/ewn-3x3-3: ewn-3x3-2, 6 iterations, from the beginning")
    assert lines[-1].startswith("iteration 6/6  WR_p ")
    train(small(), tmp_path / "run", [Console(stream)])
    assert "finished already" in stream.getvalue()


def test_live_in_a_terminal(tmp_path):
    stream = io.StringIO()
    console = Console(stream)
    console._rich = Rich(file=stream, force_terminal=True, width=100, highlight=False)
    train(small(), tmp_path / "run", [console])
    shown = stream.getvalue()
    for text in ("iteration 6/6", "WR_p", "ERR_p", "MAE_v", "updated 16", "saved: iteration"):
        assert text in shown


def test_sparklines():
    assert sparkline([]) == ""
    assert sparkline([2.0]) == "▁"
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█" or sparkline([0.0, 0.5, 1.0]) == "▁▄█"
    assert sparkline([0.0] * 50 + [1.0] * 50, width=4) == "▁▁██"
    assert len(sparkline([float(i) for i in range(1000)])) == 40


def test_tensorboard_shows_the_metrics(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util.tensor_util import make_ndarray

    out = tmp_path / "run"
    # The second sitting makes the view anew: no step is there twice.
    for _ in range(2):
        train(small(), out, [TensorBoard(out)])
        events = EventAccumulator(str(out / "tensorboard"), size_guidance={"tensors": 0})
        events.Reload()
        for key in ("wr_p", "err_p", "mae_v", "updated_4", "seconds"):
            found = [(e.step, float(make_ndarray(e.tensor_proto))) for e in events.Tensors(key)]
            wanted = [(line["iteration"], line[key]) for line in read_metrics(out)]
            assert found == [(step, pytest.approx(value, rel=1e-6)) for step, value in wanted]


def test_without_tensorboard(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    said = []
    out = tmp_path / "run"
    train(small(), out, [TensorBoard(out, said.append)])
    (sentence,) = said
    assert sentence.endswith('pip install "halma[train]".')
    assert not (out / "tensorboard").exists()


def test_the_command(tmp_path):
    out = tmp_path / "run"
    status, answer, said = finish(
        start(recipe_file(tmp_path), out, "--seed", "3", "--set", "iterations=2")
    )
    assert status == 0
    assert answer["run"] == str(out)
    assert answer["settings"]["seed"] == 3
    last = read_metrics(out)[-1]
    assert {key: answer[key] for key in last} == last
    assert "iteration 2/2" in said
    # A run's directory is recipe enough.
    status, again, _ = finish(start(out, out))
    assert status == 0 and again["wr_p"] == answer["wr_p"]
    recipe = (out / "recipe.toml").read_text(encoding="utf-8")
    assert "# Simulations of a search." in recipe
    assert json.loads((out / "meta.json").read_text(encoding="utf-8"))["seed"] == 3


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--set", "search.simulation=4"], "Did you mean 'search.simulations'?"),
        (["--set", "search.simulations=0"], "it is a whole number from 1 to 10,000,000"),
        (["--set", "search.simulations"], "not of the form key=value"),
    ],
)
def test_the_command_refuses_before_anything_runs(tmp_path, more, sentence):
    out = tmp_path / "run"
    status, answer, said = finish(start(recipe_file(tmp_path), out, *more))
    assert (status, answer) == (2, None)
    assert sentence in said
    assert said.count("\n") == 1
    assert not out.exists()
