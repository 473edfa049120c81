"""halma match, tournament and replay: output, and errors of one line."""

import csv
import json
import os
import signal
import subprocess
import time

import pytest
from cli_helpers import HALMA, answer, refused, run

import halma

MATCH = ("match", "greedy", "random", "--game", "ewn-3x3-3", "--workers", "1")


# match


def test_match_answers():
    found = answer(*MATCH, "--games", 60, "--seed", 1)
    assert found["games"] == 60
    assert found["agents"] == ["greedy", "random"]
    assert found["wins"] + found["draws"] + found["losses"] == 60
    assert sum(found["points"]) == pytest.approx(1)
    assert found["points"][0] == found["wins"] / 60
    assert found["elo_interval"][0] < found["elo"] < found["elo_interval"][1]
    assert found["points_interval"][0] < found["points"][0] < found["points_interval"][1]
    assert 0 < found["distinct_games"] <= 60
    assert sum(found["pentanomial"]) == 30
    assert 0.5 < found["los"] <= 1
    assert found["sprt"] is None
    assert found["seed"] == 1
    assert found["games_per_second"] == pytest.approx(60 / found["seconds"])
    assert [seat["first"]["games"] for seat in found["seats"]] == [30, 30]
    assert sum(seat["first"]["wins"] for seat in found["seats"]) == found["wins"]


def test_the_same_seed_gives_the_same_match_with_any_number_of_workers():
    varying = ("seconds", "games_per_second", "workers")
    found = [
        {key: value for key, value in answer(*arguments).items() if key not in varying}
        for arguments in (
            (*MATCH, "--games", 20, "--seed", 1),
            (*MATCH[:-1], 2, "--games", 20, "--seed", 1),
            (*MATCH, "--games", 20, "--seed", 2),
        )
    ]
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_match_as_text():
    result = run(*MATCH, "--games", 20, "--sprt", "elo0=0,elo1=400")
    assert result.exit_code == 0
    assert "20 games in 10 pairs" in result.stdout or "games in" in result.stdout
    for word in ("wins", "draws", "losses", "points", "elo", "distinct", "log-likelihood ratio"):
        assert word in result.stdout


def test_three_players_play_whole_sets():
    result = run("match", "greedy", "random", "--game", "star-37-3p", "--games", 7, "--json",
                 "--workers", 1)  # fmt: skip
    assert "Games come in pairs, so 8 are played, not 7." in result.stderr
    found = json.loads(result.stdout)
    assert found["games"] == 8
    assert found["pentanomial"] is None
    assert {held: group["games"] for held, group in found["seats_held"].items()} == {
        "1": 4,
        "2": 4,
    }
    three = answer("match", "greedy", "random", "greedy:stochastic", "--game", "star-37-3p",
                   "--games", 6, "--workers", 1)  # fmt: skip
    assert three["games"] == 6
    assert len(three["points"]) == 3
    assert sum(three["points"]) == pytest.approx(1)


def test_six_players_play_as_many_games_as_wanted():
    six = ("match", "greedy", "random", "--game", "star-121-6p", "--workers", 1, "--plies", 30)
    result = run(*six, "--games", 4, "--json")
    found = json.loads(result.stdout)
    assert (found["games"], found["sets"], found["set_size"]) == (4, 2, 2)
    assert result.stderr == ""
    one = run(*six, "--games", 2)
    assert "2 games in 1 pair," in one.stdout
    assert "[" not in one.stdout and "los " not in one.stdout
    assert "One set of games gives no interval" in one.stdout


def test_a_tournament_of_single_sets_has_no_intervals(tmp_path):
    few = ("tournament", "random", "greedy", "--game", "ewn-3x3-3", "--games", 2, "--workers", 1)
    assert [row["elo_interval"] for row in answer(*few)["table"]] == [None, None]
    result = run(*few, "--csv", tmp_path / "t.csv", "--svg", tmp_path / "t.svg")
    assert result.exit_code == 0
    assert "One set of games gives no interval" in result.stderr


def test_sprt_stops_early():
    found = answer(*MATCH, "--games", 1000, "--sprt", "elo0=-300,elo1=0")
    assert found["games"] < 300
    assert found["sprt"]["accepted"] == "elo1"
    assert found["sprt"]["llr"] >= found["sprt"]["upper"]
    assert found["sprt"]["lower"] == pytest.approx(-2.944439)


def test_repeated_games_cause_a_warning():
    few = ("match", "random", "random", "--game", "frogs-3-2", "--workers", 1, "--games", 200)
    result = run(*few, "--json")
    found = json.loads(result.stdout)
    assert found["distinct_games"] < 30
    assert found["warnings"] == result.stderr.splitlines()
    assert "games are distinct" in result.stderr
    assert "Note: Only " in run(*few).stdout
    assert run(*MATCH, "--games", 20, "--json").stderr == ""


def test_a_book_and_its_errors(tmp_path):
    book = tmp_path / "book.txt"
    book.write_text("12./3.a/.cb r 2\n", encoding="utf-8")
    found = answer(*MATCH, "--games", 100, "--book", book)
    assert found["book_positions"] == 1
    book.write_text("12./3.a/.cb r 9\n", encoding="utf-8")
    assert "Line 1 of" in refused(*MATCH, "--book", book)
    assert "There is no file" in refused(*MATCH, "--book", tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("match", "greedy", "random", "--game", "ewn"), "There is no variant"),
        (("match", "greedy", "rendom", "--game", "ewn-3x3-3"), "Did you mean 'random'"),
        (("match", *["random"] * 3, "--game", "ewn-3x3-3"), "takes two agents, not 3"),
        (("match", "random", "greedy", "--game", "cdc-2x4-PPPP"), "no measure of how far"),
        ((*MATCH, "--sprt", "elo0=5"), None),
        ((*MATCH, "--sprt", "elo0=50"), "elo0 < elo1"),
        ((*MATCH, "--device", "tpu"), "There is no device 'tpu'"),
        ((*MATCH, "--opening-plies", "2000"), "0 to 1999 plies"),
        ((*MATCH, "--opening-plies", "90"), "too long"),
        (("match", "random", "random", "random", "--game", "star-37-3p", "--sprt", "elo1=9"),
         "--sprt compares two agents"),
        (("tournament", "greedy", "--game", "ewn-3x3-3"), "two agents or more"),
        (("match", "greedy", "random", "--game", "star-37-3p", "--seats", 3),
         "1 or 2 seats, not 3"),
        (("match", "greedy", "random", "--game", "star-37-3p", "--seats", 1, "--sprt", "elo0=0"),
         "equal numbers of seats"),
        (("tournament", "greedy", "greedy:best", "--game", "ewn-3x3-3"), "given twice"),
        (("tournament", "greedy", "random", "--game", "ewn-3x3-3", "--anchor", "greedy:stochastic"),
         "cannot be the anchor"),
        (("tournament", "greedy", "random", "--game", "ewn-3x3-3", "--anchor", "random=lots"),
         "There is no agent 'random=lots'"),
        (("tournament", "greedy", "random", "--game", "ewn-3x3-3", "--anchor", "random=nan"),
         "between -100000 and 100000"),
        (("replay", "no.db"), "There is no file"),
    ],
)  # fmt: skip
def test_errors(arguments, words):
    if words is None:
        assert run(*arguments, "--games", 2).exit_code == 0
    else:
        assert words in refused(*arguments)


@pytest.mark.parametrize("option", ["--games", "--workers", "--plies"])
def test_counts_start_at_one(option):
    assert run(*MATCH, option, 0).exit_code == 2


# tournament


def test_tournament(tmp_path):
    table, picture = tmp_path / "table.csv", tmp_path / "table.svg"
    found = answer(
        "tournament", "greedy", "random", "greedy:stochastic", "--game", "ewn-3x3-3",
        "--games", 20, "--workers", 2, "--anchor", "greedy:stochastic=1500",
        "--csv", table, "--svg", picture,
    )  # fmt: skip
    assert found["games"] == 60
    assert found["anchor"] == "greedy:pick=stochastic"
    assert {row["agent"] for row in found["table"]} == set(found["agents"])
    ratings = {row["agent"]: row["elo"] for row in found["table"]}
    assert ratings["greedy:pick=stochastic"] == 1500
    assert ratings["greedy"] > ratings["random"]
    for row in found["table"]:
        assert row["games"] == 40
        assert len(row["against"]) == 2
    with table.open(encoding="utf-8") as lines:
        assert [row["agent"] for row in csv.DictReader(lines)] == list(
            row["agent"] for row in found["table"]
        )
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_a_tournament_of_more_agents_than_seats():
    found = answer(
        "tournament", "greedy", "random", "initialize", "greedy:stochastic", "--game", "star-37-3p",
        "--games", 9, "--workers", 1,
    )  # fmt: skip
    assert found["games"] == 12
    assert [row["games"] for row in found["table"]] == [9, 9, 9, 9]
    assert found["table"][-1]["agent"] == "random"
    assert all(row["elo_interval"] for row in found["table"])
    assert found["table"][0]["against"]["random"]["games"] == 6


def test_one_seat_against_all_others():
    found = answer(
        "match", "greedy", "random", "--game", "star-37-3p", "--seats", 1, "--games", 6,
        "--workers", 1,
    )  # fmt: skip
    assert (found["set_size"], found["seats_of_first"]) == (3, 1)
    assert list(found["seats_held"]) == ["1"]
    assert [seat["first"]["games"] for seat in found["seats"]] == [2, 2, 2]
    assert found["wins"] > 3 and found["elo"] > 0


def test_a_tournament_shares_games_with_a_match(tmp_path):
    db = tmp_path / "games.db"
    alone = answer(*MATCH, "--games", 20, "--db", db)
    assert alone["stored"] == {"db": str(db), "matches": [1]}
    found = answer(
        "tournament", "greedy", "random", "greedy:stochastic", "--game", "ewn-3x3-3",
        "--games", 20, "--workers", 1, "--db", db,
    )  # fmt: skip
    assert found["games"] == 60
    assert found["games_played_now"] == 40
    result = run("tournament", "greedy", "random", "--game", "ewn-3x3-3", "--db", db)
    assert result.exit_code == 0
    assert "greedy is rated 0" in result.stdout


# replay


@pytest.fixture
def db(tmp_path):
    path = tmp_path / "games.db"
    answer(*MATCH, "--games", 4, "--db", path)
    return path


def test_replay_lists(db):
    found = answer("replay", db)
    assert [(match["match"], match["games"]) for match in found["matches"]] == [(1, 4)]
    assert found["matches"][0]["plan"]["game"] == "ewn-3x3-3"
    assert found["games"] == []
    games = answer("replay", db, "--match", 1)["games"]
    assert [game["agents"] for game in games] == [["greedy", "random"], ["random", "greedy"]] * 2
    assert "match 1: greedy - random" in run("replay", db).stdout
    assert len(run("replay", db, "--match", 1).stdout.splitlines()) == 5


def test_replay_of_a_game(db, tmp_path):
    found = answer("replay", db, 2)
    assert found["variant"] == "ewn-3x3-3"
    assert found["agents"] == ["random", "greedy"]
    assert sum(found["result"]) == 1
    assert halma.game("ewn-3x3-3").position(found["position"]).is_terminal
    drawn = run("replay", db, 2).stdout
    assert f"Over after {found['plies']} plies, by the rules." in drawn
    assert drawn.count("chance: ") + found["plies"] == len(found["moves"])
    board = run("replay", db, 2, "--ply", 0).stdout
    assert "moves" in board
    first = answer("replay", db, 2, "--ply", 1)
    assert first["ply"] == 1
    svg = tmp_path / "board.svg"
    assert run("replay", db, 2, "--ply", 1, "--svg", svg).exit_code == 0
    expected = halma.game("ewn-3x3-3").position(first["position"]).svg()
    assert svg.read_text(encoding="utf-8") == expected


def test_what_cannot_be_replayed(db, tmp_path):
    assert "There is no game 5" in refused("replay", db, 5)
    assert "There is no match 2" in refused("replay", db, "--match", 2)
    assert "there is no ply 99" in refused("replay", db, 1, "--ply", 99)
    assert "need the id of a game" in refused("replay", db, "--ply", 1)
    assert "not both" in refused("replay", db, 1, "--match", 1)
    other = tmp_path / "other.txt"
    other.write_text("words " * 1000, encoding="utf-8")
    before = other.read_bytes()
    assert "There are no games in" in refused("replay", other)
    assert "not a database" in refused(*MATCH, "--db", other)
    assert other.read_bytes() == before


# In a process of its own.


@pytest.mark.parametrize(("number", "left"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_progress_goes_to_standard_error_and_ctrl_c_ends_it(tmp_path, number, left):
    db = tmp_path / "games.db"
    command = [*HALMA, *MATCH[:-1], "2", "--games", "100000", "--json", "--db", str(db)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    give_up = time.monotonic() + 30
    while not (db.exists() and db.stat().st_size and answer("replay", db)["matches"]):
        assert time.monotonic() < give_up
        time.sleep(0.05)
    # As a terminal does: to the whole group, workers included.
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == left
    assert out == ""
    assert err.splitlines() == ["halma: Stopped."]
    assert answer("replay", db)["matches"][0]["games"] > 0
