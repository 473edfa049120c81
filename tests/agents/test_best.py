"""`best`: what it stands for, its levels and limits, and endgame tables."""

import random

import pytest

import halma
from halma.agents import agent, best_name, play_game, player_of
from halma.errors import OptionError
from halma.games import Record, game, variant_names
from halma.names import split


@pytest.fixture(autouse=True)
def no_tables(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))


def record_of(name, position=None):
    chosen = game(name)
    record = Record(chosen, None if position is None else chosen.position(position))
    record.roll(random.Random(0))
    return record


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        ("rhombus-4x4-3", "optimal"),
        ("ewn-3x3-3", "optimal"),
        ("frogs-3-2", "optimal"),
        ("rhombus-7x7-6", "net"),
        ("rhombus-7x7-6:he2016", "alphabeta"),
        ("draughts-8x8", "alphabeta"),
    ],
)
def test_what_it_stands_for(variant, name):
    record = record_of(variant)
    assert best_name(record).partition(":")[0] == name
    assert player_of(agent("best"), record).name.startswith(name)
    greedy = agent("greedy")
    assert player_of(greedy, record) is greedy


@pytest.mark.parametrize("variant", variant_names())
def test_it_plays_every_variant(variant):
    record = record_of(variant)
    players = [agent("best:1")] + [agent("random")] * (record.game.players - 1)
    for _ in play_game(record, players, seed=1, most_plies=3 * record.game.players):
        pass
    assert record.plies


@pytest.mark.parametrize("variant", ["rhombus-4x4-3", "rhombus-7x7-6", "star-37-3p", "ewn-5x5-6"])
def test_a_higher_level_searches_more(variant):
    record = record_of(variant)
    budgets = []
    for level in range(1, 11 if variant != "rhombus-4x4-3" else 10):
        name, given = split(best_name(record, level), main="file")
        assert name != "optimal"  # less than the highest level is a search
        budgets.append(int(given.get("nodes") or given["sims"]))
    assert budgets == sorted(set(budgets))
    if variant != "rhombus-4x4-3":
        assert best_name(record, 10) == best_name(record)


@pytest.mark.parametrize(
    ("typed", "variant", "stands_for"),
    [
        ("best:time=0.5", "draughts-8x8", "alphabeta:time=0.5,evaluator=draughts-8x8"),
        ("best:depth=3", "draughts-8x8", "alphabeta:depth=3,evaluator=draughts-8x8"),
        ("best:sims=20", "rhombus-7x7-6", "net:rhombus-7x7-6,sims=20"),
        ("best:time=0.25", "rhombus-7x7-6", "net:rhombus-7x7-6,time=0.25"),
        ("best:time=9", "ewn-3x3-3", "optimal"),
        ("best:depth=2", "rhombus-4x4-3", "alphabeta:depth=2"),
    ],
)
def test_limits(typed, variant, stands_for):
    assert player_of(agent(typed), record_of(variant)).name == stands_for


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("best:0", "from 1 to 10"),
        ("best:11", "from 1 to 10"),
        ("best:strong", "whole number"),
        ("best:level=3,time=1", "cannot be given together"),
        ("best:nodes=5", "no option 'nodes'"),
    ],
)
def test_impossible_options(name, words):
    with pytest.raises(OptionError, match=words):
        agent(name)


def test_a_limit_of_another_search_is_refused():
    with pytest.raises(OptionError, match=r"alphabeta.*time or depth, not by 'sims'"):
        agent("best:sims=5").choose(record_of("draughts-8x8"), random.Random(0))


def test_endgame_tables_are_probed_where_they_are_at_hand():
    ending = record_of("draughts-8x8", "W:WK1,K2:BK23")
    assert "endgames=4" in best_name(ending)
    found = agent("best:depth=1").analyse(ending, random.Random(0))
    assert found.proven and found.value == 1.0
    assert "endgames" not in best_name(record_of("draughts-8x8"))


def test_a_game_in_python_may_name_its_own():
    class Own(halma.games.frogs.FrogsGame):
        strongest = "mcts:sims=500"

    record = Record(Own("frogs-4-4", 4, 4))
    assert best_name(record, 9) == f"mcts:sims={round(30 * (500 / 30) ** (8 / 9))}"
    assert best_name(record, 1) == "mcts:sims=30"
