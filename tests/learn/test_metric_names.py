"""The metrics that a recipe's runs have are known before they run."""

import pytest

from halma.errors import RecipeError
from halma.learn import load, train
from halma.learn.metric_names import better_direction, check_metric, metric_names

TINY_NETWORK = {"game": "rhombus-3x3-1", "network": "hsueh2023:filters=2", "iterations": 1}
RECIPES = {
    "tabular": (
        "hsueh2023/ewn-3x3-3",
        {"game": "ewn-3x3-2", "iterations": 1, "selfplay.games": 4, "truth.games": 4},
    ),
    "alphazero": (
        "quick",
        {
            **TINY_NETWORK,
            "selfplay.games": 2,
            "warm_start.games": 0,
            "evaluation.games": 2,
            "truth.every": 1,
            "truth.games": 2,
            "gate.games": 2,
        },
    ),
    "dqn": (
        "liu2019/dqn",
        {
            **TINY_NETWORK,
            "play.games": 4,
            "learning.prefill": 4,
            "learning.batch_size": 4,
            "evaluation.every": 1,
            "evaluation.games": 2,
        },
    ),
}


@pytest.mark.parametrize("method", RECIPES)
def test_they_are_those_of_a_run(method, tmp_path):
    name, changes = RECIPES[method]
    recipe = load(name, changes)
    metrics = train(recipe, tmp_path / "run")
    assert {*metric_names(recipe), "iteration"} == {*metrics}


def test_which_way_is_better():
    for metric in ("policy_loss", "err_p", "mae_v", "td_error", "seconds", "illegal_share"):
        assert better_direction(metric) == "minimize"
    for metric in ("wr_p", "vs_greedy", "vs_greedy_elo", "reward", "games_per_second", "gate"):
        assert better_direction(metric) == "maximize"
    for metric in ("mean_plies", "learning_rate", "positions", "draws"):
        assert better_direction(metric) is None


def test_unknown_ones():
    with pytest.raises(RecipeError, match="They have seconds"):
        check_metric(load("hsueh2023/ewn-3x3-3"), "xyzzy")
