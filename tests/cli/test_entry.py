"""The ways in: version, help, `python -m halma`, completion, and the package's own names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from cli_helpers import run

import halma
from halma.cli import completion
from halma.cli.app import app
from halma.learn.recipe import names as recipe_names

COMMANDS = typer.main.get_command(app).commands


def call(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "halma", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_version():
    assert run("--version").stdout == f"halma {halma.__version__}\n"
    assert call("--version").stdout == f"halma {halma.__version__}\n"


@pytest.mark.parametrize(
    ("given", "count"),
    [({}, "1000"), ({"GOMP_SPINCOUNT": "5"}, "5"), ({"OMP_WAIT_POLICY": "ACTIVE"}, "None")],
)
def test_waiting_threads_of_torch_leave_their_cores_to_others(given, count):
    script = """
import os
import halma.cli, halma.cli.app
halma.cli.app.app = lambda prog_name: print(os.environ.get("GOMP_SPINCOUNT"))
halma.cli.main()
"""
    known = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    environment = {key: value for key, value in os.environ.items() if key not in known} | given
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == f"{count}\n"


def paths():
    yield ()
    for name, command in COMMANDS.items():
        yield (name,)
        yield from ((name, inner) for inner in getattr(command, "commands", ()))


@pytest.mark.parametrize("words", list(paths()), ids=" ".join)
def test_help_is_complete_and_fits_into_a_terminal(words):
    long, short = run(*words, "--help"), run(*words, "-h")
    assert (short.exit_code, short.stdout) == (0, long.stdout)
    assert max(map(len, long.stdout.splitlines())) <= 80
    # The list of commands cuts long descriptions.
    assert "..." not in long.stdout.partition("Commands:")[2]


def complete(line, shell="bash"):
    """Return what the shell offers for the last word of a line."""
    words = line.split(" ")
    found = call(
        _HALMA_COMPLETE=f"complete_{shell}", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1)
    )
    return found.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("halma sol", ["solve"]),
        ("halma show ewn-5", ["ewn-5x5-6"]),
        ("halma match gre", ["greedy"]),
        ("halma match greedy random --game draughts", ["draughts-8x8"]),
        ("halma train qui", ["quick"]),
        ("halma reproduce he", ["he2016"]),
        ("halma show no-such-name", []),
    ],
)
def test_the_shell_completes_names(line, offered):
    assert complete(line) == offered


def test_nothing_typed_offers_every_name():
    assert completion.variants("") == halma.variant_names()
    assert completion.recipes("") == recipe_names()
    assert {"random", "mcts", "net", "human"} <= set(completion.agents(""))
    assert "hsueh2023" in completion.papers("")


def test_completion_is_installed_for_the_shell_that_asks(tmp_path):
    command = f"'{sys.executable}' -m halma --install-completion"
    done = subprocess.run(
        ["bash", "-c", f"{command}; true"],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    (script,) = tmp_path.rglob("halma.sh")
    assert "complete -o default -F _halma_completion halma" in script.read_text()
    assert str(script) in (tmp_path / ".bashrc").read_text()


def test_subpackages_are_imported_at_first_use():
    code = (
        "import sys, halma\n"
        "print([m for m in ('numpy', 'halma.agents', 'halma.draw.svg') if m in sys.modules])\n"
        "print(halma.agents.agent('random').name, halma.load_network.__name__)\n"
        "print(hasattr(halma, 'no_such_thing'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[]", "random load_network", "False"], done.stderr


def test_star_import_needs_no_extra():
    code = "import sys; sys.modules['pettingzoo'] = None\nfrom halma import *\nprint(load_network)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "load_network" in done.stdout, done.stderr


def test_the_version_stands_in_every_place():
    root = Path(__file__).resolve().parents[2]
    for name in ("pyproject.toml", "CITATION.cff"):
        text = (root / name).read_text(encoding="utf-8")
        assert f"version: {halma.__version__}" in text or f'version = "{halma.__version__}"' in text
