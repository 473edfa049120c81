"""The benchmark of tabular AlphaZero in a tiny form."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from halma.bench import tabular
from halma.bench.harness import BenchReport, Effort
from halma.cli.app import app
from halma.errors import HalmaError
from halma.learn import load

TINY = Effort(rounds=1, seconds=0.001, peer_games=3)
SMALLEST = tabular.ITERATIONS[:1]


@pytest.fixture
def few_games(monkeypatch):
    monkeypatch.setattr(tabular, "MATCH_GAMES", 100)


def test_every_row(few_games):
    lines = []
    report = BenchReport.collect(tabular.measure_tabular(TINY, 0), lines.append)
    rows = {row.name: row for row in report.rows}
    for name, goal, paper in (("ewn-3x3-3", 1.5, 2.143), ("cdc-2x4-PPPP", 10.0, 18.418)):
        games = rows[f"{name} 1,000 games"]
        assert (games.goal, games.at_most, games.unit) == (goal, True, "s")
        assert (games.peer_value, games.ratio) == (paper, games.value / paper)
        assert (rows[f"{name} two threads"].goal, rows[f"{name} two threads"].at_most) == (
            1.8,
            False,
        )
        assert (rows[f"{name} WR_p"].goal, rows[f"{name} WR_p"].at_most) == (1.0, True)
    assert all(row.value > 0 for row in report.rows)
    assert len(lines) == len(rows) == 6
    assert "times the goal" in lines[0]
    assert report.notes == ["Memory is left out of a quick run."]


def test_every_round_does_the_same_work():
    iteration = tabular.RepeatedIteration(load("hsueh2023/ewn-3x3-3", {"selfplay.games": 5}))
    learned = []
    for threads in (1, 2, 1):
        assert iteration.run(threads) > 0
        learned.append(iteration.learned)
    assert learned[0] == learned[1] == learned[2]


def test_threads_that_learn_another_table_are_an_error(few_games, monkeypatch):
    monkeypatch.setattr(tabular, "ITERATIONS", SMALLEST)
    answers = iter([b"one", b"another"])
    monkeypatch.setattr(tabular.RepeatedIteration, "learned", property(lambda self: next(answers)))
    with pytest.raises(HalmaError, match="Two threads learned another table"):
        list(tabular.measure_tabular(TINY, 0))


def test_memory_is_measured_in_another_process(few_games, monkeypatch, tmp_path):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))
    monkeypatch.setattr(tabular, "ITERATIONS", ())
    monkeypatch.setattr(tabular, "MEMORY", (("hsueh2023/ewn-3x3-3", 1.5e9),))
    (row,) = tabular.measure_tabular(replace(TINY, long=True), 0)
    assert (row.name, row.unit, row.goal) == ("ewn-3x3-3 memory", "GB", 1.5)
    # At least its table and the exact solution; an interpreter with numpy comes on top.
    assert 0.04 < row.value < 0.5


def test_memory_that_cannot_be_measured(tmp_path):
    (tmp_path / "no.table").write_bytes(b"nothing")
    with pytest.raises(HalmaError, match=r"'hsueh2023/ewn-3x3-3' was not measured: .*no\.table"):
        tabular.training_bytes("hsueh2023/ewn-3x3-3", tmp_path / "no.table")


def test_the_verb(few_games, monkeypatch):
    monkeypatch.setattr("halma.bench.harness.QUICK", TINY)
    monkeypatch.setattr(tabular, "ITERATIONS", SMALLEST)
    result = CliRunner().invoke(app, ["bench", "tabular", "--quick", "--json"])
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert len(answer["rows"]) == 3
    assert answer["peer"].startswith("hsueh2023")
