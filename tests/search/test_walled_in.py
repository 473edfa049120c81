"""A piece that is walled in where all own pieces must arrive: the player lets it out and wins."""

import random

import pytest

import halma
from halma.agents import agent, play_game

#: capital E stands in the other player's target, which is full but for one hole
WALLED_IN = "...baEd/.....ce/......./D.....f/......./C....../ABF.... 1"


@pytest.mark.parametrize("variant", ["rhombus-7x7-6:liu2019", "rhombus-7x7-6:win=fill,view=ids"])
@pytest.mark.parametrize("opponent", ["minimax:depth=1", "minimax:depth=2", "minimax:depth=3"])
@pytest.mark.parametrize("limit", ["depth=4", "nodes=5000"])
def test_wins_against_a_piece_that_leaves_late(variant, opponent, limit):
    game = halma.game(variant)
    record = halma.Record(game, game.position(WALLED_IN))
    agents = [agent(f"alphabeta:{limit}"), agent(opponent)]
    for _ in play_game(record, agents, seed=1, most_plies=60):
        pass
    assert record.result[0] == 1


def test_the_other_piece_can_leave_after_the_first_move():
    game = halma.game("rhombus-7x7-6:win=fill,view=ids")
    record = halma.Record(game, game.position(WALLED_IN))
    record.play(agent("alphabeta:nodes=5000").choose(record, random.Random(1)))
    assert any(move.text.startswith("f7-") for move in record.position.legal_moves)
