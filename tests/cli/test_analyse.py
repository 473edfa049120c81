"""`halma analyse`, and a person playing through a pipe."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from halma.cli.app import app

HALMA = [sys.executable, "-m", "halma.cli"]
MIDDLE = "12./3.a/.cb r 2"


def run(*arguments):
    return CliRunner().invoke(app, ["analyse", *arguments], prog_name="halma")


def answer(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


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
        assert set(move) == {"move", "value", "visits", "prior", "policy", "proof", "line"}
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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ewn-3x3-3", "start", "--agent", "mcts:sims=5"), "chance has to speak first"),
        (("ewn-3x3-3", ".../.../a.1 b -", "--agent", "mcts:sims=5"), "the game is over"),
        (("ewn-3x3-3", MIDDLE, "--agent", "greedy"), "has nothing to say"),
        (("ewn-3x3-3", MIDDLE, "--agent", "mcts"), "needs a limit"),
        (("ewn-3x3-3", "12 r 2", "--agent", "mcts:sims=5"), "3 rows"),
        (("ewn-3x3", MIDDLE, "--agent", "mcts:sims=5"), "no variant"),
        (("star-37-3p", "start", "--agent", "mcts:sims=5,solver=on"), "two players"),
    ],
)
def test_what_is_wrong_is_one_line(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


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
