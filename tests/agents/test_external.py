"""Programs of other people as players: test doubles that play well, and ones that misbehave."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.cli_helpers import answer, refused

from halma.agents import agent, check_agent
from halma.agents.external import reversible_part
from halma.agents.hub_lines import format_line, parse_line
from halma.arena import GameStore, make_plan, play_matches
from halma.errors import EngineError, MoveError, NameSyntaxError, PositionError, UnknownAgentError
from halma.games import Record, game

DOUBLES = Path(__file__).resolve().parents[1] / "doubles"
DRAUGHTS = game("draughts-8x8")


def hub(behaviour="well", **options):
    given = {"time": 0.2, "margin": 5, **options}
    pairs = ",".join(f"{key}={value}" for key, value in given.items())
    return f"hub:{sys.executable} {DOUBLES / 'hub_engine.py'} {behaviour},{pairs}"


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The double of CheckerBoard engines, compiled."""
    path = tmp_path_factory.mktemp("engines") / "double.so"
    source = DOUBLES / "checkerboard_engine.c"
    compiler = os.environ.get("CC", "cc")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-w", "-o", str(path), str(source)], check=True
    )
    return path


def play(first, second, games=2, **options):
    plan = make_plan("draughts-8x8", [first, second], opening_plies=4, max_plies=60)
    (tally,) = play_matches([plan], games, **options)
    return tally


@pytest.mark.parametrize("behaviour", ["well", "chatty"])
def test_a_match_against_a_hub_engine(behaviour):
    tally = play(hub(behaviour), "random", games=4, workers=2)
    assert tally.games == 4 and not tally.failures


def test_a_match_against_a_checkerboard_engine(library):
    tally = play(f"checkerboard:{library},time=0.2", "random", games=4, workers=2)
    assert tally.games == 4 and not tally.failures


def test_engines_meet_each_other(library):
    tally = play(hub(), f"checkerboard:{library}")
    assert tally.games == 2 and not tally.failures


@pytest.mark.parametrize(
    ("behaviour", "options", "reason"),
    [
        ("hang", {"margin": 0.3}, "did not answer within 0.5 s (its 0.2 s and a margin of 0.3 s)"),
        ("late", {"margin": 0.1}, "did not answer within 0.3 s"),
        ("crash", {}, "ended with status 3 (out of? luck)"),
        ("illegal", {}, "chose a wrong move in 'B:W"),
        ("garbage", {}, "is not a move such as 11-15"),
    ],
)
def test_a_hub_engine_that_fails_loses_that_game(behaviour, options, reason):
    tally = play(hub(behaviour, **options), "random")
    assert tally.games == 2 and tally.all.losses == 2
    assert all(end.startswith("by an error") and "hub_engine.py" in end for end in tally.ends)
    assert any(reason in end for end in tally.ends), tally.ends


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (1, "did not answer within 0.6 s"),
        (2, "ended by SIGABRT"),
        (3, "no move was made"),
        (4, "No legal move leads to the board"),
        (7, "ended with status 4"),
    ],
)
def test_a_checkerboard_engine_that_fails_loses_that_game(library, behaviour, reason):
    name = f"checkerboard:{library},time=0.2,margin=0.4,set=behaviour:{behaviour}"
    tally = play(name, "random")
    assert tally.all.losses == 2
    assert all(reason in end for end in tally.ends), tally.ends


@pytest.mark.parametrize("behaviour", [5, 6])
def test_a_checkerboard_engine_may_wait_for_the_end_of_its_time_and_print(library, behaviour):
    name = f"checkerboard:{library},time=0.02,margin=5,set=behaviour:{behaviour}"
    assert not play(name, "random").failures


def test_a_tournament_goes_on(library, tmp_path):
    found = answer(
        *("tournament", hub("crash"), f"checkerboard:{library},time=0.1", "random"),
        *("--game", "draughts-8x8", "--games", 2, "--plies", 40, "--workers", 2),
        *("--db", tmp_path / "games.db"),
    )
    assert found["games"] == 6
    assert any("ended with status 3" in warning for warning in found["warnings"])
    with GameStore(tmp_path / "games.db", read_only=True) as store:
        ends = [one.end for match in store.matches() for _, one in store.games(match.id)]
    assert sum(end.startswith("by an error: 'hub:") for end in ends) == 4


# What cannot be used is refused before anything is played.


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hub:./no-such-engine", "There is no program './no-such-engine' that can be run."),
        ("hub:./data.txt", "There is no program './data.txt' that can be run."),
        ("hub", "write hub:PROGRAM"),
        ("hub:'open", "is not a command: no closing quotation"),
        ("hub:./engine,time=0", "'time' cannot be '0'"),
        ("hub:cat,start=0.3", "'hub:cat,start=0.3' is not ready after 0.3 s."),
        ("hub:false", "'hub:false' ended with status 1."),
        ("hub:cat,set=hash", "'hash' is not a setting of the form name:value."),
        ("checkerboard:none.so", "There is no library 'none.so'."),
        ("checkerboard:data.txt", "cannot be loaded"),
        ("checkerboard", "write checkerboard:LIBRARY.so"),
        (hub("silent", start=0.4), "is not ready after 0.4 s"),
        (hub("deaf", start=0.8), "is not ready after 0.8 s"),
        (hub("error"), "reports an error: no licence"),
        (hub("frisian"), "plays normal, frisian, not english"),
        (hub(set="hash:3"), "has no setting 'hash': it has variant, book"),
    ],
)
def test_engines_that_cannot_be_used(tmp_path, monkeypatch, name, reason):
    monkeypatch.chdir(tmp_path)
    Path("data.txt").write_text("no engine\n")
    for verb in ("match", "play"):
        assert reason in refused(verb, name, "random", "--game", "draughts-8x8")


def test_a_library_of_another_kind(library, tmp_path):
    source = (DOUBLES / "checkerboard_engine.c").read_text()
    for name, change in (
        ("italian", ("gametype = 21", "gametype = 22")),
        ("none", ("getmove", "x")),
    ):
        (tmp_path / f"{name}.c").write_text(source.replace(*change))
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-w", "-o", tmp_path / f"{name}.so", tmp_path / f"{name}.c"],
            check=True,
        )
    with pytest.raises(EngineError, match="plays CheckerBoard's game 22, not 21"):
        check_agent(agent(f"checkerboard:{tmp_path / 'italian.so'}"), DRAUGHTS)
    with pytest.raises(EngineError, match=r"cannot be loaded: .*getmove"):
        check_agent(agent(f"checkerboard:{tmp_path / 'none.so'}"), DRAUGHTS)


def test_other_games_are_refused(library):
    for name in (hub(), f"checkerboard:{library}"):
        assert "do not play it" in refused("match", name, "random", "--game", "rhombus-4x4-3")


def test_names():
    with pytest.raises(NameSyntaxError):
        agent("hub:")
    found = agent("hub:python engine.py --depth 3,time=0.5,set=book:false;hash:64")
    assert found.command == ("python", "engine.py", "--depth", "3")
    assert found.settings == {"book": "false", "hash": "64"}
    assert agent(found.name) == found
    assert found.name == "hub:python engine.py --depth 3,time=0.5,set=book:false;hash:64"
    with pytest.raises(UnknownAgentError):
        agent("hubb:engine.py x")


# Processes.


def children():
    # A sanitizer, which sanitized tests preload, would stop ps for ever.
    plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = ["ps", "-ewwo", "pid,args"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=plain)
    return [line for line in found.stdout.splitlines() if "hub_engine.py" in line]


def test_engines_end_with_the_process_that_started_them():
    code = (
        "import random, time; from halma.agents import agent; from halma.games import Record, game;"
        f"a = agent({hub('late', margin=30)!r});"
        "a.choose(Record(game('draughts-8x8')), random.Random(0));"
        "print('ready', flush=True); time.sleep(60)"
    )
    before = children()
    for number in (signal.SIGKILL, signal.SIGTERM):
        ours = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert ours.stdout.readline() == b"ready\n"
        assert len(children()) > len(before)
        ours.send_signal(number)
        ours.wait()
        until = time.monotonic() + 5
        while len(children()) > len(before) and time.monotonic() < until:
            time.sleep(0.05)
        assert len(children()) == len(before)


def test_an_agent_that_is_forgotten_ends_its_engine():
    before = children()
    player = agent(hub())
    player.check(DRAUGHTS)
    assert len(children()) == len(before) + 1
    del player
    assert len(children()) == len(before)


def test_an_engine_is_started_once_for_many_games():
    player = agent(hub())
    rng = random.Random(0)
    record = Record(DRAUGHTS)
    record.play(player.choose(record, rng))
    running = children()
    other = Record(DRAUGHTS)
    other.play(player.choose(other, rng))
    assert children() == running and other.texts == record.texts
    player.close()


# Notation.


def test_the_reversible_part_of_a_game():
    record = Record(DRAUGHTS, DRAUGHTS.position("B:WK32,21:BK1,12"))
    for move in ("12-16", "32-28", "1-6", "28-32"):
        record.play(move)
    start, moves = reversible_part(record)
    assert start.text == "W:W21,K32:BK1,16" and [m.text for m in moves] == ["32-28", "1-6", "28-32"]
    record.play("16-19")
    start, moves = reversible_part(record)
    assert start == record.position and moves == []


def test_moves_of_random_games_in_both_notations():
    rng = random.Random(4)
    for _ in range(12):
        record = Record(DRAUGHTS)
        while not record.is_over:
            position = record.position
            text = DRAUGHTS.hub.format_position(position)
            assert DRAUGHTS.hub.parse_position(text) == position
            for move in position.legal_moves:
                after = position.play(move)
                written = DRAUGHTS.hub.format_move(position, move)
                assert position.play(DRAUGHTS.hub.find(position, written)) == after
                board = DRAUGHTS.checkerboard.board(after)
                assert position.play(DRAUGHTS.checkerboard.find(position, board)) == after
            record.play(rng.choice(position.legal_moves))


def test_the_start_as_other_programs_write_it():
    start = DRAUGHTS.start()
    assert DRAUGHTS.hub.format_position(start) == "B" + 12 * "b" + 8 * "e" + 12 * "w"
    board = DRAUGHTS.checkerboard.board(start)
    # Square 1 is board[6][0], square 4 board[0][0], square 32 board[1][7].
    assert (board[6 * 8], board[0], board[8 + 7], board[7]) == (6, 6, 5, 0)
    assert sorted(board) == [0] * 40 + [5] * 12 + [6] * 12
    assert DRAUGHTS.checkerboard.colour(start) == 2


def test_a_circle_is_one_move_for_hub():
    circle = DRAUGHTS.position("W:WK26:B22,23,14,15")
    written = {DRAUGHTS.hub.format_move(circle, move) for move in circle.legal_moves}
    assert written == {"26x26x14x15x22x23"}
    assert circle.play(DRAUGHTS.hub.find(circle, *written)).is_terminal


@pytest.mark.parametrize("text", ["", "B", "X" + 32 * "e", "B" + 31 * "e", "B" + 32 * "q"])
def test_positions_that_are_none(text):
    with pytest.raises(PositionError):
        DRAUGHTS.hub.parse_position(text)


@pytest.mark.parametrize("text", ["", "11", "11-15x18", "11x15x", "1x2-3", "1111-1", "11-15-19"])
def test_moves_that_are_none(text):
    with pytest.raises(MoveError):
        DRAUGHTS.hub.find(DRAUGHTS.start(), text)


def test_hub_lines():
    line = 'info  depth=21 score = -0.01 pv="32-28 17-22" flag empty=""'
    command, given = parse_line(line)
    assert command == "info"
    assert given == {"depth": "21", "score": "-0.01", "pv": "32-28 17-22", "flag": "", "empty": ""}
    assert parse_line(format_line("x", given)) == ("x", given)
    for wrong in ("", "  ", "=", '"a"', "a b=", 'a b="c', "a =c", "a b=c=d", 'go a="x"y'):
        with pytest.raises(ValueError):
            parse_line(wrong)
