"""Everything in examples/ runs."""

import ast
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

import halma
from halma.agents import agent
from halma.arena import make_plan, play_matches
from halma.games.conformance import check
from halma.learn import load, read_metrics, train

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the examples, in which we stand."""
    copy = tmp_path / "examples"
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns("__pycache__", "runs", "tables"))
    monkeypatch.chdir(copy)
    return copy


def test_every_example_is_tested():
    known = {"hexapawn.py", "my_agent.py", "halma.ipynb"}
    known |= {"hexapawn-table.toml", "hexapawn-network.toml"}
    assert {path.name for path in EXAMPLES.iterdir() if path.is_file()} == known


def test_hexapawn_keeps_the_contract(folder):
    report = check(halma.game("hexapawn.py"))
    assert report.ok, str(report)


def test_hexapawn_is_a_loss_for_white():
    """Known since Gardner's article, and found by going through all games."""

    def wins(position):
        return any(not wins(position.play(move)) for move in position.legal_moves)

    start = halma.game(str(EXAMPLES / "hexapawn.py")).start()
    assert not wins(start)
    assert [start.perft(depth) for depth in (1, 2)] == [3, 10]


@pytest.mark.parametrize("game", ["hexapawn.py", "ewn-3x3-3", "rhombus-5x5-3"])
def test_the_agent_plays_any_game(folder, game):
    plan = make_plan(game, ["my_agent.py", "random"], opening_plies=0)
    (tally,) = play_matches([plan], games=4)
    assert tally.games == 4 and not any("error" in end for end in tally.ends)


def test_the_agent_sees_what_is_near(folder):
    """Looking to the end of every game, it never loses with black."""
    plan = make_plan("hexapawn.py", ["my_agent.py:MyAgent:depth=9", "random"], opening_plies=0)
    (tally,) = play_matches([plan], games=10)
    assert tally.by_seat[1].wins == 5


def test_a_recipe_trains_a_table(folder):
    metrics = train(load("hexapawn-table.toml"), folder / "run")
    assert metrics["iteration"] == 10 and metrics["mae_v"] < 0.1
    record = halma.Record(halma.game("hexapawn.py"))
    assert agent(f"tabular:{folder / 'run'}").choose(record, None) in record.position.legal_moves


def test_a_recipe_trains_a_network(folder, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    recipe = load("hexapawn-network.toml", {"iterations": 2, "selfplay.games": 4})
    train(recipe, folder / "run", device="cpu")
    (metrics,) = [line for line in read_metrics(folder / "run") if line["iteration"] == 2]
    assert 0 <= metrics["vs_my_agent.py"] <= 1
    # A run finds game and agent again from anywhere.
    monkeypatch.chdir(tmp_path)
    again = load(str(folder / "run" / "recipe.toml"))
    assert again.game == halma.game("examples/hexapawn.py")
    assert again.settings.opponents == ["random", "examples/my_agent.py"]


# The notebook.


class Shown:
    """Stands in for IPython's displays, which are not installed with halma."""

    def __init__(self, data):
        assert data.startswith("<svg")


def test_the_notebook(folder, monkeypatch):
    display = ModuleType("IPython.display")
    display.SVG = Shown
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    notebook = json.loads((folder / "halma.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["language_info"]["name"] == "python"
    names = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"]):
        assert {"cell_type", "id", "metadata", "source"} <= set(cell)
        if cell["cell_type"] == "code":
            value = run_cell("".join(cell["source"]), number, names)
            kinds = [set(out["data"]) for out in cell["outputs"] if "data" in out]
            assert bool(kinds) == (value is not None)
            if isinstance(value, Shown) or hasattr(value, "_repr_svg_"):
                assert "image/svg+xml" in kinds[0]


def run_cell(source, number, names):
    """Run a cell and return the value of its last expression, as a notebook does."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell {number}", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
