"""Timing, rows and printing of the benchmarks; the values measured are not tested."""

import json
import time

import pytest
from typer.testing import CliRunner

from halma.bench import peers, rules
from halma.bench.harness import QUICK, BenchReport, Effort, Measurement, machine, rates, short
from halma.cli.app import app

TINY = Effort(rounds=1, seconds=0.001, peer_games=3)


def test_rates_divide_units_by_seconds():
    def work(portions):
        time.sleep(0.002 * portions)
        return 10 * portions

    assert 2000 < rates(Effort(2, 0.02, 1), work)[0] <= 5000


def test_works_take_turns():
    calls = []

    def named(name):
        def work(portions):
            calls.append(name)
            time.sleep(0.001)
            return 1.0

        return work

    rates(Effort(3, 0.001, 1), named("a"), named("b"))
    assert calls[-6:] == ["a", "b"] * 3


def test_rows():
    floor = Measurement("speed", 20.0, "plies/s", goal=10.0)
    assert (floor.met, floor.ratio) == (True, None)
    assert {"name", "value", "unit", "goal"} <= set(floor.as_dict())
    assert "peer" not in floor.as_dict()
    ceiling = Measurement("size", 80, "bytes", goal=64, at_most=True)
    assert ceiling.met is False
    beside = Measurement("speed", 20.0, "plies/s", 10.0, False, "Peer", 5.0, "plies/s")
    assert beside.as_dict()["ratio"] == 4.0
    other_unit = Measurement("speed", 20.0, "plies/s", 10.0, False, "Peer", 5.0, "hops/s")
    assert other_unit.as_dict()["ratio"] is None
    assert Measurement("free", 1.0, "s").met is None


def test_a_tiny_run_has_every_row(capsys):
    notes = []
    report = BenchReport.collect(rules.measure_rules(TINY, 0), notes.append)
    names = [row.name for row in report.rows]
    assert "ewn-5x5-6 playouts" in names
    assert "ewn-5x5-6 state" in names
    assert "import halma" in names
    assert len(notes) == len(report.rows)
    for row in report.as_dict()["rows"]:
        assert {"name", "value", "unit", "goal"} <= set(row)
        assert row["value"] > 0
        if "peer" in row:
            assert row["peer_value"] > 0
            assert "ratio" in row
    report.print(machine())
    shown = capsys.readouterr().out
    for name in names:
        assert name in shown
    assert "build: " in shown


def test_a_missing_peer_is_noted(monkeypatch):
    monkeypatch.setattr(peers, "available", lambda: False)
    monkeypatch.setattr(rules, "PLAYOUTS", rules.PLAYOUTS[:1])
    monkeypatch.setattr(rules, "PERFT", ())
    monkeypatch.setattr(rules, "MOVE_LISTS", (("ewn-3x3-3", 1e6),))
    monkeypatch.setattr(rules, "STATE_BYTES", ())
    note, playouts, *others = rules.measure_rules(TINY, 0)
    assert note.endswith('open_spiel, which is not installed: pip install "halma[peers]".')
    assert playouts.name == "ewn-5x5-6 playouts" and playouts.peer is None
    assert [row.name for row in others] == ["ewn-3x3-3 move lists", "import halma"]


def test_perft_rows_count_leaves(monkeypatch):
    monkeypatch.setattr(rules, "PLAYOUTS", ())
    monkeypatch.setattr(rules, "PERFT", (("ewn-3x3-3", 2, 1e6),))
    monkeypatch.setattr(rules, "MOVE_LISTS", ())
    row = next(iter(rules.measure_rules(TINY, 0)))
    assert (row.name, row.unit) == ("ewn-3x3-3 perft 2", "leaves/s")


def test_the_peer_plays_whole_games():
    pytest.importorskip("pyspiel")
    play = peers.random_games("einstein_wurfelt_nicht", seed=1, sample=200)
    # Random games of EinStein take some twenty plies on the full board.
    assert 18 < play(10) / 10 < 25
    assert peers.random_games("no_such_game", seed=1, sample=1) is None


def test_the_verb_prints_one_object(monkeypatch):
    monkeypatch.setattr("halma.bench.harness.QUICK", TINY)
    result = CliRunner().invoke(app, ["bench", "rules", "--quick", "--json"])
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert {"rows", "notes", "build", "cpu"} <= set(answer)


def test_a_figure_below_its_goal_is_no_error(monkeypatch, capsys):
    report = BenchReport([Measurement("slow thing", 1.0, "plies/s", goal=1e9)])
    report.print({"cpu": "abacus"})
    shown = capsys.readouterr().out
    assert "slow thing" in shown
    assert " no " in shown


def test_quick_is_still_the_best_of_five():
    assert QUICK.rounds == 5


@pytest.mark.parametrize(
    ("number", "text"),
    [(31.24e6, "31.2 M"), (1500, "1.5 k"), (2e9, "2 G"), (64, "64"), (0.0342, "0.0342")],
)
def test_short_numbers(number, text):
    assert short(number) == text
