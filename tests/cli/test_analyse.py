"""`halma analyse`."""

import json
import os
from pathlib import Path

import pytest
from cli_helpers import MIDDLE
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


# Positions at chance.


def test_every_outcome_is_analysed(no_tables):
    at_chance = "12./3.a/.cb r -"
    found = answer("ewn-3x3-3", at_chance)
    assert (found["position"], found["mover"], found["proven"]) == (at_chance, 0, True)
    rolls = found["outcomes"]
    assert [roll["outcome"] for roll in rolls] == ["1", "2", "3"]
    assert [roll["probability"] for roll in rolls] == pytest.approx([1 / 3] * 3)
    for roll in rolls:
        alone = answer("ewn-3x3-3", f"12./3.a/.cb r {roll['outcome']}")
        assert (roll["best"], roll["value"]) == (alone["best"], alone["value"])
        assert roll["moves"] == alone["moves"]
    # The value of the start over all set-ups is known: tests/solve. Here it is the mean.
    assert found["value"] == pytest.approx(sum(roll["value"] for roll in rolls) / 3)
    assert answer("ewn-3x3-3", at_chance, "--roll", "2") == answer("ewn-3x3-3", MIDDLE)


def test_the_start_of_a_game_of_chance(no_tables):
    rolled = run("ewn-3x3-3", "start", "--roll", "3")
    assert "red's die: 3" in rolled.stdout
    assert "The set-up is drawn with seed 0: " in rolled.stderr
    every = run("ewn-3x3-3", "start")
    for words in ("outcome", "odds", "0.333", "mean value for red: 0."):
        assert words in every.stdout
    placed = answer("ewn-3x3-3", "start", "--roll", "123", "--roll", "321", "--roll", "2")
    assert placed["position"] == "12./3.a/.bc r 2"
    drawn = {answer("ewn-3x3-3", "start", "--roll", "1", "--seed", n)["position"] for n in range(5)}
    assert len(drawn) > 1 and all(position.endswith(" r 1") for position in drawn)


def test_an_outcome_may_end_the_game():
    # Black's last piece is turned up; it is red's turn, who has none left to move or capture.
    found = answer("cdc-2x4-PPPP", "P..*/.... b p 2", "--agent", "mcts:sims=20")
    (only,) = found["outcomes"]
    assert (only["outcome"], only["probability"]) == ("p", 1.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ewn-3x3-3", "start", "--roll", "7"), "'7' cannot happen here. Possible: 1, 2, 3."),
        (("ewn-3x3-3", MIDDLE, "--roll", "2"), "no outcome of chance is next"),
        (("ewn-3x3-3", "start", "--roll", "1", "--roll", "1"), "no outcome of chance is next"),
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
