"""A game and an agent in files pass through every verb."""

import json
import re
import shutil
from pathlib import Path

import pytest
from cli_helpers import answer, refused, run

from halma.cli.app import VERBS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GAME, AGENT = "hexapawn.py", "my_agent.py:MyAgent:depth=1"
START = "bbb/.../www white"
#: An agent that raises, plays wrong moves or leaves, and a game that raises.
FAULTY = """
from hexapawn import Hexapawn

class Faulty:
    def __init__(self, how="raise"):
        self.how = how

    def choose(self, record, rng):
        if self.how == "exit":
            exit()
        if self.how == "wrong":
            return "a1-a9"
        return record.position.nothing

class Broken(Hexapawn):
    def play(self, state, move):
        after = super().play(state, move)
        return after if after["mover"] else after["missing"]
"""
LINE = FAULTY.splitlines().index("        return record.position.nothing") + 1


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("hexapawn.py", "my_agent.py", "hexapawn-table.toml"):
        shutil.copy(EXAMPLES / name, tmp_path)
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HALMA_TABLES", raising=False)
    return tmp_path


SMALL = ("--iterations", 2, "--set", "selfplay.games=4", "--set", "truth.games=2", "--threads", 1)
TUNED = ("--trials", 1, "--iterations", 1, "--workers", 1, *SMALL[2:6])

#: Commands of every verb in an order in which each finds the files of those before.
COMMANDS = [
    ("games",),
    ("show", GAME, START, "--move", "a1-a2"),
    ("perft", GAME, 3),
    ("check", GAME, "--games", 2),
    ("solve", GAME),
    ("truth", GAME, "--agents", f"random greedy {AGENT}", "--sample", 20, "--games", 2),
    ("play", AGENT, "optimal", "--game", GAME),
    ("analyse", GAME, "start"),
    ("openings", GAME, "--depth", 0),
    ("match", AGENT, "greedy", "--game", GAME, "--games", 4, "--workers", 2, "--db", "games.db"),
    ("tournament", AGENT, "my_agent.py", "random", "--game", GAME, "--games", 2, "--workers", 1),
    ("replay", "games.db", 1, "--game", GAME),
    ("convert", "games.db", "--out", "games.jsonl", "--game", GAME),
    ("replay", "games.jsonl", 1, "--game", GAME),
    ("train", "hexapawn-table.toml", *SMALL),
    ("tune", "hexapawn-table.toml", "--metric", "err_p", *TUNED),
    ("report", "runs/hexapawn-table"),
    ("match", "tabular:runs/hexapawn-table", AGENT, "--game", GAME, "--games", 2, "--workers", 1),
]


def test_every_verb(folder):
    for command in COMMANDS:
        assert answer(*command), command
        shown = run(*command, *(["--force"] if command[0] == "convert" else []))
        assert shown.exit_code == 0, (command, shown.stderr)
    # A game in Python has no linear evaluation and no inputs, papers name their own games, a
    # network that is exported needs no game, and an engine and a server wait for others.
    assert "hexapawn.py:Hexapawn" in refused("calibrate", GAME)
    assert "hexapawn.py:Hexapawn" in refused("fit", GAME, "--out", "own.safetensors")
    others = {"calibrate", "fit", "reproduce", "export", "engine", "serve"}
    assert {command[0] for command in COMMANDS} == set(VERBS.split()) - others
    assert [path.name for path in Path("tables").iterdir()] == ["hexapawn.table"]


def test_names_are_those_that_find_it_again(folder):
    assert answer("show", "./hexapawn.py")["variant"] == "hexapawn.py:Hexapawn"
    found = answer("play", "my_agent.py", "random", "--game", GAME)
    assert found["agents"] == ["my_agent.py:MyAgent", "random"]
    assert found["variant"] == "hexapawn.py:Hexapawn"


def test_the_same_games_with_any_number_of_workers(folder):
    words = ("match", AGENT, "random", "--game", GAME, "--games", 6)
    one, two = (answer(*words, "--workers", workers) for workers in (1, 2))
    assert one["scores"] == two["scores"] and one["mean_plies"] == two["mean_plies"]


def test_a_run_continues_from_another_folder(folder, monkeypatch):
    first = answer("train", "hexapawn-table.toml", *SMALL)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    longer = answer("train", "../runs/hexapawn-table", "--iterations", 3, "--threads", 1)
    assert (first["iteration"], longer["iteration"]) == (2, 3)
    assert Path("../runs/hexapawn-table/recipe.toml").read_text().count('"../../hexapawn.py:') == 1


# Errors.


@pytest.mark.parametrize("workers", [1, 2])
def test_an_agent_that_raises_loses(folder, workers):
    words = ("faulty.py:Faulty", "random", "--game", GAME, "--opening-plies", 0)
    found = answer("match", *words, "--games", 4, "--workers", workers)
    assert (found["losses"], found["games"]) == (4, 4)
    ((end, count),) = found["ends"].items()
    assert count == 4 and end.startswith("by an error: 'faulty.py:Faulty' failed: ")
    assert f"faulty.py, line {LINE}, in choose: AttributeError: " in end
    assert found["warnings"][0] == f"4 of 4 games were lost {end}."
    shown = run("match", *words, "--games", 4, "--workers", workers)
    assert f"Note: 4 of 4 games were lost {end}." in shown.stdout


@pytest.mark.parametrize("how, sentence", [("wrong", "chose a wrong move"), ("exit", "SystemExit")])
def test_other_faults_of_an_agent_lose_too(folder, how, sentence):
    words = (f"faulty.py:Faulty:how={how}", "random", "--game", GAME, "--opening-plies", 0)
    found = answer("match", *words, "--games", 2, "--workers", 1, "--db", "games.db")
    assert found["losses"] == 2
    assert sentence in next(iter(found["ends"]))
    assert sentence in answer("replay", "games.db", 1, "--game", GAME)["end"]


def test_an_agent_that_raises_loses_a_single_game(folder):
    words = ("play", "random", "faulty.py:Faulty", "--game", GAME)
    found = answer(*words, "--save", "game.jsonl")
    assert found["result"] == [1, 0] and found["plies"] == 1
    assert f"faulty.py, line {LINE}, in choose" in found["end"]
    assert f"faulty.py, line {LINE}, in choose" in run(*words).stdout
    saved = answer("replay", "game.jsonl", 1, "--game", GAME)
    assert (saved["result"], saved["end"]) == ([1, 0], found["end"])


def test_three_players_share_what_one_gives_up(folder):
    words = ("faulty.py:Faulty", "random", "greedy", "--game", "star-37-3p:schulte2021")
    found = answer("match", *words, "--games", 6, "--workers", 1, "--opening-plies", 0)
    assert found["scores"][0] == 0 and found["scores"][1] == found["scores"][2] > 0


BROKEN = r"faulty.py, line \d+, in play: ValueError: no field of name missing\.$"


@pytest.mark.parametrize(
    "command",
    [
        ("perft", "faulty.py:Broken", 3),
        ("play", "random", "random", "--game", "faulty.py:Broken", "--json"),
        ("analyse", "faulty.py:Broken", "start", "--agent", "mcts:sims=50"),
        ("match", "random", AGENT, "--game", "faulty.py:Broken", "--opening-plies", 0),
        ("truth", "faulty.py:Broken"),
    ],
)
def test_a_game_that_raises_ends_the_command(folder, command):
    said = run(*command)
    assert said.exit_code == 2 and "Traceback" not in said.stderr
    assert re.search(BROKEN, said.stderr.strip()), said.stderr


def test_the_game_of_a_recipe_raises(folder):
    text = Path("hexapawn-table.toml").read_text().replace(GAME, "faulty.py:Broken")
    Path("broken.toml").write_text(text)
    said = run("train", "broken.toml")
    assert said.exit_code == 2 and re.search(BROKEN, said.stderr.strip()), said.stderr


def test_a_missing_file_is_one_sentence(folder):
    assert "There is no file 'nowhere.py'" in refused("show", "nowhere.py")
    assert "There is no file 'nowhere.py'" in refused(
        "match", "nowhere.py", "random", "--game", GAME
    )
    assert "write faulty.py:" not in refused("show", "faulty.py:Faulty")
    assert "a game is a class that derives" in refused("show", "my_agent.py")


def test_json_is_not_spoiled_by_prints(folder):
    text = Path("my_agent.py").read_text()
    Path("loud.py").write_text(
        'print("hello")\n' + text.replace("best = ", 'print("!")\n        best = ')
    )
    found = run(
        "match", "loud.py", "random", "--game", GAME, "--games", 2, "--workers", 1, "--json"
    )
    assert found.exit_code == 0 and json.loads(found.stdout)["games"] == 2
