"""`halma analyse`, and a person playing through a pipe."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from cli_helpers import HALMA, MIDDLE
from cli_helpers import answer as answer_of
from cli_helpers import refused as refusal_of
from cli_helpers import run as run_verb

GOLDEN = Path(__file__).parent.parent / "golden"


def run(*arguments):
    return run_verb("analyse", *arguments)


def answer(*arguments):
    return answer_of("analyse", *arguments)


def test_the_answer_has_everything():
    found = answer("ewn-3x3-3", MIDDLE, "--agent", "mcts:sims=500", "--seed", "4", "--moves", "2")
    assert found["variant"] == "ewn-3x3-3"
    assert found["position"] == MIDDLE
    assert found["agent"] == "mcts:sims=500"
    assert (found["seed"], found["mover"], found["simulations"]) == (4, 0, 500)
    assert found["best"] == found["moves"][0]["move"] == "b1-c2"
    assert found["value"] == found["moves"][0]["value"]
    assert len(found["moves"]) == 2
    for move in found["moves"]:
        keys = {"move", "value", "visits", "prior", "policy", "proof", "proven", "line"}
        assert set(move) == keys
        assert move["line"][0] == move["move"]


def test_the_same_seed_gives_the_same_answer():
    arguments = ("rhombus-4x4-3", "start", "--agent", "mcts:sims=300")
    assert answer(*arguments) == answer(*arguments)
    assert answer(*arguments) != answer(*arguments, "--seed", "1")


def test_the_table_shows_position_and_moves():
    result = run("ewn-3x3-3", MIDDLE, "--agent", "mcts:sims=500,solver=on", "--moves", "2")
    assert result.exit_code == 0
    for words in ("red moves", "visits", "prior", "b1-c2", "and 1 more moves", "500 simulations"):
        assert words in result.stdout


@pytest.fixture
def no_tables(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))


#: Arguments of analyses with exact values. Table and JSON are in `tests/golden`;
#: HALMA_GOLDEN=write writes them again.
EXACT = {
    "analyse_chance": ("ewn-3x3-3", MIDDLE),
    "analyse_solution": ("ewn-3x3-3", MIDDLE, "--agent", "expectimax:depth=1,solution=on"),
    "analyse_endings": ("draughts-8x8", "W:WK1:BK23", "--agent", "alphabeta:depth=3,endgames=2"),
    "analyse_partly": ("draughts-8x8", "B:WK30:B22,K25", "--agent", "minimax:3,endgames=2"),
}


@pytest.mark.parametrize("name", EXACT)
def test_exact_values_are_marked(name, no_tables):
    result = run(*EXACT[name])
    assert result.exit_code == 0, result.stderr
    found = answer(*EXACT[name])
    shown = result.stdout + json.dumps(found, indent=1) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("HALMA_GOLDEN") == "write":
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")
    assert found["proven"] and "proven" in result.stdout


def test_tree_search_has_the_same_exact_values(no_tables):
    wanted = answer("ewn-3x3-3", MIDDLE)
    found = answer("ewn-3x3-3", MIDDLE, "--agent", "mcts:sims=50,evaluator=solution")
    assert found["simulations"] == 0  # every move is known
    assert found["proven"] and found["value"] == pytest.approx(wanted["value"], abs=1e-15)
    for mine, exact in zip(found["moves"], wanted["moves"], strict=True):
        assert mine["value"] == pytest.approx(exact["value"], abs=1e-15)
        assert [mine[key] for key in ("move", "proof", "proven")] == [exact["move"], "exact", True]


def test_estimates_are_not_marked():
    found = answer("rhombus-6x6-6", "start", "--agent", "mcts:sims=50")
    assert not found["proven"]
    assert not any(move["proven"] for move in found["moves"])


def test_the_default_agent(no_tables):
    assert answer("rhombus-4x4-3", "start")["agent"] == "optimal"
    assert answer("rhombus-7x7-6", "start")["agent"].startswith("net:rhombus-7x7-6,sims=")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ewn-3x3-3", "start", "--agent", "mcts:sims=5"), "an outcome of chance is next"),
        (("ewn-3x3-3", ".../.../a.1 b -", "--agent", "mcts:sims=5"), "the game is over"),
        (("ewn-3x3-3", MIDDLE, "--agent", "greedy"), "cannot analyse"),
        (("ewn-3x3-3", MIDDLE, "--agent", "mcts"), "needs a limit"),
        (("ewn-3x3-3", "12 r 2", "--agent", "mcts:sims=5"), "3 rows"),
        (("ewn-3x3", MIDDLE, "--agent", "mcts:sims=5"), "no variant"),
        (("star-37-3p", "start", "--agent", "mcts:sims=5,solver=on"), "two players"),
        (
            ("draughts-8x8", "start", "--agent", "alphabeta:depth=1,endgames=6"),
            "run 'halma solve draughts-8x8 --pieces 6' first",
        ),
        (
            (
                "ewn-5x5-6",
                "...../..1../...../...a./..... r 1",
                "--agent",
                "mcts:5,evaluator=solution",
            ),
            "run 'halma solve ewn-5x5-6' first",
        ),
        (("rhombus-4x4-3", "start", "--agent", "minimax:endgames=3"), "has no endgame tables"),
        (("draughts-8x8", "start", "--agent", "minimax:solution=on"), "no way to solve it"),
    ],
)
def test_an_error_is_one_line(arguments, words, no_tables):
    assert words in refusal_of("analyse", *arguments)


def human(typed, *more):
    return subprocess.run(
        [*HALMA, "play", "human", "greedy", "--game", "rhombus-4x4-3", *more],
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_person_plays_through_a_pipe():
    result = human("nonsense\na1-a3\nquit\n", "--json")
    assert result.returncode == 0
    found = json.loads(result.stdout)
    assert found["moves"][0] == "a1-a3"
    assert found["plies"] == 2
    assert found["end"] == "because a player left"
    assert "'nonsense' is not a move" in result.stderr


def test_a_person_who_leaves_is_let_go():
    result = human("quit\n")
    assert result.returncode == 0
    assert "because a player left" in result.stdout
    assert "Traceback" not in result.stderr
