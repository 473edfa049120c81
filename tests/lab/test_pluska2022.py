"""pluska2022's experiments: runs, crosstable, sequential tests, and a whole round in small."""

import pytest

from halma.arena.sprt import Sprt
from halma.errors import HalmaError
from halma.lab import Workspace, reproduce
from halma.lab.matches import MatchPlayer, MatchScore
from halma.lab.pluska2022 import curves, settings, stages, table
from halma.lab.run_store import run_name, training_settings
from halma.learn import load


def score(wins, losses, draws=0):
    return MatchScore([(1.0, 40)] * wins + [(0.5, 100)] * draws + [(0.0, 50)] * losses)


def test_full_runs_are_the_recipes_of_the_package(tmp_path):
    workspace = Workspace(tmp_path, print, full=True)
    long = settings.long_run(workspace)
    assert training_settings(long) == training_settings(load("pluska2022/long"))
    runs = settings.paper_runs(workspace)
    paper = load("pluska2022")
    assert training_settings(runs["the paper's run"]) == training_settings(paper)
    for label, recipe in runs.items():
        changed = {key for key, value in recipe.flat.items() if value != paper.flat[key]}
        assert changed - {"archive.every"} == set(settings.VARIATIONS[label])
    names = {run_name(recipe) for recipe in (*runs.values(), long)}
    assert len(names) == len(runs) + 1


def test_the_recipe_is_the_paper_s():
    chosen = load("pluska2022").settings
    assert (chosen.warm_start.source, chosen.warm_start.games) == ("positions", 100_000)
    assert chosen.learning.td_lambda == 0.9
    assert chosen.selfplay.games == chosen.learning.replay_buffer == 10
    assert chosen.selfplay.curriculum == ("random:3-8 until 10", "start")
    assert chosen.selfplay.random_plies_min == chosen.selfplay.random_plies_max == 2
    # 100 games from endgames, and 300 from the start.
    assert (settings.STAGES["endgame"], chosen.iterations) == (10, 40)


def test_the_crosstable_adds_up():
    scores = {("bootstrapped", "endgame"): score(6, 2, 2), ("endgame", "random"): score(2, 8)}
    assert table._cell(scores, "bootstrapped", "endgame").startswith("70.0%")
    assert table._cell(scores, "endgame", "bootstrapped").startswith("30.0%")
    assert table._cell(scores, "easy", "random") == table._cell(scores, "easy", "easy") == ""
    totals = {label: (paper, ours) for label, paper, ours in table._totals(scores)}
    assert totals["bootstrapped"] == ("91.7%", "70.0%")
    assert totals["endgame"] == ("8.3%", "25.0%")
    assert "easy" not in totals


def test_a_sequential_test_stops_at_its_first_decision():
    even = [(1.0, 40), (0.0, 40)]
    better = [(1.0, 40), (1.0, 40)]
    accepted, games = MatchScore(10 * even + 200 * better + 500 * even).sprt(Sprt())
    assert accepted == "elo1" and 20 < games < 420
    assert MatchScore(even).sprt(Sprt()) == (None, 2)
    assert MatchScore([(0.0, 40)] * 2000).sprt(Sprt())[0] == "elo0"


def test_remarks():
    assert stages._remark("iteration 40 against random", score(99, 1)) == "1 games lost"
    remark = stages._remark("iteration 10 against 0", score(1900, 100))
    assert "the test says: stronger" in remark
    errors = {"the paper's run": {0: 0.01, 10: 0.2}}
    (row,) = curves._rows({("the paper's run", 10): score(5, 95)}, errors)
    assert row.paper == "weaker" and row.remark.startswith("weaker; difference from material 0.010")


def test_measurements_have_names_that_differ():
    players = MatchPlayer("random"), MatchPlayer("alphabeta:depth=3")
    first = settings.match("table,a", players, 20, 50)
    second = settings.match("table,b", players, 20, 50)
    assert first.name != second.name and "expansions=50" in first.name


@pytest.fixture
def tiny(monkeypatch):
    """Make the experiments so small that they take seconds."""
    small = {
        "warm_start.games": 50,
        "warm_start.samples_per_new": 2.0,
        "iterations": 2,
        "search.simulations": 1,
        "selfplay.games": 2,
        "selfplay.max_plies": 4,
        "selfplay.curriculum": ("random:3-8 until 1", "start"),
        "evaluation.every": 0,
    }
    monkeypatch.setattr(settings, "QUICK", settings.Pluska2022Scale(2, 1, 2, 1, 2, 2))
    monkeypatch.setattr(settings, "_REDUCED", small)
    monkeypatch.setattr(settings, "_REDUCED_LONG", small)
    variations = {"the paper's run": {}, "one linear layer": {"network": "linear"}}
    monkeypatch.setattr(settings, "VARIATIONS", variations)
    for module in (settings, table, stages):
        monkeypatch.setattr(module, "STAGES", {"bootstrapped": 0, "endgame": 1, "100 games": 2})
    labels = ("bootstrapped", "endgame", "100 games", "random", "easy")
    monkeypatch.setattr(table, "LABELS", labels)


def test_all_experiments_in_small(tiny, tmp_path):
    pytest.importorskip("matplotlib")
    workspace = Workspace(tmp_path, print, workers=2)
    report = reproduce("pluska2022", workspace)
    titles = [section.title for section in report.sections]
    assert titles[0].startswith("Section 3") and len(titles) == 5
    crosstable = report.sections[0].rows
    assert len(crosstable) == 5 and all("%" in cell for cell in crosstable[0][2:])
    assert (tmp_path / "quick" / "curves.png").stat().st_size > 10_000
    assert "games lost" in report.sections[-1].rows[-1][-1]
    # Everything is kept: pages are made again without another game.
    again = Workspace(tmp_path, print, draw_only=True)
    assert reproduce("pluska2022", again).sections == report.sections


def test_pages_of_nothing(tmp_path):
    pytest.importorskip("matplotlib")
    report = reproduce("pluska2022", Workspace(tmp_path, print, draw_only=True))
    assert {section.text for section in report.sections} == {"Not run yet."}
    with pytest.raises(HalmaError, match="no experiment"):
        reproduce("pluska2022", Workspace(tmp_path, print), "fig1")
