"""An agent of an earlier version of halma, so that strengths can be compared.

    halma match alphabeta:time=0.1 \
        "scripts/earlier_version.py:EarlierVersion:revision=3b6e75e,agent=alphabeta:time=0.1" \
        --game rhombus-9x9-10

The agent's name is written with ; where it has a comma. The revision is installed into
build/earlier/ once, which takes some minutes, and its Python answers for moves in a process of its
own (scripts/earlier_server.py). With `python` any interpreter that has a halma is used instead.
"""

from __future__ import annotations

import fcntl
import json
import random
import subprocess
import time
from pathlib import Path

from halma import Record
from halma.errors import EngineError, OptionError
from halma.programs import Program, ProgramFailure

ROOT = Path(__file__).resolve().parent.parent
SERVER = Path(__file__).with_name("earlier_server.py")
VERSIONS = ROOT / "build" / "earlier"


class EarlierVersion:
    """Asks an agent of a revision for moves; `wait` is the longest time for one, in seconds."""

    def __init__(self, revision="", agent="greedy", python="", wait=600.0):
        if bool(revision) == bool(python):
            raise OptionError("Either 'revision' or 'python' must be given.")
        self.agent = agent.replace(";", ",")
        self.python = python or str(installed(revision))
        self.wait = wait
        self._program: Program | None = None

    def choose(self, record: Record, rng: random.Random) -> str:
        """Return the text of the agent's move."""
        question = {
            "variant": record.game.name,
            "start": record.start.text,
            "moves": record.texts,
            "seed": rng.getrandbits(63),
        }
        try:
            if self._program is None:
                self._program = Program([self.python, str(SERVER), self.agent])
                self._answer()
            self._program.send(json.dumps(question))
            answer = self._answer()
        except ProgramFailure as failure:
            self._program = None
            raise EngineError(f"'{self.agent}' of '{self.python}' {failure}") from None
        if "error" in answer:
            raise EngineError(f"'{self.agent}' of '{self.python}': {answer['error'].rstrip('.')}")
        return answer["move"]

    def _answer(self) -> dict[str, str]:
        try:
            return json.loads(self._program.receive(time.monotonic() + self.wait))
        except TimeoutError:
            self._program.end()
            raise ProgramFailure(f"did not answer within {self.wait:g} s") from None


def installed(revision: str) -> Path:
    """Return the Python of a revision, installed if need be."""
    found = run("git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if found.returncode:
        raise OptionError(f"There is no revision '{revision}'.")
    commit = found.stdout.decode().strip()
    folder = VERSIONS / commit[:12]
    folder.mkdir(parents=True, exist_ok=True)
    # Processes of a match may come here together.
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "Makefile").exists():
            archive = run("git", "archive", commit).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        made = run("make", "-C", str(folder), ".venv/.installed")
        if made.returncode:
            last = (made.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
            raise OptionError(f"Revision '{revision}' cannot be installed in {folder}: {last}")
    return folder / ".venv" / "bin" / "python"


def run(*words: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in the repository."""
    return subprocess.run(words, cwd=ROOT, capture_output=True)
