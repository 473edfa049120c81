"""`make run`: its commands are understood, and do what is promised, twice over."""

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
SHORT = ("iterations=3", "search.simulations=10", "selfplay.games=50", "grading.games=100")

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


@pytest.fixture(scope="module")
def commands():
    """What `make run` asks of halma, without the program's name."""
    return [words[1:] for words in recipe_of("run") if words[0].endswith("/halma")]


def test_a_couple_of_plain_commands(commands):
    assert [words[0] for words in commands] == ["train", "match"]
    group = typer.main.get_command(app)
    for words in commands:
        with group.make_context("halma", list(words), resilient_parsing=False) as context:
            name, verb, rest = group.resolve_command(context, list(words))
            verb.make_context(name, rest, parent=context)  # refuses what it does not know
    train, match = commands
    recipe = load(train[1])
    assert recipe == load("hsueh2023/ewn-3x3-3")
    assert match[1:3] == [f"learned:runs/{train[1]}", "optimal"]
    assert match[match.index("--game") + 1] == recipe.game.name


def test_what_it_says_comes_next_can_be_done():
    said = [words[1].split() for words in recipe_of("run") if words[0] == "echo" and words[1:]]
    for words in said:
        if words and words[0].endswith("/halma") and words[1] == "train":
            assert words[2] in names()
            break
    else:
        pytest.fail("It does not say how to go on.")
    assert any("report.html" in word for words in said for word in words)


def test_it_runs_twice(commands, tmp_path):
    """A short form: the second time nothing is learnt, and the match is played again."""
    train, match = commands
    train = [*train, "--threads", "1", *(word for s in SHORT for word in ("--set", s))]
    match = ["10" if word == "1000" else word for word in match] + ["--workers", "1"]
    for sentence in ("from the beginning", "finished already"):
        learning = subprocess.run([*HALMA, *train], cwd=tmp_path, capture_output=True, text=True)
        assert learning.returncode == 0, learning.stderr
        assert sentence in learning.stderr
        assert "points won against perfect play; 50% is perfect" in learning.stderr
        assert "report.html in a browser" in learning.stderr
        assert "play human learned:runs/hsueh2023/ewn-3x3-3" in learning.stderr
        assert (tmp_path / "runs" / "hsueh2023" / "ewn-3x3-3" / "report.html").exists()
        playing = subprocess.run([*HALMA, *match], cwd=tmp_path, capture_output=True, text=True)
        assert playing.returncode == 0, playing.stderr
        assert "10 games in 5 pairs" in playing.stdout
