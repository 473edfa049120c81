"""Games as JSON lines: round trips of every family, and hostile lines."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import halma
from halma.errors import GameReadError
from halma.games.saved import SavedGame, read_json_lines, replay

VARIANTS = ["ewn-5x5-6", "cdc-4x8", "draughts-8x8", "frogs-3-2", "rhombus-5x5-3", "star-37-3p"]
GOOD = {"variant": "frogs-2-1", "moves": []}


def some_game(variant, seed, most=60):
    rng = random.Random(seed)
    record = halma.Record(halma.game(variant))
    record.roll(rng)
    while not record.is_over and record.plies < most:
        record.play(rng.choice(record.position.legal_moves))
        record.roll(rng)
    names = tuple(f"Ann {seat}" for seat in range(record.game.players))
    return SavedGame(
        record, names, record.result, facts={"tags": {"Event": "é\n"}, "more": [1, {}]}
    )


def only(text, game=None):
    (found,) = read_json_lines(text, game)
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_come_back(variant):
    games = [some_game(variant, seed, most=seed * 20) for seed in range(5)]
    text = "\n".join(game.json_line() for game in games)
    again = list(read_json_lines(text))
    assert [game.number for game in again] == [1, 2, 3, 4, 5]
    for one, other in zip(games, again, strict=True):
        assert other.as_dict() == one.as_dict()
        assert other.record.positions == one.record.positions and other.record.end == one.record.end
        assert not other.warnings


def test_result_and_end_are_the_record_s_unless_given():
    moves = some_game("ewn-3x3-2", 1).record.texts
    found = only(json.dumps({"variant": "ewn-3x3-2", "moves": moves}))
    assert found.result == found.record.result and found.end == "by the rules"
    turned = list(found.record.result)[::-1]
    other = only(json.dumps({"variant": "ewn-3x3-2", "moves": moves, "result": turned}))
    assert other.result == tuple(turned)
    assert "Game 1, line 1: the moves end in" in other.warnings[0]
    unfinished = only(json.dumps(GOOD))
    assert unfinished.result is None and unfinished.end == ""


def test_a_game_selects_its_variant():
    lines = "".join(some_game(name, 2).json_line() for name in ("ewn-3x3-2", "frogs-3-2"))
    assert only(lines, halma.game("frogs-3-2")).number == 2
    # Other spellings of a name mean the same variant.
    text = json.dumps({"variant": "rhombus-7x7-6:liu2019", "moves": []})
    assert only(text, halma.game("rhombus-7x7-6:rules=liu2019")).record.plies == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "the line is not a JSON object."),
        ("[1]", "the line is not a JSON object."),
        ("[" * 100_000, "the line is not a JSON object."),
        ("9" * 10_000, "the line is not a JSON object."),
        ("{}", "the object has no 'variant'"),
        ({"variant": "nosuch"}, "There is no variant 'nosuch'"),
        ({"variant": "os:system"}, "There is no variant"),
        ({"variant": "evil.py:Game"}, "its game is Python code"),
        ({"start": 3}, "'start' must be the text of a position"),
        ({"start": "FF.B"}, "A position is 5 cells"),
        ({"moves": "a1-a2"}, "'moves' must be a list of texts"),
        ({"moves": [3]}, "'moves' must be a list of texts"),
        ({"moves": ["zz"]}, "entry 1 of its moves: 'zz' is not a move"),
        ({"agents": ["Ann"]}, "'agents' must have 2 names, not 1"),
        ({"result": [1]}, "'result' must be null or 2 scores"),
        ({"result": "1-0"}, "'result' must be null or 2 scores"),
        ({"result": [float("nan"), 0]}, "'result' must be null or 2 scores"),
    ],
)
def test_bad_lines_are_reported_and_the_others_read(line, message):
    bad = line if isinstance(line, str) else json.dumps({**GOOD, **line})
    good = json.dumps(GOOD)
    first, error, last = read_json_lines(f"{good}\n\n{bad}\r\n{good}")
    assert isinstance(first, SavedGame) and isinstance(last, SavedGame)
    assert isinstance(error, GameReadError)
    assert (error.number, error.line) == (2, 3)
    assert message in str(error)


values = (
    st.none() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.text(max_size=3))
)
keys = st.sampled_from(["variant", "start", "moves", "agents", "result", "end", "plies", "tags"])


@given(st.text() | st.dictionaries(keys, values).map(lambda more: json.dumps({**GOOD, **more})))
def test_reader_raises_nothing(text):
    for found in read_json_lines(text):
        if isinstance(found, SavedGame):
            again = only(found.json_line())
            assert isinstance(again, SavedGame)
            assert again.json_line() == found.json_line()


def test_chance_is_replayed_with_moves():
    record = some_game("cdc-4x8", 3).record
    assert any(chance for chance, _ in record.events)
    assert replay(record.game, None, record.texts).positions == record.positions
