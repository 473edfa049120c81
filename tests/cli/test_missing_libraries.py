"""Without the libraries of an extra: one sentence with the command that installs them."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from halma import machine
from halma.errors import HalmaError, MissingLibraryError

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "torch",
    "onnx",
    "tensorboard",
    "matplotlib",
    "gymnasium",
    "optuna",
    "pettingzoo",
    "PIL",
)


def run_without(libraries, code, folder):
    """Run code in a process in which these libraries cannot be imported."""
    block = f"import sys\nsys.modules.update(dict.fromkeys({libraries!r}))\n"
    return subprocess.run(
        [sys.executable, "-c", block + code], capture_output=True, text=True, cwd=folder
    )


def halma(*arguments):
    return f"sys.argv = ['halma', *{arguments!r}]\nfrom halma.cli import main\nmain()"


@pytest.mark.parametrize(
    ("library", "extra", "arguments"),
    [
        ("torch", "train", ("train", "quick")),
        ("onnx", "train", ("train", "quick")),
        ("matplotlib", "reports", ("reproduce", "he2016", "fig3")),
        ("torch", "train", ("reproduce", "hsueh2023", "fig24")),
        ("optuna", "tune", ("tune", "hsueh2023/ewn-3x3-3", "--metric", "wr_p")),
        ("torch", "train", ("tune", "quick", "--metric", "strength")),
        ("matplotlib", "reports", ("reproduce", "hsueh2023", "all")),
    ],
)
def test_a_command_asks_before_it_works(library, extra, arguments, tmp_path):
    done = run_without([library], halma(*arguments), tmp_path)
    sentence = f'halma: This needs {library}, which is not installed: pip install "halma[{extra}]".'
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{sentence}\n")
    assert not list(tmp_path.iterdir())


def test_a_library_that_nobody_asked_for_in_advance(tmp_path):
    done = run_without(
        ["onnx"],
        "from halma.cli.verb import verb\n@verb\ndef run():\n    import onnx.helper\nrun()",
        tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr.endswith('onnx, which is not installed: pip install "halma[train]".\n')


def test_other_missing_modules_are_not_hidden(tmp_path):
    code = "from halma.cli.verb import verb\n@verb\ndef run():\n    import no_such_module\nrun()"
    assert "no_such_module" in run_without([], code, tmp_path).stderr
    assert "Traceback" in run_without([], code, tmp_path).stderr


@pytest.mark.parametrize("library", ["gymnasium", "pettingzoo"])
def test_environments(library, tmp_path):
    code = (
        "import halma\n"
        "try: halma.envs.env('ewn-3x3-3')\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    done = run_without([library], code, tmp_path)
    sentence = f'This needs {library}, which is not installed: pip install "halma[envs]".'
    assert done.stdout == f"MissingLibraryError {sentence}\n", done.stderr


@pytest.mark.parametrize("module", ["export", "weights", "architectures.build"])
def test_modules_that_make_networks(module, tmp_path):
    code = (
        f"try: import halma.networks.{module}\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    done = run_without(["torch"], code, tmp_path)
    sentence = 'This needs torch, which is not installed: pip install "halma[train]".'
    assert done.stdout == f"MissingLibraryError {sentence}\n", done.stderr


def test_a_plain_install_plays_and_trains_tables(tmp_path):
    """Nothing of an extra is imported by what needs none."""
    commands = [
        ("--version",),
        ("play", "net:rhombus-7x7-6,sims=2", "greedy", "--game", "rhombus-7x7-6", "--quiet"),
        ("solve", "ewn-3x3-3"),
        ("reproduce", "he2016", "table1", "--draw"),
    ]
    for command in commands:
        done = run_without(LIBRARIES, halma(*command), tmp_path)
        assert done.returncode == 0, done.stderr


def test_every_extra_is_one_of_the_package():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for library, (package, extra) in machine._EXTRAS.items():
        names = [re.match(r"[\w-]+", needed)[0] for needed in extras[extra]]
        assert package in names, library


def test_require(monkeypatch):
    machine.require("json")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingLibraryError, match="torch") as caught:
        machine.require("json", "torch")
    assert isinstance(caught.value, HalmaError) and isinstance(caught.value, ImportError)
