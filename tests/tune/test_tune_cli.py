"""`halma tune` from end to end, with worker processes; and what it refuses."""

import json
import os
import signal
import subprocess
import time

import pytest
from cli.cli_helpers import HALMA, answer, refused, run, start
from tune.tuning_helpers import tiny_words

from halma.learn import load, read_metrics

RECIPE = "hsueh2023/ewn-3x3-3"


def words(out, trials=5, **changes):
    return [
        *("tune", RECIPE, "--metric", "wr_p", "--out", str(out), "--trials", str(trials)),
        *("--iterations", "3", "--confirm", "2", "--workers", "2", *tiny_words(**changes)),
    ]


def test_from_nothing_to_a_tuned_recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = answer(*words("t"))
    assert (found["trials"], found["failed"]) == (5, 0)
    assert found["complete"] + found["pruned"] == 5
    assert found["default_value"] == found["history"][0]["value"]
    best = found["best"]
    assert best["value"] == max(r["value"] for r in found["history"] if r["state"] == "complete")
    if best["trial"]:
        assert len(found["confirmation"]["best"]) == 2
    # The best settings are a recipe, at the recipe's own length.
    tuned = load(found["best_recipe"])
    assert tuned.settings.iterations == 100
    for key, value in best["settings"].items():
        assert tuned.flat[key] == value
    assert run("train", found["best_recipe"], "--iterations", 1, "--out", "run").exit_code == 0
    # Every trial is an ordinary run.
    assert answer("report", best["run"])["report"].endswith("report.html")
    page = (tmp_path / "t" / "report.html").read_text()
    for heading in ("Best settings", "Confirmation", "History", "Importance", "Trials"):
        assert f">{heading}" in page
    assert page.count("data:image/png") >= 1
    # The same command again has nothing to do but to report.
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "t" / "trials").rglob("*")}
    again = answer(*words("t"))
    assert again["history"] == found["history"]
    assert before == {p: p.stat().st_mtime_ns for p in (tmp_path / "t" / "trials").rglob("*")}
    shown = run(*words("t"))
    assert f"best: trial {best['trial']}, wr_p" in shown.stdout
    assert "halma train t/best.toml" in shown.stderr.replace("'", "")


def test_ctrl_c_and_the_same_command_again(tmp_path):
    longer = {"selfplay.games": 400, "search.simulations": 40}
    command = [*HALMA, *words(tmp_path / "t", 6, **longer), "--pruner", "none"]
    command += ["--json", "--confirm", "0"]
    process = start(command)
    while not (tmp_path / "t/trials/0003/metrics.jsonl").exists() and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == ""
    assert "To go on: " in err and "Traceback" not in err
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [row["state"] for row in found["history"]] == ["complete"] * 6
    assert all(len(read_metrics(tmp_path / row["run"])) == 3 for row in found["history"])


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--metric", "wrp"], "have no metric 'wrp'. Did you mean 'wr_p'?"),
        (["--metric", "vs_greedy"], "have no metric 'vs_greedy': it has no evaluation"),
        (["--metric", "positions"], "add --maximize or --minimize"),
        (["--metric", "wr_p", "--maximize", "--minimize"], "either --maximize or --minimize"),
        (["--metric", "strength", "--minimize"], "leave out --minimize"),
        (["--metric", "wr_p", "--key", "learning.rat"], "Did you mean 'learning.rate'?"),
        (["--metric", "wr_p", "--key", "seed"], "'seed' cannot be tuned"),
        (["--metric", "wr_p", "--key", "learning.rate=9..1"], "is empty"),
        (["--metric", "wr_p", "--set", "learning.rat=1"], "Did you mean 'learning.rate'?"),
        (["--metric", "wr_p", "--sampler", "tpee"], "Did you mean 'tpe'?"),
        (["--metric", "wr_p", "--pruner", "mean"], "it is one of median, halving, none"),
        (["--metric", "wr_p", "--stretch", "2"], "are for --sampler pbt"),
        (["--metric", "wr_p", "--sampler", "pbt", "--trials", "9"], "leave out --trials"),
        (["--metric", "strength", "--sampler", "pbt"], "not by matches"),
        (["--metric", "wr_p", "--sampler", "pbt", "--minutes", "1"], "in place of --minutes"),
        (["--metric", "strength", "--sprt", "elo0=5,elo1=1"], "elo0 < elo1"),
        (["--metric", "wr_p", "--out", "."], "is not the folder of a tuning, but holds 'mine.txt'"),
    ],
)
def test_what_cannot_be_tuned(more, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("")
    assert sentence in refused("tune", RECIPE, *more)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_metrics_that_depend_on_settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "'truth.every' is above 0" in refused("tune", "quick", "--metric", "wr_p")
    said = refused("tune", "quick", "--metric", "vs_mcts")
    assert "its opponents are random, greedy" in said
    assert "There is no recipe 'quik'" in refused("tune", "quik", "--metric", "wr_p")
    assert not list(tmp_path.iterdir())
