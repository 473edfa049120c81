"""Runs halma with odd standard streams in children that are forked from one process.

A process that has imported halma is forked for every command, which takes milliseconds. In the
child the streams are closed, broken or full, and Python's own objects for them are made as at
the start of an interpreter.
"""

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

#: A command that runs for longer hangs.
SECONDS = 60
#: What a stream may be, beside captured.
CLOSED, BROKEN, FULL = "closed", "broken", "full"


@dataclass(frozen=True)
class Ran:
    status: int
    out: bytes
    err: bytes


class ForkServer:
    """The process to fork, seen from the tests."""

    def __init__(self, **environment) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )

    def run(self, folder, words, streams=("", "", ""), encoding=None, **environment):
        """Run a command in a folder; an empty name of a stream captures it.

        Without an encoding, the streams have that of the server's own.
        """
        with tempfile.TemporaryDirectory() as captured:
            files = [Path(captured, name) for name in ("in", "out", "err")]
            for file in files:
                file.touch()
            request = {
                "folder": str(folder),
                "words": [os.fsencode(word).hex() for word in words],
                "streams": [kind or str(f) for kind, f in zip(streams, files, strict=True)],
                "encoding": encoding,
                "environment": environment,
            }
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            status = int(self._process.stdout.readline())
            return Ran(status, files[1].read_bytes(), files[2].read_bytes())

    def close(self) -> None:
        self._process.communicate()


def _serve() -> None:
    from typer.testing import CliRunner

    import halma.arena
    import halma.lab
    import halma.learn  # noqa: F401
    from halma.bench.harness import Measurement
    from halma.cli.app import app
    from halma.cli.bench import BENCHMARKS

    def measure(effort, seed):
        """Stand for a benchmark, of which the report is tested."""
        yield Measurement("rhombus-7x7-6 playouts", 1e6, "plies/s", 2e6)
        yield "Something was left out."

    for name in BENCHMARKS:
        setattr(importlib.import_module(f"halma.bench.{name}"), f"measure_{name}", measure)
    for words in ("games", "analyse ewn-3x3-3 start"):  # imports what most verbs need
        CliRunner().invoke(app, words.split())
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(_run(json.loads(line)))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(status, flush=True)


def _run(request) -> int:
    """Run a command in this process, and return its exit status."""
    signal.alarm(SECONDS)
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    for number, kind in enumerate(request["streams"]):
        _redirect(number, kind)
    _open_streams(request["encoding"] or sys.__stdout__.encoding)
    sys.argv = ["halma", *(os.fsdecode(bytes.fromhex(word)) for word in request["words"])]
    from halma.cli import main

    status = 0
    try:
        main()
    except SystemExit as left:
        status = left.code or 0
    except BaseException:
        status = 1
        with contextlib.suppress(OSError):
            if sys.stderr is not None:
                traceback.print_exc()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except BaseException:
        return 120  # as at the exit of an interpreter
    return status if isinstance(status, int) else 1


def _redirect(number: int, kind: str) -> None:
    if kind == CLOSED:
        os.close(number)
    elif kind == BROKEN:
        reading, writing = os.pipe()
        os.close(reading)
        os.dup2(writing, number)
        os.close(writing)
    else:
        path = "/dev/full" if kind == FULL else kind
        opened = os.open(path, os.O_RDWR)
        os.dup2(opened, number)
        os.close(opened)


def _open_streams(encoding: str) -> None:
    """Make Python's standard streams anew; a closed one is None."""
    streams = {}
    for number, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "replace")):
        try:
            os.fstat(number)
        except OSError:
            streams[number] = None
        else:
            streams[number] = open(  # noqa: SIM115
                number, mode, encoding=encoding, errors=errors, closefd=False
            )
    sys.stdin, sys.stdout, sys.stderr = streams.values()


if __name__ == "__main__":
    _serve()
