"""`halma solve` and `halma truth` on the command line."""

import json

import pytest
from cli_helpers import run

KEYS = {
    "positions",
    "wins",
    "draws",
    "losses",
    "illegal",
    "start_value",
    "longest_win",
    "seconds",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))
    return tmp_path


def test_solving(folder):
    result = run("solve", "ewn-3x3-3", "--json", "--verify", "--exact")
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert answer.keys() >= KEYS
    assert answer["positions"] == 367_956
    assert answer["start_value"] == pytest.approx(0.667123914, abs=1e-9)
    assert answer["start_value_exact"] == "1459/2187"
    assert answer["inconsistent"] == 0
    assert "10.8 MiB of memory" in result.stderr
    assert (folder / "ewn-3x3-3.table").exists()


def test_a_table_is_not_made_twice(folder):
    first = json.loads(run("solve", "ewn-3x3-2", "--json").stdout)
    again = run("solve", "ewn-3x3-2", "--json")
    assert json.loads(again.stdout) == first
    assert "exists already" in again.stderr
    path = folder / "ewn-3x3-2.table"
    path.write_bytes(path.read_bytes()[:-5])
    refused = run("solve", "ewn-3x3-2", "--json")
    assert refused.exit_code == 2
    assert "ewn-3x3-2.table' is not used" in refused.stderr
    assert run("solve", "ewn-3x3-2", "--again").exit_code == 0


def test_another_directory(tmp_path):
    result = run("solve", "ewn-3x3-1", "--out", str(tmp_path / "deep" / "er"))
    assert result.exit_code == 0
    assert (tmp_path / "deep" / "er" / "ewn-3x3-1.table").exists()
    assert "start value" in result.stdout


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (
            ["ewn-5x5-6"],
            ["67,147,809,207,181,212 positions", "bytes)", "variant that fits is 'ewn-"],
        ),
        (["ewn-3x4-4", "--memory", "500M"], ["614,009,864 positions", "'ewn-3x3-4'"]),
        (["cdc-4x8"], ["no index", "'cdc-2x4-"]),
        (["ewn-3x3-2", "--memory", "lots"], ["'lots' is not an amount of memory"]),
        (["ewn-3x3-2", "--pieces", "3"], ["cannot be solved"]),
        (["ewn-4x5-3", "--exact"], ["no exact fractions"]),
        (["nothing-3x3"], ["no variant 'nothing-3x3'"]),
    ],
)
def test_refusals(words, texts, folder):
    result = run("solve", *words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    for text in texts:
        assert text in result.stderr
    assert not list(folder.iterdir())


def test_truth(folder):
    result = run("truth", "ewn-3x3-2", "--json", "--sample", "200", "--svg", str(folder / "p"))
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert {"distribution", "unique_best", "openings", "longest_line", "agents"} <= answer.keys()
    assert [one["agent"] for one in answer["agents"]] == ["random", "greedy"]
    for one in answer["agents"]:
        assert one["games"]["games"] == 100 and one["table"]["positions"] == 200
        for sample in (one["games"], one["table"]):
            share = sample["shares"]["all"]
            assert 0 <= share["low"] <= share["share"] <= share["high"] <= 1
    assert {file.name for file in (folder / "p").iterdir()} == {
        "values.svg",
        "opening.svg",
        "worst-opening.svg",
        "longest-win.svg",
    }
    again = run("truth", "ewn-3x3-2", "--json", "--sample", "200")
    assert {**json.loads(again.stdout), "seconds": 0} == {**answer, "seconds": 0}
    shown = run("truth", "cdc-2x4-PPPP", "--sample", "50", "--agents", "random")
    assert shown.exit_code == 0
    assert "longest certain win, 23 plies" in shown.stdout
    assert "random: how often its moves keep the value" in shown.stdout
    assert "50 positions of the table, each equally likely" in shown.stdout


def test_agents_are_graded(folder):
    words = ("rhombus-3x3-3", "--games", "3", "--sample", "5000", "--opening-plies", "1")
    page = folder / "errors.html"
    result = run("truth", *words, "--workers", "1", "--page", str(page))
    assert result.exit_code == 0, result.stderr
    assert "all 939 positions of the table" in result.stdout
    assert "of 3 games against itself" in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 130
    assert "Graded by exact values: rhombus-3x3-3" in page.read_text(encoding="utf-8")
    without = run("truth", *words, "--games", "0", "--agents", "optimal", "--json")
    (one,) = json.loads(without.stdout)["agents"]
    assert one["games"] is None and one["table"]["whole_table"]
    assert one["table"]["shares"]["won"]["share"] == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--agents", "nobody"], "no agent 'nobody'"),
        (["--device", "tpu"], "There is no device 'tpu'"),
        (["--page", "no/such/folder/x.html"], "There is no folder"),
        (["--opening-plies", "500"], "too long for 'rhombus-3x3-3'"),
    ],
)
def test_grades_that_are_refused(words, sentence):
    result = run("truth", "rhombus-3x3-3", "--sample", "3", "--games", "2", *words)
    assert result.exit_code == 2, result.stdout
    assert sentence in result.stderr and "Traceback" not in result.stderr


def test_truth_of_an_unsolved_variant():
    result = run("truth", "ewn-3x3-4")
    assert result.exit_code == 2
    assert "run 'halma solve ewn-3x3-4' first" in result.stderr


def test_the_benchmark(monkeypatch):
    from halma.bench import solve as bench
    from halma.bench.harness import Effort

    monkeypatch.setattr("halma.bench.harness.QUICK", Effort(1, 0.001, 1))
    monkeypatch.setattr(bench, "_STATES", 1000)
    result = run("bench", "solve", "--quick", "--json")
    assert result.exit_code == 0
    names = [row["name"] for row in json.loads(result.stdout)["rows"]]
    assert "ewn-3x3-3 solved" in names
    assert "cdc-2x4-PPPP look-ups" in names
