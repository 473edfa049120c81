"""`halma engine` over lines of JSON."""

import json
import random
import signal
import time

import pytest
from cli.cli_helpers import answer, refused
from engine_helpers import engine

import halma


def test_answers_are_those_of_analyse():
    with engine("--agent", "mcts:sims=50", "--seed", "3", "--workers", "2") as server:
        asked = [
            {"id": "rhombus", "game": "rhombus-4x4-3"},
            {"id": "minimax", "game": "draughts-8x8", "agent": "alphabeta:depth=4"},
            {"id": "deeper", "game": "draughts-8x8", "agent": "best", "limits": {"depth": 5}},
            {"id": "die", "game": "ewn-3x3-3", "position": "12./3.a/.cb r -", "candidates": 1},
        ]
        found = server.ask(*asked)
        assert server.end() == (0, "")
    by_hand = [
        ("rhombus", ("analyse", "rhombus-4x4-3", "start", "--agent", "mcts:sims=50")),
        ("minimax", ("analyse", "draughts-8x8", "start", "--agent", "alphabeta:depth=4")),
        ("deeper", ("analyse", "draughts-8x8", "start", "--agent", "best:depth=5")),
        ("die", ("analyse", "ewn-3x3-3", "12./3.a/.cb r -", "--agent", "mcts:sims=50",
                 "--moves", 1)),
    ]  # fmt: skip
    for identifier, command in by_hand:
        expected = answer(*command, "--seed", 3)
        got = found[identifier, 0]
        assert got["terminated"] is False and got["seconds"] >= 0
        for key in ("position", "mover", "value", "moves", "best", "outcomes", "depth"):
            if key in expected:
                wanted = expected[key][:10] if key == "moves" else expected[key]
                assert got[key] == wanted, (identifier, key)


def test_turns_of_a_game():
    moves = ["11-15", "23-19", "8-11", "22-17"]
    with engine("--game", "draughts-8x8", "--agent", "alphabeta:depth=2") as server:
        server.send(json.dumps({"id": "g", "moves": moves, "turns": [0, 2, 4]}))
        found = [json.loads(server.receive()) for _ in range(3)]
    record = halma.Record(halma.game("draughts-8x8"))
    positions = [record.position.text]
    for move in moves:
        record.play(move)
        positions.append(record.position.text)
    assert {one["turn"]: one["position"] for one in found} == {t: positions[t] for t in (0, 2, 4)}


def test_terminate():
    long = {"game": "draughts-8x8", "agent": "mcts:sims=100000000"}
    with engine("--workers", "2") as server:
        server.ask({"id": "v", "action": "query_version"})
        for name in ("a", "b", "c", "d"):
            server.send(json.dumps({"id": name, **long}))
        time.sleep(0.5)
        server.send(json.dumps({"id": "t", "action": "terminate", "terminate_id": "a"}))
        first, second = sorted((json.loads(server.receive()) for _ in range(2)), key=len)
        assert first == {"id": "t", "action": "terminate", "terminate_id": "a"}
        assert second["id"] == "a" and second["terminated"] and second["simulations"] > 0
        # d waits behind b and c
        server.send(json.dumps({"id": "t", "action": "terminate", "terminate_id": "d"}))
        assert json.loads(server.receive())["action"] == "terminate"
        server.send(json.dumps({"id": "u", "action": "terminate_all"}))
        rest = [json.loads(server.receive()) for _ in range(4)]
        by_id = {one["id"]: one for one in rest}
        assert by_id["d"] == {"id": "d", "turn": 0, "terminated": True, "no_results": True}
        assert by_id["b"]["best"] and by_id["c"]["best"] and by_id["u"]["action"]
        assert server.end()[0] == 0


def test_several_at_a_time_and_priorities():
    with engine("--workers", "1", "--game", "draughts-8x8") as server:
        server.ask({"id": "v", "action": "query_version"})
        server.send(json.dumps({"id": "long", "limits": {"time": 0.5}}))
        time.sleep(0.2)
        for name, priority in (("low", 0), ("high", 5)):
            query = {"id": name, "priority": priority, "agent": "alphabeta:depth=1"}
            server.send(json.dumps(query))
        assert [json.loads(server.receive())["id"] for _ in range(3)] == ["long", "high", "low"]


def test_version():
    with engine() as server:
        found = server.ask({"id": "v", "action": "query_version"})
    assert found["v", None]["version"] == halma.__version__


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ({"id": "x"}, "no 'game'"),
        ({"id": 3, "game": "draughts-8x8"}, "'id' that is not a text"),
        ({"game": "draughts-8x8"}, "has no 'id'"),
        ([1, 2], "is not an object"),
        ({"id": "x", "game": "drauhgts-8x8"}, "Did you mean"),
        ({"id": "x", "game": "draughts-8x8", "position": "B"}, "position"),
        ({"id": "x", "game": "draughts-8x8", "moves": ["11-15", "11-15"]}, "entry 2"),
        ({"id": "x", "game": "draughts-8x8", "moves": "11-15"}, "is not a list"),
        ({"id": "x", "game": "draughts-8x8", "turns": [1]}, "from 0 to 0"),
        ({"id": "x", "game": "draughts-8x8", "turns": []}, "from 0 to 0"),
        ({"id": "x", "game": "draughts-8x8", "limit": {"time": 1}}, "is not a field"),
        ({"id": "x", "game": "draughts-8x8", "limits": {"tim": 1}}, "is not a field"),
        ({"id": "x", "game": "draughts-8x8", "limits": {"time": -1}}, "is not a number"),
        ({"id": "x", "game": "draughts-8x8", "limits": {"simulations": 5}}, "is limited by time"),
        ({"id": "x", "game": "draughts-8x8", "agent": "random"}, "cannot analyse"),
        ({"id": "x", "game": "draughts-8x8", "agent": "own.py"}, "named on the command line"),
        ({"id": "x", "game": "draughts-8x8", "agent": "hub:cat"}, "named on the command line"),
        ({"id": "x", "game": "own.py"}, "Python code"),
        ({"id": "x", "game": "draughts-8x8", "position": "B:W18:B"}, "game is over"),
        ({"id": "x", "game": "ewn-5x5-6"}, "give the first ones in 'moves'"),
        ({"id": "x", "action": "dance"}, "is not 'terminate'"),
        ({"id": "x", "action": "terminate"}, "terminate_id"),
    ],
)
def test_wrong_queries(server, query, error):
    server.send(json.dumps(query))
    found = json.loads(server.receive())
    assert error in found["error"]
    assert found["id"] == ("x" if isinstance(query, dict) and query.get("id") == "x" else None)


@pytest.fixture(scope="module")
def server():
    with engine() as running:
        yield running


def test_hostile_lines(server):
    lines = [b"{", b"\xff\x00", b"null", b"[" * 100_000, b'{"id": NaN}', b'{"id": "\\ud800"}',
             b'{"id": "x", "seed": 1e400}', b"9" * 5000, b"x" * (1 << 21)]  # fmt: skip
    for line in lines:
        server.send(line)
        assert json.loads(server.receive())["error"], line
    rng = random.Random(1)
    good = json.dumps({"id": "q", "game": "ewn-3x3-3", "position": "12./3.a/.cb r 2"}).encode()
    for _ in range(200):
        junk = bytearray(good)
        for _ in range(rng.randrange(1, 6)):
            junk[rng.randrange(len(junk))] = rng.randrange(32, 256)
        server.send(bytes(junk))
        assert isinstance(json.loads(server.receive()), dict)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_searches(number):
    with engine("--workers", "2", "--game", "draughts-8x8") as server:
        for name in ("a", "b"):
            server.send(json.dumps({"id": name, "agent": "mcts:sims=100000000"}))
        server.ask({"id": "v", "action": "query_version"})
        time.sleep(0.5)
        server.process.send_signal(number)
        assert server.process.wait(10) == 128 + number
        assert server.process.stderr.read() == b"halma: Stopped.\n"


def test_what_cannot_be_served():
    assert "cannot analyse" in refused("engine", "--agent", "random")
    assert "There is no agent" in refused("engine", "--agent", "nobody")
    assert "greedy" in refused("engine", "--agent", "greedy", "--game", "draughts-8x8")
    refused("engine", "--game", "no-such-game")
