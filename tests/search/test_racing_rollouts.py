"""Rollouts that race: tree search is not below the greedy player it imitates."""

import random

import pytest

import halma
from halma import _core
from halma.agents import agent, play_game
from halma.errors import OptionError
from halma.search.tree_search import TreeSearch


def points(name, opponent, variant, games, opening_plies=4):
    """Return the share of points that an agent takes, in pairs of games from random openings."""
    game, total = halma.game(variant), 0.0
    agents = [agent(name), agent(opponent)]
    for number in range(games):
        rng = random.Random(number // 2)
        record = halma.Record(game)
        for _ in range(opening_plies):
            record.play(rng.choice(record.position.legal_moves))
        seat = number % 2
        for _ in play_game(record, agents[:: 1 - 2 * seat], seed=number, most_plies=400):
            pass
        total += record.result[seat]
    return total / games


@pytest.mark.parametrize("variant", ["rhombus-9x9-10", "star-121-2p"])
def test_is_not_below_greedy(variant):
    assert points("mcts:sims=60", "greedy", variant, 6) >= 0.5


def test_random_rollouts_hardly_leave_home():
    assert points("mcts:sims=60,evaluator=rollout", "greedy", "rhombus-9x9-10", 2) == 0


def test_races_where_the_game_lists_its_furthest_moves():
    for variant in ("rhombus-4x4-3", "ewn-3x3-3", "draughts-8x8"):
        game = halma.game(variant)
        quick = _core.capabilities(game.core)["furthest"]
        assert agent("mcts:sims=5").evaluator(game) == ("race" if quick else "rollout")


def test_needs_a_race():
    with pytest.raises(OptionError, match="does not say how far moves advance"):
        TreeSearch(halma.game("draughts-8x8"), evaluator="race")
