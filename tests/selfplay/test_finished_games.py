"""Arrays of finished games: joined and split."""

import numpy as np
import pytest

import halma
from halma import _core
from halma.networks import FunctionEvaluator
from halma.selfplay import FinishedGames, Pool, selfplay_options
from halma.selfplay.games import mover_first


def some_games(variant, number=7):
    """Return short games in which all moves of a position are equally good."""
    game = halma.game(variant)

    def equal(planes):
        zeros = np.zeros((len(planes), game.actions), np.float32)
        return zeros, np.full((len(planes), game.players), 1 / game.players, np.float32)

    search = {"rule": "puct", "dirichlet_weight": 0.25}
    options = selfplay_options(game, search, simulations=2, random_plies_max=2)
    own = game.limits
    limits = _core.Limits(plies=12, repetitions=own.repetitions, no_progress=own.no_progress)
    evaluator = FunctionEvaluator(game.shape, equal)
    return Pool(game, options, [evaluator], slots=4, games=number, limits=limits).play()


def assert_equal(some, others):
    for name, one in some.arrays().items():
        other = getattr(others, name)
        assert one.dtype == other.dtype and one.shape == other.shape, name
        assert np.array_equal(one, other, equal_nan=name == "values"), name


@pytest.mark.parametrize("variant", ["ewn-3x3-2", "star-37-3p"])
def test_games_are_split_and_joined(variant):
    games = some_games(variant)
    halves = games.split(3)
    assert [len(half) for half in halves] == [3, 4]
    assert_equal(FinishedGames.join([games.part(0, 1), games.part(1, 3), halves[1]]), games)
    for i in range(4):
        assert halves[1].events(i) == games.events(3 + i)
    game, first = halma.game(variant), int(games.row_offsets[3])
    for row in (0, len(halves[1].moves) - 1):
        np.testing.assert_array_equal(
            halves[1].encode(game, np.array([row])), games.encode(game, np.array([first + row]))
        )


def test_scores_begin_with_the_mover_s():
    games = some_games("star-37-3p")
    for i in range(len(games)):
        rows = slice(*games.row_offsets[[i, i + 1]])
        found = mover_first(games.scores[i], games.movers[rows])
        np.testing.assert_array_equal(found, games.outcomes[rows])
    assert mover_first(np.array([1, 0, 0.5]), np.array([1])).tolist() == [[0, 0.5, 1]]
    assert mover_first(np.array([1, 0]), np.array([])).shape == (0, 2)
