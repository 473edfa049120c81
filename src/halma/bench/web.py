"""`halma bench web`: 50 people who play at the same time against levels, over HTTP.

The server runs as `halma serve` does. People think for a second or so between their moves; the time
of an answer is that of the agent's move as a browser sees it, with all who wait before it.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halma.bench.harness import Effort, Measurement
from halma.errors import HalmaError
from halma.machine import require

PEER = "none"
PLAYERS = 50
#: games and levels that people choose, in turn
TABLES = (
    ("rhombus-7x7-6", 1),
    ("draughts-8x8", 3),
    ("ewn-5x5-6", 4),
    ("cdc-4x8", 2),
    ("star-121-2p", 2),
)
#: of a level-1 agent's answer to a single player
ALONE_GOAL = 0.15
_ALONE_MOVES = 15
#: seconds that a person thinks
_THINKING = (0.5, 1.5)
#: seconds of the measurement, complete and quick
_LONG, _SHORT = 60.0, 8.0
_START_SECONDS = 60.0


@dataclass
class BenchPlayer:
    """A person with a browser."""

    port: int
    rng: random.Random
    #: seconds of every answer of an agent
    answers: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    game: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the answer to a request."""
        headers = {"Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        self._connection.request(method, f"/api{path}", content, headers)
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        if response.status >= 400:
            raise HalmaError(answer["error"])
        return answer

    def sit_down(self, variant: str, level: int) -> None:
        """Begin a game against a level."""
        agents = ["human", f"best:level={level}"]
        self.game = self.ask("POST", "/games", {"variant": variant, "agents": agents})

    def move(self) -> None:
        """Play a random move, or wait for the agent's."""
        path = f"/games/{self.game['id']}"
        if self.game["turn"] == "human":
            chosen = self.rng.choice(self.game["board"]["legal"])
            self.game = self.ask("POST", f"{path}/move", {"move": chosen["move"]})
        if self.game["turn"] == "agent":
            began = time.perf_counter()
            self.game = self.ask("POST", f"{path}/agent-move", {})
            self.answers.append(time.perf_counter() - began)

    def play(self, variant: str, level: int, until: float) -> None:
        """Play one game after the other until a time."""
        try:
            self.sit_down(variant, level)
            while time.monotonic() < until:
                self.move()
                if self.game["turn"] == "over":
                    self.sit_down(variant, level)
                time.sleep(self.rng.uniform(*_THINKING))
        except (HalmaError, OSError, http.client.HTTPException) as error:
            self.errors.append(str(error) or type(error).__name__)

    def lost(self) -> bool:
        """Whether the server no longer has the game as it was seen last."""
        try:
            found = self.ask("GET", f"/games/{self.game['id']}")
        except (HalmaError, OSError, KeyError, http.client.HTTPException):
            return True
        return bool(found["board"]["moves"] != self.game["board"]["moves"])


def measure_web(effort: Effort, seed: int) -> Iterator[Measurement | str]:
    """Measure the answers of a server: to one player, then to 50 at once."""
    require("fastapi", "uvicorn", "websockets")
    with _server() as (process, port):
        alone = BenchPlayer(port, random.Random(seed))
        alone.sit_down(*TABLES[0])
        alone.move()  # loads the network
        alone.answers.clear()
        while len(alone.answers) < _ALONE_MOVES and alone.game["turn"] != "over":
            alone.move()
        yield Measurement(
            "one player, level 1: median", _share(alone.answers, 0.5), "s", ALONE_GOAL, True
        )
        until = time.monotonic() + (_LONG if effort.long else _SHORT)
        clients = [
            BenchPlayer(port, random.Random(f"{seed}/{number}")) for number in range(PLAYERS)
        ]
        threads = [
            threading.Thread(target=client.play, args=(*TABLES[number % len(TABLES)], until))
            for number, client in enumerate(clients)
        ]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - began
        answers = [answer for client in clients for answer in client.answers]
        errors = [error for client in clients for error in client.errors]
        yield Measurement(f"{PLAYERS} players: answers", len(answers) / seconds, "moves/s")
        for share in (0.5, 0.95, 0.99):
            yield Measurement(
                f"{PLAYERS} players: {share:.0%} of answers within", _share(answers, share), "s"
            )
        failed = f"{PLAYERS} players: requests that failed"
        yield Measurement(failed, len(errors), "requests", 0, True)
        lost = sum(client.lost() for client in clients)
        yield Measurement(f"{PLAYERS} players: games lost", lost, "games", 0, True)
        yield Measurement(
            "memory of the server and its workers", _memory(process.pid) / 2**20, "MiB"
        )
        yield from sorted(set(errors))[:5]


def _share(values: Sequence[float], share: float) -> float:
    """Return the value that this share of all is not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


@contextmanager
def _server() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run `halma serve` on a free port."""
    with tempfile.TemporaryDirectory(prefix="halma-") as folder:
        command = [sys.executable, "-m", "halma", "serve", "--no-browser", "--port", "0"]
        command += ["--games", str(Path(folder) / "games.db"), "--databases", folder]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)/", process.stdout.readline())
            if found is None:
                raise HalmaError("The server did not start.")
            port = int(found[1])
            _wait(port)
            yield process, port
        finally:
            process.terminate()
            process.wait(30)


def _wait(port: int) -> None:
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            BenchPlayer(port, random.Random(0)).ask("GET", "/info")
            return
        except OSError:
            if time.monotonic() > until:
                raise HalmaError("The server did not answer.") from None
            time.sleep(0.1)


def _memory(process: int) -> int:
    """Return the bytes of memory that a process and those it started have in use."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except (OSError, ValueError):  # it has ended
            continue
        parents[int(lines["Pid"])] = int(lines["PPid"])
        sizes[int(lines["Pid"])] = int(lines.get("VmRSS", "0").split()[0]) * 1024
    total, family = 0, {process}
    while family:
        total += sum(sizes.get(member, 0) for member in family)
        family = {child for child, parent in parents.items() if parent in family}
    return total
