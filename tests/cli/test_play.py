"""`halma play` with a person: scripted input through a pipe, and a pseudo-terminal."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_helpers import HALMA, MIDDLE, answer, refused, run

import halma

PROMPT = "player 1, red: your move (or help): "


def person(typed, *arguments, opponent="greedy", game="rhombus-4x4-3"):
    """Play as the first player, typing these lines or bytes; `arguments` come last."""
    data = typed if isinstance(typed, bytes) else typed.encode()
    ran = subprocess.run(
        [*HALMA, "play", "human", opponent, "--game", game, *map(str, arguments)],
        input=data,
        capture_output=True,
        timeout=60,
    )
    ran.stdout, ran.stderr = ran.stdout.decode(), ran.stderr.decode()
    assert "Traceback" not in ran.stderr
    return ran


def moves_of(typed, *arguments, **more):
    """Return the moves and outcomes of such a game."""
    return json.loads(person(typed, *arguments, "--json", **more).stdout)["moves"]


def test_a_person_plays_through_a_pipe():
    result = person("nonsense\nA1 a3\nquit\n", "--json")
    assert result.returncode == 0
    found = json.loads(result.stdout)
    assert found["moves"][0] == "a1-a3"
    assert found["plies"] == 2
    assert (found["end"], found["result"]) == ("because a player left", None)
    assert "'nonsense' is not a move" in result.stderr
    assert f"2. player 2, blue: {found['moves'][1]}" in result.stderr


@pytest.mark.parametrize("typed", ["quit\n", "exit\n", "EXIT\n", "", "a1-a3\n"])
def test_leaving_ends_the_game_and_says_how_to_continue(typed):
    result = person(typed)
    assert result.returncode == 0
    assert "because a player left" in result.stdout
    assert "The game is not saved. To play on from this position: " in result.stderr
    assert "--position" in result.stderr


def test_the_board_is_shown_once_a_move():
    result = person("a1-a3\na2-a4\nquit\n")
    shown = result.stdout + result.stderr
    assert shown.count("player 1 (red) moves") == 3
    assert shown.count("player 2 (blue) moves") == 0


def test_the_last_moves_are_marked_on_the_board():
    board = person("a1-a3\nquit\n", "--seed", 1).stderr.split(PROMPT)[1]
    line, *drawn = board.splitlines()
    start, end = re.fullmatch(r"2\. player 2, blue: (\w+)-(\w+)", line).groups()
    assert start != end
    assert "".join(drawn).count("<") == 2


# Commands.


def test_help_tells_every_command():
    told = person("help\n?\nquit\n").stderr
    for word in ("moves", "hint", "undo", "save", "resign", "quit"):
        assert len(re.findall(rf"^{word} ", told, re.M)) == 2


def test_moves_are_listed():
    legal = [move.text for move in halma.game("rhombus-4x4-3").start().legal_moves]
    told = person("moves\nmoves A2\nmoves z9\nquit\n").stderr.split(PROMPT)
    assert told[1].split() == legal
    assert told[2].split() == [text for text in legal if "a2" in text.split("-")]
    assert told[3].strip() == "No legal move has the cell 'z9'."


def test_a_hint_is_a_good_move():
    told = person("hint\nquit\n").stderr.split(PROMPT)[1]
    best = halma.game("rhombus-4x4-3").start().find(told.split()[0])
    assert best.text == answer("analyse", "rhombus-4x4-3", "start")["best"]


def test_undo_takes_back_own_move_and_the_reply():
    assert moves_of("a1-a3\nundo\nquit\n") == []
    twice = moves_of("a1-a3\na2-a4\nundo\nquit\n", "--seed", 1)
    assert twice == moves_of("a1-a3\nquit\n", "--seed", 1)
    told = person("undo\nquit\n").stderr
    assert "There is no move of yours to take back." in told


def test_undo_keeps_the_dice():
    """Moves that are taken back and played again meet the same dice and the same replies."""
    once = moves_of("c9c9\nhint\nquit\n", "--seed", 3, game="ewn-3x3-3")
    legal = halma.Record(halma.game("ewn-3x3-3"))
    for text in once:
        legal.resolve(text)
    move = legal.position.legal_moves[0].text
    played = moves_of(f"{move}\nquit\n", "--seed", 3, game="ewn-3x3-3", opponent="random")
    again = moves_of(
        f"{move}\nundo\n{move}\nquit\n", "--seed", 3, game="ewn-3x3-3", opponent="random"
    )
    assert len(played) > len(once)
    assert again == played


def test_two_persons_take_back_one_move():
    assert moves_of("a1-a3\nundo\na1-c1\nd4-d2\nundo\nquit\n", opponent="human") == ["a1-c1"]


def test_resigning_loses():
    found = json.loads(person("a1-a3\nresign\n", "--json").stdout)
    assert (found["end"], found["result"], found["plies"]) == ("by resignation", [0, 1], 2)
    assert "Over after 2 plies, by resignation." in person("a1-a3\nresign\n").stdout


def test_three_players_cannot_resign():
    ran = subprocess.run(
        [*HALMA, "play", "human", "random", "random", "--game", "star-37-3p", "--json"],
        input="resign\nhelp\nquit\n",
        capture_output=True,
        text=True,
    )
    assert "'resign' is not possible in this game." in ran.stderr
    assert "resign " not in ran.stderr.split(PROMPT)[2]
    assert json.loads(ran.stdout)["end"] == "because a player left"


# Hostile input: one sentence, and the game goes on.


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\x80 \x9f",
        b"\x1b[2J\x1b[H",
        b"\0a\0",
        b"a" * 100_000,
        "\u202e\U0001f3b2 ½".encode(),
        b"a1-a3; rm -rf /",
        b"../../etc/passwd",
        b"a1-a3-a1-a3",
        b"moves " + b"x" * 10_000,
        b"save /dev/null/game.jsonl\0",
        b"save .",
        b"save game.pdn",
        b"undo undo undo",
        b"%s%n{0}",
        b"-1",
    ],
)
def test_hostile_input_is_one_sentence(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = person(line + b"\na1-a3\nquit\n", "--json")
    assert json.loads(result.stdout)["plies"] == 2
    said = result.stderr.split(PROMPT)[1]
    assert said.count("\n") == 1 and said.endswith(".\n") and "\x1b" not in said
    assert len(said) < 300
    assert list(tmp_path.iterdir()) == []


# Positions and files.


def test_a_game_from_a_position():
    found = answer("play", "random", "random", "--game", "ewn-3x3-3", "--position", MIDDLE)
    assert found["start"] == MIDDLE
    assert found["moves"][0] in ("b1-b2", "b1-c1", "b1-c2")


def test_a_saved_game_is_continued(tmp_path):
    file = tmp_path / "game.jsonl"
    first = person("a1-a3\nquit\n", "--save", file, "--seed", 7, opponent="random")
    assert f"The game is saved in '{file}'. To continue it: " in first.stderr
    assert f"play human random --game rhombus-4x4-3 --save {file}" in first.stderr
    kept = json.loads(file.read_text())
    assert (kept["seed"], kept["plies"], kept["result"]) == (7, 2, None)
    second = person("a3-a4\nquit\n", "--save", file, "--json", opponent="random")
    assert "continued after 2 plies" in second.stderr
    found = json.loads(second.stdout)
    assert (found["seed"], found["plies"]) == (7, 4)
    # As if it had never been left.
    through = moves_of("a1-a3\na3-a4\nquit\n", "--seed", 7, opponent="random")
    assert found["moves"] == json.loads(file.read_text())["moves"] == through
    person("resign\n", "--save", file)
    shown = run("replay", str(file), "1")
    assert "by resignation" in shown.stdout
    over = person("", "--save", file)
    assert over.returncode == 2 and "is over" in over.stderr


def test_save_at_the_prompt(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = person("save\na1-a3\nsave\nsave mine.jsonl\nquit\n").stderr
    assert "The game is saved in 'rhombus-4x4-3.jsonl', from now on after every move." in told
    assert "--save mine.jsonl" in told
    first, second = (
        json.loads((tmp_path / name).read_text()) for name in ("rhombus-4x4-3.jsonl", "mine.jsonl")
    )
    assert first == second and first["plies"] == 2
    # A file that is there is not replaced.
    assert "'mine.jsonl' exists already" in person("save mine.jsonl\nquit\n").stderr
    person("save\nquit\n")
    assert (tmp_path / "rhombus-4x4-3-2.jsonl").exists()
    assert json.loads((tmp_path / "mine.jsonl").read_text())["plies"] == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"my thesis", "not a saved game"),
        (b"", "not a saved game"),
        (b"\xff\0" * 100, "not a saved game"),
        (b'{"variant": "draughts-8x8"}', "not a saved game of 'rhombus-4x4-3'"),
        (b'{"variant": "rhombus-4x4-3", "moves": ["a1-a1"]}', "not a saved game"),
        (b'{"variant": "rhombus-4x4-3"}\n' * 2, "not a saved game"),
        (b'{"variant": "rhombus-4x4-3", "result": [1, 0]}', "is over"),
    ],
)
def test_other_files_are_not_touched(content, words, tmp_path):
    file = tmp_path / "kept.jsonl"
    file.write_bytes(content)
    arguments = ("play", "random", "random", "--game", "rhombus-4x4-3", "--save", file)
    assert words in refused(*arguments)
    assert file.read_bytes() == content


def test_wrong_files_and_positions(tmp_path):
    begin = ("play", "random", "random", "--game", "rhombus-4x4-3")
    assert "JSON lines, not as '.pdn'" in refused(*begin, "--save", "game.pdn")
    assert "it is a folder" in refused(*begin, "--save", tmp_path)
    assert "has 1 parts" in refused(*begin, "--position", "here")
    file = tmp_path / "game.jsonl"
    run(*begin, "--save", file, "--plies", 1)
    person("quit\n", "--save", tmp_path / "other.jsonl")
    other = "..2./2..2/1.../11.. 2"
    refusal = refused(*begin, "--save", tmp_path / "other.jsonl", "--position", other)
    assert "starts from another position" in refusal


def test_a_game_of_a_file_is_saved_under_a_short_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example = Path(__file__).resolve().parents[2] / "examples" / "hexapawn.py"
    ran = subprocess.run(
        [*HALMA, "play", "--game", str(example)], input=b"save\nb1b2\nquit\n", capture_output=True
    )
    assert b"Traceback" not in ran.stderr and ran.returncode == 0
    (file,) = tmp_path.iterdir()
    assert file.name == "hexapawn.py-Hexapawn.jsonl"
    assert json.loads(file.read_text())["plies"] == 2


def test_open_seats_play_best():
    found = json.loads(person("quit\n", "--json", opponent="human").stdout)
    assert found["agents"] == ["human", "human"]
    for arguments in ([], ["human"]):
        ran = subprocess.run(
            [*HALMA, "play", *arguments, "--game", "rhombus-4x4-3", "--json"],
            input=b"quit\n",
            capture_output=True,
        )
        assert json.loads(ran.stdout)["agents"] == ["human", "best"]


def test_six_seats_and_partners():
    ran = subprocess.run(
        [*HALMA, "play", "human", *["greedy"] * 5, "--game", "star-73-6p:teams=opposite", "--json"],
        input="d3-d4\nquit\n",
        capture_output=True,
        text=True,
    )
    found = json.loads(ran.stdout)
    assert found["plies"] == 6 and found["agents"] == ["human", *["greedy"] * 5]
    assert found["seats"][1] == {
        "player": 2,
        "name": "player 2",
        "colour": "blue",
        "seat": "lower left",
        "partners": [5],
    }
    assert "player 1, red     bottom       human   partner: player 4, green\n" in ran.stderr
    assert (
        "player 1 (red) moves, partner 4 green; 2 blue + 5 white, 3 yellow + 6 black" in ran.stderr
    )


def test_show_tells_seats_of_three_and_more():
    assert "player 3, yellow  upper right" in run("show", "star-37-3p").stdout
    assert "partner: player 3, yellow" in run("show", "star-73-4p:teams=opposite").stdout
    assert "upper" not in run("show", "rhombus-4x4-3").stdout
    assert [seat["colour"] for seat in answer("show", "ewn-3x3-3")["seats"]] in (
        [None, None],
        ["red", "blue"],
    )


def test_the_end_names_partners():
    told = run("play", *["greedy"] * 4, "--game", "star-73-4p:teams=opposite", "--quiet").stdout
    assert re.search(r"player \d \(\w+\) and player \d \(\w+\) have won", told)
    assert len(re.findall(r"\(greedy\): 1\n", told)) == 2


# Seeds.


def test_a_seed_is_drawn_and_told():
    seeds = {answer("play", "random", "random", "--game", "ewn-3x3-3")["seed"] for _ in range(4)}
    assert len(seeds) > 1
    told = person("quit\n", game="ewn-3x3-3")
    (seed,) = re.findall(r"^seed (\d+)$", told.stdout, re.M)
    assert f"ewn-3x3-3, seed {seed}: red (human), blue (greedy)." in told.stderr
    again = person("quit\n", "--seed", seed, game="ewn-3x3-3")
    assert (again.stdout, again.stderr) == (told.stdout, told.stderr)


# A terminal.


class Terminal:
    """A game on a pseudo-terminal."""

    def __init__(self, *arguments, **environment):
        pid, self._file = pty.fork()
        if pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ.update({"TERM": "xterm", **environment})
            os.execv(sys.executable, [*HALMA, *arguments])
        self._pid, self.seen = pid, ""

    def wait_for(self, words):
        """Read until these words appear, or to the end of the output."""
        until, begin = time.monotonic() + 30, len(self.seen)
        while words not in self.seen[begin:] and time.monotonic() < until:
            if select.select([self._file], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self._file, 65536).decode(errors="replace")
                except OSError:  # the other end is closed
                    return self.seen
        assert time.monotonic() < until, self.seen
        return self.seen

    def type(self, text):
        os.write(self._file, text.encode())

    def finish(self):
        """Return the exit status."""
        self.wait_for("nothing that is ever printed")
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        os.close(self._file)
        return status


GREEDY = ("play", "human", "greedy", "--game", "rhombus-4x4-3")


@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colour_on_a_terminal(environment, coloured):
    terminal = Terminal(*GREEDY, **environment)
    terminal.wait_for(PROMPT)
    terminal.type("a1a3\n")
    terminal.wait_for(PROMPT)
    terminal.type("quit\n")
    assert terminal.finish() == 0
    assert ("\x1b[" in terminal.seen) == coloured
    if coloured:
        plain = re.sub(r"\x1b\[[0-9;]*m", "", terminal.seen).replace("\r", "")
        assert str(halma.game("rhombus-4x4-3").start()) in plain


def test_no_colour_in_a_pipe():
    assert "\x1b" not in person("a1-a3\nresign\n").stderr


@pytest.mark.parametrize(("key", "status"), [("\x04", 0), ("\x03", 130)])
def test_ctrl_c_and_ctrl_d_end_the_game_cleanly(key, status, tmp_path):
    file = tmp_path / "game.jsonl"
    terminal = Terminal(*GREEDY, "--save", str(file))
    terminal.wait_for(PROMPT)
    terminal.type("a1-a3\n")
    terminal.wait_for(PROMPT)
    terminal.type(key)
    assert terminal.finish() == status
    assert "Traceback" not in terminal.seen
    assert "Stopped after 2 plies, because" in terminal.seen
    assert "To continue it: " in terminal.seen
    assert json.loads(file.read_text())["plies"] == 2


def test_ctrl_c_stops_an_opponent_that_thinks(tmp_path):
    file = tmp_path / "game.jsonl"
    terminal = Terminal(
        "play", "human", "mcts:time=60", "--game", "draughts-8x8", "--save", str(file)
    )
    terminal.wait_for("help): ")
    terminal.type("11 15\n")
    while json.loads(file.read_text())["plies"] == 0:
        time.sleep(0.05)
    os.kill(terminal._pid, signal.SIGINT)
    assert terminal.finish() == 130
    assert "Stopped after 1 plies, because it was interrupted." in terminal.seen
