"""Running the halma command, in this process or in one of its own."""

import json
import signal
import subprocess
import sys

from typer.testing import CliRunner

from halma.cli.app import app

HALMA = [sys.executable, "-m", "halma.cli"]
#: a position of ewn-3x3-3
MIDDLE = "12./3.a/.cb r 2"


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), prog_name="halma")


def start(command, **more):
    """Start a command; it hears Ctrl-C whatever the tests themselves were told."""
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **more,
    )


def answer(*arguments):
    """Run with --json; standard output must be exactly one object."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def refused(*arguments):
    """Run a wrong command and return its error, which must be one line."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("halma: ")
    assert lines[0].endswith((".", "?"))
    return lines[0]
