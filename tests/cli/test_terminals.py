"""Every verb with odd standard streams; `tests/hostile/test_all_terminals.py` has all pairs."""

import os
import re
import subprocess

import pytest
from cli.quick_commands import ENDLESS, QUICK, WITH_CLUSTERS, WITHOUT_OUTPUT
from cli.terminals import TERMINALS, check, prepared_server
from cli_helpers import HALMA, answer
from typer.main import get_command

from halma.cli.app import app
from halma.streams import plain


@pytest.fixture(scope="module")
def terminal(tmp_path_factory):
    with prepared_server(tmp_path_factory.mktemp("terminals")) as run:
        yield run


def test_the_table_of_commands_has_every_verb():
    verbs = {
        f"{name} {inner}".strip()
        for name, command in get_command(app).commands.items()
        for inner in getattr(command, "commands", [""])
    }
    assert {*QUICK, *ENDLESS, *WITH_CLUSTERS} == verbs


@pytest.mark.parametrize("verb", QUICK)
def test_closed_output_and_error(terminal, verb):
    ran = terminal(QUICK[verb], streams=("closed", "closed", "closed"))
    assert ran.status == 0


@pytest.mark.parametrize("verb", QUICK)
def test_a_broken_pipe(terminal, verb):
    ran = terminal(QUICK[verb], streams=("", "broken", ""))
    assert ran.status == (0 if verb in WITHOUT_OUTPUT else 141)
    assert b"Error" not in ran.err


@pytest.mark.parametrize("name", TERMINALS)
def test_a_match_on_every_terminal(terminal, name):
    check(terminal, "match", name)


@pytest.mark.parametrize("verb", ["analyse", "bench rules", "train"])
def test_a_narrow_terminal(terminal, verb):
    check(terminal, verb, "COLUMNS=1")


@pytest.mark.parametrize("words", ["--help", "--version", "match --help", "show no-such-game"])
@pytest.mark.parametrize("name", ["broken output", "full output", "everything closed"])
def test_help_and_errors(terminal, words, name):
    ran = terminal(words, streams=TERMINALS[name].streams)
    failed = {"broken output": 141, "full output": 2, "everything closed": 0}[name]
    assert ran.status == (2 if words.startswith("show") else failed)
    assert b"Traceback" not in ran.err


def test_replacements_keep_results_legible(terminal):
    ran = terminal(
        "tournament random greedy --game ewn-3x3-3 --games 20 --workers 1", encoding="ascii"
    )
    assert b"elo    +-" in ran.out and b"?" not in ran.out
    ran = terminal(QUICK["match"], encoding="ascii")
    assert b"pairs with 0, 1/2, 1, 1 1/2, 2 points: " in ran.out
    assert plain("EWN₃₃₄: 2½ ± ∞ → ü, ε ≥ 0 …") == "EWN334: 21/2 +- inf -> u, epsilon >= 0 ..."


def test_escape_sequences_do_not_reach_the_terminal(terminal, tmp_path):
    (tmp_path / "\x1b[2J\x1b]0;title\x07").mkdir()
    os.symlink("/no/such/file", tmp_path / "\x1b[2J.db")
    for words in (
        ["show", "\x1b[2J"],
        ["match", "random", "random", "--game", "ewn-3x3-3", "--games", "\x1b[2J"],
        ["\x1b[2J\x9b"],
        ["replay", "\x1b[2J.db"],
        ["show", "ewn-3x3-3", "--svg", "\x1b[2J\x1b]0;title\x07/a.svg"],
        ["report", "\x1b]0;title\x07"],
    ):
        ran = terminal(words, folder=tmp_path)
        assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", ran.out + ran.err), words


@pytest.mark.parametrize(
    "words",
    ["{}", "show {}", "show ewn-3x3-3 {}", "perft ewn-3x3-3 {}", "match {} random --game ewn-3x3-3",
     "match random random --game {}", "match a b --game c --sprt {}", "replay {}", "convert {}",
     "convert games.db --to {}", "solve ewn-3x3-4 --memory {}", "train {}", "train quick --set {}",
     "report {}", "reproduce {}", "reproduce he2016 {}", "bench {}", "show ewn-3x3-3 {} {} {}",
     "play random random --game ewn-3x3-3 --save {}", "analyse ewn-3x3-3 start --roll {}",
     "match random greedy --game ewn-3x3-3 --db {}", "tournament a b --game c --anchor {}"],
)  # fmt: skip
def test_long_arguments_are_not_echoed_whole(terminal, words):
    ran = terminal(words.replace("{}", "x" * 39_000))
    assert ran.status == 2 and ran.out == b""
    assert 0 < len(ran.err) < 1500 and b"Traceback" not in ran.err


# In processes of their own.


def test_workers_of_a_process_with_closed_streams(tmp_path):
    words = "match random greedy --game ewn-3x3-3 --games 8 --workers 2 --db games.db"
    line = f"{' '.join(HALMA)} {words} <&- >&- 2>&-"
    assert subprocess.run(["bash", "-c", line], cwd=tmp_path).returncode == 0
    assert answer("replay", tmp_path / "games.db")["matches"][0]["games"] == 8


@pytest.mark.parametrize(
    ("ends", "status"),
    [(">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0), ("| true", 141), ("> /dev/full", 2)],
)
def test_an_interpreter_with_odd_streams(ends, status):
    line = f"{' '.join(HALMA)} analyse ewn-3x3-3 start {ends}; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert ran.returncode == status and "Traceback" not in ran.stderr, ran.stderr
    assert ("halma: Standard output: No space left on device." in ran.stderr) == (status == 2)
