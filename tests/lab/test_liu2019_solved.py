"""Networks of small runs on a solved board, graded by exact values."""

import shutil
from itertools import count

import pytest

from halma.games import game
from halma.lab import Workspace, find_paper, reproduce
from halma.lab.experiment import Paper
from halma.lab.keeping import keep
from halma.lab.liu2019 import solved
from halma.solve.tables import table_path

RECIPE = """
method = "alphazero"
game = "rhombus-3x3-3"
network = "hsueh2023:filters=4"
iterations = 1
search.simulations = 4
search.max_considered_actions = 4
selfplay.games = 8
selfplay.parallel_games = 4
selfplay.max_plies = 12
learning.batch_size = 16
learning.warmup_steps = 0
evaluation.every = 0
"""
BOARD = "rhombus-3x3-3"


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    (tmp_path / "small.toml").write_text(RECIPE, encoding="utf-8")
    scale = solved.SolvedScale(((str(tmp_path / "small.toml"), {}),), (BOARD,), 5, 2000)
    monkeypatch.setattr(solved, "_QUICK", scale)
    monkeypatch.setattr(solved, "SIMULATIONS", (1, 8))
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path / "tables"))
    return Workspace(tmp_path / "lab", print, workers=1)


def test_it_is_solved_trained_and_graded(workspace, monkeypatch):
    report = reproduce("liu2019", workspace, "solved")
    assert table_path(game(BOARD)).exists()
    (section,) = report.sections
    names = [BOARD, "small.toml"]
    assert [row[:3] for row in section.rows] == [[*names, "1"], [*names, "8"]]
    for row in section.rows:
        assert all(cell.endswith("]") and "%" in cell for cell in (*row[3:5], *row[6:8]))
        assert row[-1] in ("yes", "no")
    grades = report.data[f"{BOARD},small.toml,sims=8"]
    assert grades["table"]["shares"]["all"]["positions"] == 939 and grades["table"]["whole_table"]
    assert grades["games"]["games"] == 5
    for figure in section.figures:
        assert (workspace.pages / figure.file).read_text(encoding="utf-8").startswith("<svg")
    # Nothing is done twice.
    calls = count()
    monkeypatch.setattr(solved, "grade_agents", lambda *_, **__: next(calls))
    again = reproduce("liu2019", Workspace(workspace.folder, print, workers=1), "solved")
    assert again.sections == report.sections and next(calls) == 0
    # It is kept, and drawn without runs and tables.
    monkeypatch.setattr(Paper, "kept", property(lambda paper: workspace.folder / "kept"))
    paper = find_paper("liu2019")
    assert keep(paper, workspace.folder, "abc1234") == "1 runs and 2 measurements are new in kept."
    shutil.rmtree(workspace.folder / "runs")
    shutil.rmtree(workspace.folder.parent / "tables")
    kept = Workspace(workspace.folder, print, draw_only=True, kept=paper.kept)
    assert reproduce("liu2019", kept, "solved").sections == report.sections
    experiment = next(one for one in paper.experiments if one.name == "solved")
    assert experiment.coverage(kept).parts == {"": (3, 3)}


def test_the_full_form_has_all_boards():
    full = Workspace("unused", print, full=True)
    (experiment,) = solved.EXPERIMENTS
    recipes = experiment.recipes(full)
    boards = ["rhombus-5x5-3", "rhombus-7x7-3", "rhombus-5x5-6"]
    assert list(dict.fromkeys(recipe.game.name for recipe in recipes)) == boards
    assert "rhombus-7x7-6" in {recipe.name for recipe in recipes}
    assert solved.SIMULATIONS == (1, 32, 180)
