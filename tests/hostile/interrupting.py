"""Commands that are interrupted with SIGINT, and how long they take to end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

#: Seconds that a person waits for a command to end after Ctrl-C.
PATIENCE = 0.3
#: Exit statuses: of a command, and of Python where its own end is interrupted.
STOPPED = (130, -signal.SIGINT)
#: A line of a traceback of ours. Python's own start-up, up to the first lines of `main`, handles
#: signals in its own way.
_IN_HALMA = re.compile(r'File ".*/halma/(?!__init__|__main__)')

#: Arguments of commands that take much longer than a test, by name.
COMMANDS = {
    "analyse": "analyse draughts-8x8 start --agent mcts:sims=100000000",
    "bench rules": "bench rules",
    "bench solve": "bench solve",
    "calibrate": "calibrate draughts-8x8 --games 100000",
    "check": "check star-121-6p --games 1000",
    "match, 1 worker": (
        "match mcts:sims=100000000 minimax:depth=40 --game draughts-8x8 --workers 1"
    ),
    "match, 2 workers": (
        "match mcts:sims=100000000 minimax:depth=40 --game draughts-8x8 --workers 2"
    ),
    "match, many games": "match random random --game ewn-5x5-6 --games 1000000 --workers 2",
    "perft": "perft draughts-8x8 30",
    "play": "play mcts:sims=100000000 mcts:sims=100000000 --game draughts-8x8",
    "reproduce": "reproduce hsueh2023 fig8",
    "solve": "solve rhombus-5x5-6 --verify",
    "solve with chance": "solve ewn-4x3-4 --verify",
    "solve endgames": "solve draughts-8x8 --pieces 5 --verify",
    "tournament": "tournament mcts:sims=100000000 random greedy --game rhombus-7x7-6",
    "train": "train quick --out run",
    "train a table": "train hsueh2023/ewn-3x4-3 --out run",
    "tune": "tune hsueh2023/ewn-3x4-3 --metric wr_p --out tuned",
    "truth": "truth ewn-3x3-3 --agents mcts:sims=100000000",
}


@dataclass(frozen=True)
class Ending:
    """How a command ended after SIGINT."""

    status: int
    seconds: float
    #: what it wrote to standard error
    errors: str

    def fault(self, saves: bool = False) -> str:
        """Return what is wrong with it, if anything; a command that saves may take longer."""
        # Other work on the machine makes everybody wait.
        busy = max(1.0, 1 + os.getloadavg()[0] / len(os.sched_getaffinity(0)))
        if "Traceback" in self.errors and not _IN_HALMA.search(self.errors):
            return ""
        if self.status not in STOPPED or "Traceback" in self.errors:
            return f"status {self.status}: {self.errors}"
        if self.seconds > PATIENCE * busy * (3 if saves else 1):
            return f"{self.seconds:.2f} s"
        return ""


def interrupt(command: str, after: float, folder: Path) -> Ending | None:
    """Run `halma COMMAND` in a folder and send SIGINT; None if it had ended by itself before.

    The signal goes to the process group, as a terminal sends it.
    """
    arguments = [sys.executable, "-m", "halma", *command.split()]
    with subprocess.Popen(
        arguments,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(after)
        if process.poll() is not None:
            return None
        sent = time.perf_counter()
        os.killpg(process.pid, signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            _, errors = process.communicate()
        return Ending(process.returncode, time.perf_counter() - sent, errors)
