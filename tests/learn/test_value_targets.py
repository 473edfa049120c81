"""Value targets of TD(lambda), against a recursion over one game and one player at a time."""

import random
from dataclasses import replace

import numpy as np
import pytest

import halma
from halma.games import Record
from halma.learn.value_targets import ValueTargets
from halma.selfplay import FinishedGames
from halma.selfplay.records import finished_game


def searched_games(name, number, seed):
    """Return random games with made-up search values; some decisions have none."""
    game, rng = halma.game(name), random.Random(seed)
    parts = []
    for _ in range(number):
        record = Record(game)
        while record.plies < 25:
            if not record.is_over:
                record.roll(rng)
            if record.is_over:
                break
            record.play(rng.choice(record.position.legal_moves))
        scores = [rng.random() for _ in range(game.players)]
        if game.players == 2:
            scores[1] = 1 - scores[0]
        parts.append(finished_game(record, scores=scores))
    games = FinishedGames.join(parts)
    values = [rng.random() if rng.random() < 0.8 else np.nan for _ in games.moves]
    return replace(games, values=np.array(values, np.float32))


def naive_targets(games, td_lambda, search_weight):
    """Return the targets row by row, by definition."""
    players = games.scores.shape[1]
    found = np.zeros((len(games.moves), players))
    for number in range(len(games)):
        first, end = games.row_offsets[[number, number + 1]]
        for player in range(players):
            target = games.scores[number, player]
            for row in reversed(range(first, end)):
                mover, value = int(games.movers[row]), games.values[row]
                known = not np.isnan(value) and (players == 2 or player == mover)
                value = value if player == mover else 1 - value
                if known:
                    target = td_lambda * target + (1 - td_lambda) * value
                mixed = (1 - search_weight) * target + search_weight * value if known else target
                found[row, (player - mover) % players] = mixed
    return found


@pytest.mark.parametrize("name", ["ewn-3x3-3", "draughts-8x8", "star-37-3p"])
@pytest.mark.parametrize(("td_lambda", "weight"), [(1, 0), (0.9, 0), (0, 0), (0.5, 0.3), (1, 1)])
def test_targets_are_those_of_the_naive_recursion(name, td_lambda, weight):
    games = searched_games(name, 6, seed=5)
    found = ValueTargets(td_lambda, weight)(games)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, naive_targets(games, td_lambda, weight), atol=1e-6)


def test_the_paper_s_recursion_by_hand():
    """Three decisions, then a loss of the player who moved first: pluska2022's TD(0.9)."""
    games = searched_games("draughts-8x8", 1, seed=1).part(0, 1)
    keep = slice(0, 3)
    games = replace(
        games,
        movers=games.movers[keep],
        moves=games.moves[keep],
        outcomes=games.outcomes[keep],
        values=np.array([0.5, 0.8, 0.3], np.float32),
        scores=np.array([[0, 1]], np.float32),
        row_offsets=np.array([0, 3]),
    )
    third = 0.9 * 0 + 0.1 * 0.3
    second = 0.9 * (1 - third) + 0.1 * 0.8
    first = 0.9 * (1 - second) + 0.1 * 0.5
    found = ValueTargets(0.9)(games)
    np.testing.assert_allclose(found[:, 0], [first, second, third], atol=1e-6)
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-6)


def test_lambda_1_is_the_result_and_0_the_search_value():
    games = searched_games("draughts-8x8", 3, seed=2)
    assert np.array_equal(ValueTargets()(games), games.outcomes)
    known = ~np.isnan(games.values)
    np.testing.assert_allclose(ValueTargets(0.0)(games)[known, 0], games.values[known], atol=1e-6)


def test_no_games_have_no_targets():
    games = searched_games("ewn-3x3-3", 1, seed=3).part(0, 0)
    assert ValueTargets(0.5, 0.5)(games).shape == (0, 2)
