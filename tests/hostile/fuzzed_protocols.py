"""What the fuzzer sends to the engine's protocols: sessions of several lines."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from hostile.fuzzer import Target

from halma.agents.hub_lines import parse_line
from halma.engine.analysis import AnalysisServer
from halma.engine.hub import HubServer
from halma.games import game

_START = "B" + 12 * "b" + 8 * "e" + 12 * "w"
_HUB = (
    "hub\ninit\nnew-game\nlevel move-time=0.01\ngo think\nstop",
    'set-param name=agent value="alphabeta:depth=1"\nlevel depth=2\ngo analyze\nstop\nping',
    f'pos pos={_START} moves="11-15 22-18 15x22x18"\nlevel time=1 moves=5 inc=0.1\ngo think\nstop',
    "set-param name=variant value=english\nlevel infinite\ngo ponder\nponder-hit\nstop\nquit",
    f"pos pos=W{8 * 'e'}BB{10 * 'e'}ww{8 * 'e'}Ww\ngo think\nstop",
)
_QUERIES = (
    {"id": "a", "game": "ewn-3x3-3", "position": "12./3.a/.cb r 2", "limits": {"depth": 1}},
    {"id": "b", "game": "draughts-8x8", "moves": ["11-15", "22-18", "15x22"], "turns": [0, 3]},
    {"id": "c", "game": "ewn-3x3-3", "position": "12./3.a/.cb r -", "agent": "expectimax:depth=1"},
    {"id": "d", "game": "rhombus-3x3-1", "agent": "mcts:sims=4", "seed": 3, "candidates": 2},
    {"id": "e", "action": "terminate", "terminate_id": "a"},
    {"id": "f", "action": "query_version"},
    {"id": "g", "game": "star-37-3p", "limits": {"time": 0.001, "nodes": 10}, "priority": 5},
)
_JSON = (
    *(json.dumps(query) for query in _QUERIES),
    "\n".join(json.dumps(query) for query in _QUERIES[:4]),
)


@contextmanager
def _lines(module: str, text: str, last: list[str]) -> Iterator[list[str]]:
    """Give a server the lines of a text, and collect what it writes."""
    written: list[str] = []
    given = [line.strip() for line in text.split("\n") if line.strip()] + last
    with (
        patch(f"{module}.read_lines", lambda: iter(given)),
        patch(f"{module}.write_line", written.append),
    ):
        yield written


def _read_hub() -> Callable[[str], object]:
    draughts = game("draughts-8x8")

    def read(text: str) -> object:
        server = HubServer(draughts, "random", 0)
        with _lines("halma.engine.hub", text, []) as written:
            server.run()
        for line in written:
            command, _ = parse_line(line)
            assert command in {"id", "param", "wait", "ready", "pong", "info", "done", "error"}
            assert "\n" not in line
        return written

    return read


def _read_json(text: str) -> object:
    server = AnalysisServer(None, "alphabeta:depth=1", 0, 1)
    end = json.dumps({"id": "end", "action": "terminate_all"})
    with _lines("halma.engine.analysis", text, [end]) as written:
        server.run()
    for line in written:
        answer = json.loads(line)
        assert isinstance(answer, dict) and "id" in answer and "\n" not in line
    assert len(written) > sum(bool(line.strip()) for line in text.split("\n")), "no answer"
    return written


def _query(rng: random.Random) -> str:
    """Return a query of fields that other queries have."""
    pool = {key: [one[key] for one in _QUERIES if key in one] for one in _QUERIES for key in one}
    keys = ["id", *rng.sample(list(pool), rng.randrange(1, len(pool)))]
    return json.dumps({key: rng.choice(pool[key]) for key in keys})


def protocol_targets(folder: Path) -> list[Target]:
    """Return the protocols of `halma engine`."""
    return [
        Target("lines of the Hub protocol", _HUB, _read_hub()),
        Target("lines of JSON", _JSON, _read_json, _query),
    ]
