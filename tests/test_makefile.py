"""`make run`: its commands are valid, and can be repeated."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from halma.cli.app import app
from halma.learn import load
from halma.learn.recipe import names

ROOT = Path(__file__).parents[1]
HALMA = [sys.executable, "-m", "halma.cli"]
SHORT = (
    "iterations=1",
    "search.simulations=2",
    "selfplay.games=2",
    "warm_start.games=8",
    "learning.batch_size=16",
    "learning.warmup_steps=1",
    "evaluation.games=2",
)

pytestmark = pytest.mark.skipif(
    shutil.which("make") is None or not (ROOT / "Makefile").exists(), reason="no make"
)


def recipe_of(target):
    """Return the shell commands of a target, as if everything were installed."""
    command = ["make", "--dry-run", "--no-print-directory", "-o", ".venv/.installed", target]
    # These tests may run under make themselves.
    alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, check=True)
    return [shlex.split(line) for line in done.stdout.splitlines()]


def test_make_play_serves_the_page():
    (words,) = recipe_of("play")
    assert words[0].endswith("/halma") and words[1:] == ["serve"]


@pytest.fixture(scope="module")
def commands():
    """What `make run` asks of halma, without the program's name."""
    return [words[1:] for words in recipe_of("run") if words[0].endswith("/halma")]


def test_a_couple_of_plain_commands(commands):
    assert [words[0] for words in commands] == ["train", "tournament"]
    group = typer.main.get_command(app)
    for words in commands:
        with group.make_context("halma", list(words), resilient_parsing=False) as context:
            name, verb, rest = group.resolve_command(context, list(words))
            verb.make_context(name, rest, parent=context)  # refuses what it does not know
    train, tournament = commands
    recipe = load(train[1])
    assert recipe == load("quick")
    assert tournament[1:4] == ["net:runs/quick/best.onnx", "greedy", "random"]
    assert tournament[tournament.index("--game") + 1] == recipe.game.name == "rhombus-7x7-6"


def test_what_it_says_comes_next_can_be_done():
    said = [words[1].split() for words in recipe_of("run") if words[0] == "echo" and words[1:]]
    for words in said:
        if words and words[0].endswith("/halma") and words[1] == "train":
            assert words[2] == "runs/quick" or words[2] in names()
    going_on = [words for words in said if "--iterations" in words]
    assert len(going_on) == 1 and int(going_on[0][4]) > load("quick").settings.iterations
    assert any(words[1:3] == ["play", "human"] for words in said)
    assert any("report.html" in word for words in said for word in words)


def test_it_runs_twice_and_goes_on(commands, tmp_path):
    """A short form: the second time nothing is trained, and games are played again."""
    train, tournament = commands
    train = [*train, "--threads", "1"]
    short = [word for setting in SHORT for word in ("--set", setting)]
    tournament = ["2" if word == "100" else word for word in tournament] + ["--workers", "1"]
    tournament[1] += ",sims=2"

    def run(words):
        done = subprocess.run([*HALMA, *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done

    for sentence in ("from the beginning", "finished already"):
        learning = run([*train, *short])
        assert sentence in learning.stderr
        assert "report.html in a browser" in learning.stderr
        assert "play human net:runs/quick/best.onnx" in learning.stderr
        assert (tmp_path / "runs" / "quick" / "report.html").exists()
        table = run(tournament).stdout
        assert "net:runs/quick/best.onnx" in table and "greedy" in table and "random" in table
    longer = run(["train", "runs/quick", "--iterations", "2", "--threads", "1"])
    assert "continued after iteration 1" in longer.stderr
    assert len((tmp_path / "runs/quick/metrics.jsonl").read_text().splitlines()) == 2
