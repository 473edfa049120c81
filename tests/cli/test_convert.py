"""`halma convert`: files of games, checked and converted."""

import json
import random
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from cli_helpers import answer, refused, run

import halma
from halma.arena import GameStore
from halma.games import pdn
from halma.games.saved import read_json_lines
from halma.learn import load
from halma.learn.replay_buffer import GameFiles
from halma.selfplay import FinishedGames
from halma.selfplay.records import finished_game

ROOT = Path(__file__).parents[2]
PDN = ROOT / "tests" / "games" / "pdn"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("matches") / "games.db"
    for game in ("draughts-8x8", "ewn-3x3-3"):
        words = ("random", "random", "--game", game, "--games", 4, "--workers", 1)
        assert run("match", *words, "--db", path).exit_code == 0
    return path


@pytest.fixture
def training_run(tmp_path):
    """A run directory with the games of two iterations."""
    path = tmp_path / "run"
    recipe = load("quick", {"game": "ewn-3x3-2"})
    files = GameFiles(path, recipe.game)
    for iteration, seed in ((1, "a"), (2, "b")):
        records = [json.loads(run_game("ewn-3x3-2", f"{seed}{i}")) for i in range(3)]
        read = read_json_lines("\n".join(map(json.dumps, records)))
        games = [finished_game(each.record, number) for number, each in enumerate(read)]
        files.write(iteration, FinishedGames.join(games), {})
    (path / "recipe.toml").write_text(recipe.toml(), encoding="utf-8")
    return path


def run_game(game, seed):
    result = run(
        "play", "random", "random", "--game", game, "--seed", sum(map(ord, seed)), "--json"
    )
    return result.stdout.strip()


def test_a_check_reports_and_writes_nothing(tmp_path):
    result = run("convert", PDN / "bad-games.pdn")
    assert result.exit_code == 1
    assert result.stdout.startswith("draughts-8x8:draw=none: 5 games, 7 plies; 5 no result")
    assert "bad-games.pdn: left out: Game 3, line 9: 'White' is neither" in result.stderr
    assert "Read 5 games, left out 8." in result.stderr
    good = answer("convert", PDN / "tags.pdn")
    assert good["variants"]["draughts-8x8:draw=none"]["games"] == 5
    assert good["left_out"] == [] and good["out"] is None
    assert "the tag Site is given twice" in good["warnings"][0]["warning"]


def test_bad_games_in_json():
    result = run("convert", PDN / "bad-games.pdn", "--json")
    assert result.exit_code == 1
    first = json.loads(result.stdout)["left_out"][0]
    assert (first["game"], first["line"]) == (2, 6)
    assert first["error"].startswith("'11-16' is not legal here")


def test_every_file_of_the_folder_at_once(tmp_path):
    out = tmp_path / "all.jsonl"
    result = run("convert", *sorted(PDN.glob("*.pdn")), "--out", out)
    assert result.exit_code == 1 and f"Wrote {out}." in result.stderr
    found = answer("convert", out)
    (counts,) = found["variants"].values()
    assert counts["games"] == len(out.read_text().splitlines()) > 30
    # And back: the same games as PDN.
    back = tmp_path / "all.pdn"
    assert run("convert", out, "--out", back).exit_code == 0
    again = run("convert", back, "--to", "jsonl")
    assert again.exit_code == 0 and again.stdout == out.read_text()


def test_a_game_that_was_played(tmp_path):
    path = tmp_path / "game.json"
    path.write_text(run_game("cdc-2x4-KPPP", "x") + "\n")
    assert answer("convert", path)["variants"]["cdc-2x4-KPPP"]["games"] == 1


def test_match_databases(database, tmp_path):
    found = answer("convert", database)["variants"]
    assert {name: counts["games"] for name, counts in found.items()} == {
        "draughts-8x8": 4,
        "ewn-3x3-3": 4,
    }
    out = tmp_path / "games.pdn"
    assert run("convert", database, "--match", 1, "--out", out).exit_code == 0
    games = pdn.read(out.read_text())
    with GameStore(database, read_only=True) as store:
        stored = [played for _, played in store.games(1)]
    for game, played in zip(games, stored, strict=True):
        assert game.scores == played.result
        assert tuple(game.record().texts) == played.moves
        assert game.tags["Black"] == "random" and game.tags["Termination"] == played.end
        assert int(game.tags["Round"]) == played.number + 1
    # Games of another kind are named one by one, the others written.
    both = run("convert", database, "--to", "pdn")
    assert both.exit_code == 1 and len(pdn.read(both.stdout)) == 4
    assert "Game 5: PDN is for draughts" in both.stderr
    replayed = run("replay", database, 6, "--json").stdout
    (tmp_path / "one.jsonl").write_text(replayed)
    assert answer("convert", tmp_path / "one.jsonl")["variants"].keys() == {"ewn-3x3-3"}


def test_arrays_of_any_source(database, tmp_path):
    out = tmp_path / "games.npz"
    assert run("convert", database, "--game", "draughts-8x8", "--out", out).exit_code == 0
    arrays = np.load(out)
    assert str(arrays["variant"]) == "draughts-8x8" and len(arrays["numbers"]) == 4
    assert arrays["policy_actions"].tolist() == arrays["actions"].tolist()
    assert "planes" not in arrays and "iterations" not in arrays


def test_training_runs(training_run, tmp_path):
    out = tmp_path / "games.npz"
    assert run("convert", training_run, "--out", out, "--planes").exit_code == 0
    arrays = np.load(out)
    assert arrays["iterations"].tolist() == [1] * 3 + [2] * 3
    assert arrays["planes"].shape == (len(arrays["moves"]), *halma.game("ewn-3x3-2").shape)
    lines = run("convert", training_run, "--to", "jsonl").stdout.splitlines()
    assert [json.loads(line)["iteration"] for line in lines] == [1] * 3 + [2] * 3
    assert refused("convert", training_run, "--to", "pdn").endswith(
        "(6 found). Game 1: PDN is for draughts, so it has no games of 'ewn-3x3-2': "
        "choose JSON lines."
    )


def test_games_of_your_own(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("nim.py").write_text(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)[0])
    words = ("random", "random", "--game", "nim.py:Nim", "--games", 2, "--workers", 1)
    assert run("match", *words, "--db", "nim.db").exit_code == 0
    assert run("convert", "nim.db", "--out", "nim.jsonl").exit_code == 0
    # A file cannot make halma run Python code; a person can.
    assert "name it, with --game nim.py:Nim" in refused("convert", "nim.jsonl")
    own = ("--game", "nim.py:Nim")
    assert run("convert", "nim.jsonl", *own, "--out", "nim.npz").exit_code == 0
    assert answer("replay", "nim.jsonl", 2, *own)["agents"] == ["random", "random"]
    assert len(answer("replay", "nim.jsonl", *own)["games"]) == 2


def test_a_file_that_is_none_costs_no_other(tmp_path):
    other = tmp_path / "other"
    other.write_bytes(b"\0" * 9)
    result = run("convert", other, PDN / "dashes.pdn", tmp_path / "missing.pdn")
    assert result.exit_code == 1 and "5 games, 60 plies" in result.stdout
    assert f"left out: '{other}' is not a file of games" in result.stderr
    assert "left out: There is no file" in result.stderr


def test_a_damaged_iteration_is_left_out(training_run):
    path = training_run / "games" / "iteration-000001.safetensors"
    path.write_bytes(path.read_bytes()[:-9])
    result = run("convert", training_run)
    assert result.exit_code == 1 and "cut short or damaged" in result.stderr
    assert result.stdout.startswith("ewn-3x3-2: 3 games")


def test_nothing_is_lost(tmp_path, database):
    out = tmp_path / "kept.pdn"
    out.write_text("mine")
    assert "exists already" in refused("convert", database, "--out", out)
    # Whatever fails, fails before the file is replaced.
    wrong = tmp_path / "wrong.pdn"
    wrong.write_text("1. 11-16 e5 *")
    refused("convert", wrong, "--out", out, "--force")
    refused("convert", database, "--match", 2, "--out", out, "--force")
    assert out.read_text() == "mine" and len(list(tmp_path.iterdir())) == 2
    assert run("convert", database, "--match", 1, "--out", out, "--force").exit_code == 0
    assert run("convert", out, "--out", out, "--force").exit_code == 0
    assert len(pdn.read(out.read_text())) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nosuch.pdn"], "There is no file 'nosuch.pdn'"),
        ([PDN / "dashes.pdn", "--out", "games.csv"], "'games.csv' must end in .pdn"),
        ([PDN / "dashes.pdn", "--out", "games.parquet"], "'games.parquet' must end in .pdn"),
        ([PDN / "dashes.pdn", "--to", "npz"], "An npz file is not printed"),
        ([PDN / "dashes.pdn", "--to", "pdn", "--json"], "--json prints a report"),
        ([PDN / "dashes.pdn", "--planes"], "--planes adds to an npz file"),
        ([PDN / "dashes.pdn", "--match", 1], "which '"),
        ([PDN / "dashes.pdn", "--game", "nosuch"], "There is no variant"),
        ([PDN / "dashes.pdn", "--game", "ewn-3x3-2"], "PDN is for draughts"),
        ([PDN], "is not the directory of a training run"),
        (["/dev/null"], "'/dev/null' cannot be read: it is not a file"),
    ],
)
def test_wrong_commands(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in refused("convert", *words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "There are no games in"),
        (b"\0\1\2" * 100, "is not a file of games"),
        (b"SQLite format 3\0" + b"\0" * 100, "games"),
        (b"hello", "can be used (1 found). Game 1, line 1: 'hello' is neither"),
        (b"\xff\xfe", "There are no games in"),
        (b"PK\3\4\0", "is not a file of games"),
        (b'{"variant": 3}', "the object has no 'variant'"),
    ],
)
def test_hostile_files(content, message, tmp_path):
    path = tmp_path / "games"
    path.write_bytes(content)
    assert message in refused("convert", path)


def test_damaged_files(database, tmp_path):
    """Bytes of good files are changed by a fixed seed: a report or one sentence, no traceback."""
    rng = random.Random(15)
    lines = run("convert", database, "--match", 2, "--to", "jsonl").stdout.encode()
    whole = [lines, database.read_bytes(), (PDN / "comments.pdn").read_bytes()]
    path, out = tmp_path / "games", tmp_path / "out.jsonl"
    for _ in range(45):
        data = bytearray(rng.choice(whole))
        for _ in range(rng.randint(1, 6)):
            place = rng.randrange(len(data))
            if rng.random() < 0.5:
                data[place] = rng.randrange(256)
            else:
                del data[place : place + rng.randint(1, 200)]
        path.write_bytes(data)
        result = run("convert", path, "--out", out, "--force")
        assert isinstance(result.exception, SystemExit | None), result.exception
        assert result.exit_code in (0, 1, 2)
        if result.exit_code == 2:
            assert len(result.stderr.splitlines()) == 1
        elif out.stat().st_size:
            assert run("convert", out).exit_code == 0


def test_matches_and_mixed_variants(database, tmp_path):
    assert "There is no match 9" in refused("convert", database, "--match", 9)
    out = tmp_path / "games.npz"
    assert "of one variant" in refused("convert", database, "--out", out)
    assert not out.exists()


def test_replay_of_other_files(training_run, tmp_path):
    listed = run("replay", PDN / "bad-games.pdn")
    assert listed.exit_code == 0 and len(listed.stdout.splitlines()) == 13
    assert "     2  cannot be read: Game 2, line 6: '11-16' is not legal" in listed.stdout
    assert "     4  no result, 1 plies  (draughts-8x8:draw=none)" in listed.stdout
    games = answer("replay", PDN / "results.pdn")["games"]
    assert [game["result"] for game in games] == [[0.5, 0.5]] * 6
    drawn = run("replay", PDN / "comments.pdn", 1).stdout
    assert "1. black: 11-15" in drawn and "10. white: 25-22" in drawn
    assert drawn.endswith("Over after 10 plies, by resignation or agreement.\nblack: 0\nwhite: 1\n")
    assert "1 plies of it, and no result" in run("replay", PDN / "jumps.pdn", 2).stdout
    last = answer("replay", training_run, 6)
    assert last["iteration"] == 2 and last["ply"] == last["plies"]
    odd = tmp_path / "odd.jsonl"
    odd.write_text('{"variant": "frogs-2-1", "opening": "x", "agents": []}')
    assert "no result" in run("replay", odd, 1).stdout
    odd.write_text('{"variant": "frogs-2-1", "agents": ["\\u001b[2J", "b"], "moves": ["\\u0007"]}')
    assert "\7" not in refused("convert", odd)
    odd.write_text('{"variant": "frogs-2-1", "agents": ["\\u001b[2J", "b"]}')
    assert "\33" not in run("replay", odd, 1).stdout + run("replay", odd).stdout
    message = refused("replay", PDN / "bad-games.pdn", 2)
    assert message.startswith("halma: Game 2, line 6: '11-16' is not legal")
    assert "it has games 1 to 13" in refused("replay", PDN / "bad-games.pdn", 14)
    assert "'/dev/null' cannot be read: it is not a file." in refused("replay", "/dev/null")
    assert "--match selects" in refused("replay", odd, "--match", 1)


PAGE = (ROOT / "docs" / "game-files.md").read_text(encoding="utf-8")


def test_the_page_lists_every_array():
    listed = re.findall(r"^\| `(\w+)` \|", PAGE, re.M)
    arrays = {each.name for each in fields(FinishedGames)}
    assert arrays <= set(listed)
    keys = halma.games.saved.SavedGame(halma.Record(halma.game("frogs-2-1"))).as_dict()
    assert set(keys) <= set(listed)


def test_examples_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run("convert", PDN / "dashes.pdn", "--out", "games.npz").exit_code == 0
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "game-files.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "('Ann', 'Bob') (0.5, 0.5) ['11-15', '22-18', '15x22', '25x18']" in printed
    assert "1. 11-15 22-18 2. 15x22 25x18 1/2-1/2" in printed
