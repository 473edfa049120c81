"""The halma command: output, exit statuses, and errors of one line."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from cli_helpers import HALMA, MIDDLE, answer, refused, run

import halma

# games


def test_games_lists_every_variant():
    families = answer("games")["families"]
    listed = {variant["name"]: variant for family in families for variant in family["variants"]}
    assert list(listed) == halma.variant_names()
    for name, variant in listed.items():
        game = halma.game(name)
        assert variant["players"] == game.players
        assert variant["actions"] == game.actions
        assert variant["planes"] == list(game.shape)
        assert variant["about"]


def test_games_describes_options_and_presets():
    for family in answer("games")["families"]:
        for option in family["options"]:
            assert {"key", "default", "help"} <= set(option)
        for preset in family["presets"].values():
            assert set(preset) <= {option["key"] for option in family["options"]}


def test_games_draws_a_table():
    shown = run("games")
    assert shown.exit_code == 0
    for name in halma.variant_names():
        assert name in shown.stdout


# show


def test_show_draws_a_position():
    shown = run("show", "ewn-3x3-3", MIDDLE)
    assert shown.exit_code == 0
    assert str(halma.game("ewn-3x3-3").position(MIDDLE)) in shown.stdout
    assert MIDDLE in shown.stdout
    assert "b1-c2" in shown.stdout


@pytest.mark.parametrize("variant", halma.variant_names())
def test_show_draws_the_start_of_every_variant(variant):
    shown = run("show", variant)
    assert shown.exit_code == 0
    assert halma.game(variant).start().text in shown.stdout
    assert answer("show", variant)["position"] == halma.game(variant).start().text


def test_show_as_json():
    found = answer("show", "ewn-3x3-3", MIDDLE)
    assert found["variant"] == "ewn-3x3-3"
    assert found["position"] == MIDDLE
    assert sorted(found["moves"]) == ["b1-b2", "b1-c1", "b1-c2"]
    assert (found["mover"], found["chance"], found["terminal"]) == (0, False, False)
    assert found["result"] == [0.5, 0.5]


def test_show_at_chance_lists_outcomes():
    found = answer("show", "ewn-3x3-3", "12./3.a/.cb r -")
    assert found["chance"]
    assert found["outcomes"] == pytest.approx({"1": 1 / 3, "2": 1 / 3, "3": 1 / 3})
    assert found["moves"] == []
    assert "outcomes: 1 2 3" in run("show", "ewn-3x3-3", "12./3.a/.cb r -").stdout


def test_show_does_not_list_hundreds_of_outcomes():
    assert "... (720 in all)" in run("show", "ewn-5x5-6").stdout
    assert len(answer("show", "ewn-5x5-6")["outcomes"]) == 720


def test_show_a_move():
    found = answer("show", "ewn-3x3-3", MIDDLE, "--move", "b1-c2")
    assert (found["move"], found["after"]) == ("b1-c2", "1../3.2/.cb b -")
    assert "1../3.2/.cb b -" in run("show", "ewn-3x3-3", MIDDLE, "--move", "b1-c2").stdout


def test_show_writes_a_picture(tmp_path):
    file = tmp_path / "board.svg"
    shown = run("show", "ewn-3x3-3", MIDDLE, "--move", "b1-c2", "--svg", str(file))
    assert shown.exit_code == 0
    assert shown.stdout == ""
    assert file.read_text(encoding="utf-8") == halma.game("ewn-3x3-3").position(MIDDLE).svg("b1-c2")


# perft


def test_perft_counts_at_each_depth():
    found = answer("perft", "ewn-3x3-3", "4", "--position", MIDDLE)
    position = halma.game("ewn-3x3-3").position(MIDDLE)
    assert found == {
        "variant": "ewn-3x3-3",
        "position": MIDDLE,
        "nodes": [position.perft(depth) for depth in range(1, 5)],
    }


def test_perft_follows_every_outcome_of_chance():
    # From a start every placement of both sides and every die is followed.
    assert answer("perft", "ewn-3x3-3", "1")["nodes"] == [6 * 6 * 3 * 3]


def test_perft_divided_adds_up():
    found = answer("perft", "ewn-3x3-3", "3", "--position", MIDDLE, "--divide")
    assert sorted(found["divide"]) == ["b1-b2", "b1-c1", "b1-c2"]
    assert sum(found["divide"].values()) == found["nodes"][-1]
    at_chance = answer("perft", "ewn-3x3-3", "2", "--position", "12./3.a/.cb r -", "--divide")
    assert sorted(at_chance["divide"]) == ["1", "2", "3"]
    assert sum(at_chance["divide"].values()) == at_chance["nodes"][-1]


def test_perft_prints_a_line_per_depth():
    shown = run("perft", "ewn-3x3-3", "2", "--divide", "--position", MIDDLE)
    assert [line.split()[0] for line in shown.stdout.splitlines()][:2] == ["1", "2"]
    assert "b1-c2" in shown.stdout


def test_perft_of_depth_zero_has_no_depths():
    assert answer("perft", "ewn-3x3-3", "0", "--divide")["nodes"] == []


# check


def test_check_passes_on_a_good_game():
    found = answer("check", "ewn-3x3-3", "--games", "2")
    assert found["ok"] is True
    assert found["requirements"]
    assert all(
        item["ok"] and item["name"] and item["failures"] == [] for item in found["requirements"]
    )
    assert run("check", "ewn-3x3-3", "--games", "2").exit_code == 0


# play


def test_play_as_json():
    found = answer("play", "greedy", "random", "--game", "ewn-3x3-3", "--seed", "5")
    assert found["agents"] == ["greedy", "random"]
    assert found["end"] == "by the rules"
    assert sorted(found["result"]) == [0, 1]
    record = halma.Record(halma.game("ewn-3x3-3"))
    for text in found["moves"]:
        record.resolve(text) if record.position.is_chance else record.play(text)
    assert record.position.text == found["position"]
    assert record.plies == found["plies"]


def test_play_follows_the_seed():
    def moves(seed):
        return answer("play", "random", "random", "--game", "ewn-5x5-6", "--seed", seed)["moves"]

    assert moves("3") == moves("3")
    assert moves("3") != moves("4")


def test_play_draws_every_move_and_the_end():
    shown = run("play", "greedy", "random", "--game", "ewn-3x3-3", "--seed", "5")
    found = answer("play", "greedy", "random", "--game", "ewn-3x3-3", "--seed", "5")
    assert shown.exit_code == 0
    for text in found["moves"]:
        assert text in shown.stdout
    assert "has won" in shown.stdout
    assert f"Over after {found['plies']} plies, by the rules." in shown.stdout
    quiet = run("play", "greedy", "random", "--game", "ewn-3x3-3", "--seed", "5", "--quiet")
    assert shown.stdout.endswith(quiet.stdout)
    assert len(quiet.stdout) < len(shown.stdout)


def test_play_stops_at_its_limit():
    found = answer("play", "random", "random", "--game", "ewn-5x5-6", "--plies", "3")
    assert (found["plies"], found["end"]) == (3, "by the ply limit")


@pytest.mark.parametrize("variant", halma.variant_names())
def test_play_every_variant_at_random(variant):
    agents = ["random"] * halma.game(variant).players
    found = answer("play", *agents, "--game", variant, "--plies", "40")
    assert len(found["result"]) == len(agents)


# Errors.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "ewn-5x5-9"], "boards go from"),
        (["show", "ewm-5x5-6"], "Did you mean 'ewn-5x5-6'"),
        (["show", "ewn-3x3-3:size=4"], "no option 'size'"),
        (["show", ""], "no name"),
        (["show", "ewn-3x3-3", "rubbish"], "has 1 parts"),
        (["show", "ewn-3x3-3", "x" * 30_000], "too long"),
        (["show", "ewn-3x3-3", MIDDLE, "--move", "b1-a1"], "not legal here"),
        (["show", "ewn-3x3-3", MIDDLE, "--move", "castle"], "not a move"),
        (["show", "ewn-3x3-3", "--move", "b1-c2"], "an outcome of chance is next"),
        (["show", "ewn-3x3-3", "--svg", "/no/such/folder/x.svg"], "no folder '/no/such/folder'"),
        (["perft", "ewn-3x3-3", "-1"], "from 0 to 64, not -1"),
        (["perft", "ewn-3x3-3", "65"], "from 0 to 64, not 65"),
        (["perft", "ewn-3x3-3", "999999999999999999999"], "from 0 to 64"),
        (["perft", "ewn-3x3-3", "1", "--position", "12./3.a r 2"], "3 rows of 3"),
        (["perft", "nothing", "1"], "no variant 'nothing'"),
        (["play", "random", "rendom", "--game", "ewn-3x3-3"], "Did you mean 'random'"),
        (["play", "random", "--game", "ewn-3x3-3"], "takes 2 agents, not 1"),
        (["play", "random", "random", "--game", "chess"], "no variant 'chess'"),
        (["check", "nothing-3x3"], "nothing-3x3"),
    ],
)
def test_an_error_is_one_sentence(arguments, words):
    assert words in refused(*arguments)
    assert words in refused(*arguments, "--json")


@pytest.mark.parametrize(
    "arguments",
    [
        ["perft", "ewn-3x3-3"],
        ["perft", "ewn-3x3-3", "two"],
        ["perft", "ewn-3x3-3", "1", "--dvide"],
        ["show"],
        ["show", "ewn-3x3-3", "--colour"],
        ["play", "random", "random"],
        ["play", "random", "random", "--game", "ewn-3x3-3", "--seed", "x"],
        ["play", "random", "random", "--game", "ewn-3x3-3", "--plies", "0"],
        ["shwo"],
        ["bench", "everything"],
    ],
)
def test_wrong_usage(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "Usage: halma" in result.stderr


def test_help_has_a_line_for_every_verb():
    shown = run("--help").stdout
    for verb in ("games", "show", "perft", "check", "play", "match", "solve", "truth", "bench"):
        (line,) = [line for line in shown.splitlines() if line.split()[:1] == [verb]]
        assert line.endswith(".") and not line.endswith("...")
        assert run(verb, "--help").exit_code == 0


# In a process of its own.


def test_a_process_answers_and_refuses():
    good = subprocess.run([*HALMA, "perft", "ewn-3x3-3", "2", "--json"], capture_output=True)
    assert good.returncode == 0
    assert json.loads(good.stdout)["nodes"] == [324, 2988]
    bad = subprocess.run([*HALMA, "show", "ewm-3x3-3"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert bad.stderr.startswith("halma: There is no variant 'ewm-3x3-3'.")
    assert bad.stderr.count("\n") == 1


def test_ctrl_c_stops_a_long_count():
    with subprocess.Popen(
        [*HALMA, "perft", "ewn-5x5-6", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        # The first depth is printed at once; the second takes minutes.
        assert process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=10)
    assert process.returncode == 130
    assert error == b"halma: Stopped.\n"


def test_a_closed_pipe_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [*HALMA, "play", "random", "random", "--game", "ewn-5x5-6"],
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    assert ran.stderr == b""
    assert ran.returncode == 141


def test_help_does_not_import_numpy_or_rich():
    script = "import sys, halma.cli.app; print('numpy' in sys.modules, 'rich' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "False"]
