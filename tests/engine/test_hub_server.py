"""`halma engine --protocol hub`, as a draughts program uses it."""

import random
import signal
import sys
import time
from dataclasses import replace

import pytest
from cli.cli_helpers import HALMA, refused
from engine_helpers import engine

from halma.agents.hub_lines import parse_line
from halma.arena import make_plan, play_matches
from halma.engine.hub import read_level
from halma.engine.players import SearchLimits
from halma.errors import HalmaError
from halma.games import game

DRAUGHTS = game("draughts-8x8")
#: white to move can take on 15, or on 15 and 8
WHITE_TAKES = DRAUGHTS.hub.format_position(DRAUGHTS.position("W:W18:B15,8,1"))


def ready(hub):
    """Go through the first lines of the protocol; return the parameters declared."""
    hub.send("hub")
    lines = []
    while (line := hub.receive()) != "wait":
        lines.append(parse_line(line))
    hub.send("init")
    assert hub.receive() == "ready"
    assert lines[0][0] == "id" and lines[0][1]["name"] == "halma"
    return {given["name"]: given for command, given in lines if command == "param"}


def done(hub):
    """Return the arguments of `done`, and those of the `info` line before it."""
    info = {}
    while (line := parse_line(hub.receive()))[0] != "done":
        assert line[0] == "info", line
        info = line[1]
    return line[1], info


def test_a_session():
    with engine("--protocol", "hub", "--agent", "alphabeta:depth=3") as hub:
        declared = ready(hub)
        assert declared["variant"]["value"] == "english"
        assert declared["agent"]["value"] == "alphabeta:depth=3"
        hub.send("new-game")
        hub.send(f"pos pos={WHITE_TAKES}")
        hub.send("level depth=5")
        hub.send("go think")
        found, info = done(hub)
        assert found["move"].startswith("18x") and found["move"].endswith(("x15", "x8x15"))
        assert info["pv"].split()[0] == found["move"] and float(info["score"]) > -10
        hub.send("ping")
        assert hub.receive() == "pong"
        hub.send(f'pos pos={DRAUGHTS.hub.format_position(DRAUGHTS.start())} moves="11-15 23-19"')
        hub.send("go analyze")
        found, info = done(hub)
        assert info["depth"] == "5"
        hub.send("quit")
        assert hub.end() == (0, "")


def test_stop_ponder_and_infinite():
    with engine("--protocol", "hub") as hub:
        ready(hub)
        for level, go in (("infinite", "think"), ("move-time=0.2", "ponder")):
            hub.send(f"level {level}")
            hub.send(f"go {go}")
            hub.send("ping")
            assert hub.receive() == "pong"
            hub.send("go think")
            assert "has to wait" in hub.receive()
            hub.send("stop")
            assert done(hub)[0]["move"]
        began = time.monotonic()
        hub.send("go ponder")
        hub.send("ponder-hit")
        assert done(hub)[0]["move"]
        assert time.monotonic() - began < 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_a_search(number):
    with engine("--protocol", "hub") as hub:
        ready(hub)
        hub.send("level infinite")
        hub.send("go think")
        time.sleep(0.3)
        hub.process.send_signal(number)
        assert hub.process.wait(10) == 128 + number
        assert hub.process.stderr.read() == b"halma: Stopped.\n"


def test_hostile_lines():
    lines = [
        b"pos", b"pos pos=", b"pos pos=X", b"pos pos=" + b"B" * 10_000, b"\xff\xfe =", b'a "',
        b"level depth=0", b"level depth=nan", b"level move-time=-1", b"level move-time=1e999",
        b"level time=x", b"set-param name=variant value=frisian", b"set-param name=agent value=no",
        b"set-param name=agent value=hub:cat", b"set-param name=agent value=/tmp/x.py",
        f"pos pos={WHITE_TAKES} moves=1-2".encode(), b"x" * (1 << 21),
        f"pos pos={WHITE_TAKES} moves=\"{'18-14 ' * 5000}\"".encode(),
    ]  # fmt: skip
    with engine("--protocol", "hub", "--agent", "alphabeta:depth=2") as hub:
        for line in lines:
            hub.send(line)
            assert hub.receive().startswith("error message="), line
        over = DRAUGHTS.hub.format_position(DRAUGHTS.position("B:W18:B"))
        hub.send(f"pos pos={over}")
        hub.send("go think")
        assert "the game is over" in hub.receive()
        hub.send("unknown command=1")  # ignored, as the protocol asks
        rng = random.Random(3)
        for _ in range(200):
            junk = bytes(rng.randrange(256) for _ in range(rng.randrange(60))).replace(b"\n", b"")
            hub.send(junk.replace(b"quit", b""))
        hub.send(b"ping")
        while (line := hub.receive()) != "pong":
            assert line.startswith("error message="), line
        status, said = hub.end()
        assert (status, said) == (0, "")


def test_what_cannot_be_served():
    assert "has no Hub notation" in refused(
        "engine", "--protocol", "hub", "--game", "rhombus-4x4-3"
    )
    assert "There is no agent 'nobody'" in refused(
        "engine", "--protocol", "hub", "--agent", "nobody"
    )
    assert "greedy" in refused("engine", "--protocol", "hub", "--agent", "greedy")
    assert "cannot answer" in refused("engine", "--protocol", "hub", "--agent", "human")


def test_levels():
    assert read_level({"infinite": ""}) is None
    assert read_level({"depth": "7"}) == SearchLimits(depth=7)
    assert read_level({"move-time": "0.5"}) == SearchLimits(time=0.5)
    assert read_level({"time": "60", "moves": "20", "inc": "1"}) == SearchLimits(time=4.0)
    assert read_level({"time": "1", "moves": "1"}) == SearchLimits(time=0.5)
    assert read_level({"time": "0"}) == SearchLimits(time=0.001)
    for wrong in ({"depth": "x"}, {"time": "-1"}, {"move-time": ""}, {"time": "1", "moves": "0"}):
        with pytest.raises(HalmaError):
            read_level(wrong)


def test_our_agent_meets_our_engine():
    assert HALMA[0] == sys.executable
    command = f"{' '.join(HALMA)} engine --protocol hub --agent alphabeta:depth=2"
    plan = make_plan(
        "draughts-8x8", [f"hub:command={command},time=0.02,margin=20,start=60", "random"]
    )
    (tally,) = play_matches([replace(plan, max_plies=40)], 2)
    assert not tally.failures and tally.all.losses == 0
