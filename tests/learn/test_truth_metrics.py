"""Grades against naive twins: plain recursion over positions, formulas as they are printed."""

import functools
import math

import numpy as np
import pytest
from small_runs import small

import halma
from halma.learn import load
from halma.learn.tabular import make_trainer
from halma.learn.truth import TestPositions, decisions_near_start, win_rate
from halma.solve import solution_for

#: hsueh2023, section V-A
NUMBERS = {
    "ewn-3x3-3": 108,
    "ewn-3x3-4": 2304,
    "ewn-3x4-3": 108,
    "cdc-2x4-PPPP": 17,
    "cdc-2x4-KPPP": 33,
    "cdc-2x4-GGCC": 33,
}


@pytest.mark.parametrize("variant", NUMBERS)
def test_the_paper_s_test_positions(variant):
    settings = load(f"hsueh2023/{variant}").settings
    positions = decisions_near_start(halma.game(variant), settings.truth.plies)
    assert len(positions) == NUMBERS[variant]
    assert len({position.text for position in positions}) == NUMBERS[variant]
    assert all(position.legal_moves for position in positions)


@functools.cache
def worth(position):
    """The value for the player to move, by recursion; games of EinStein end."""
    if position.is_terminal:
        return position.result[position.mover]
    if position.is_chance:
        # Who moves once chance has spoken is who is to move already.
        return sum(o.probability * worth(position.resolve(o)) for o in position.outcomes)
    return max(worth_of(position, move) for move in position.legal_moves)


def worth_of(position, move):
    after = position.play(move)
    return worth(after) if after.mover == position.mover else 1 - worth(after)


@pytest.fixture(scope="module")
def trained():
    """A trainer of a small game that has learnt something, but not all."""
    recipe = small()
    trainer = make_trainer(recipe)
    for _ in range(3):
        trainer.iterate(1.0)
    return recipe.game, trainer, trainer.table().astype(float).tolist()


def policy(game, trainer, table, position):
    """Equations (5) and (6)."""
    logits = table[trainer.row(position.state)][1:]
    shares = [math.exp(logit) / sum(map(math.exp, logits)) for logit in logits]
    legal = {move: shares[position.action(move)] for move in position.legal_moves}
    return {move: share / sum(legal.values()) for move, share in legal.items()}


@pytest.mark.parametrize("plies", [0, 1])
def test_errors_as_printed(trained, plies):
    game, trainer, table = trained
    positions = decisions_near_start(game, plies)
    policy_errors, value_errors = [], []
    for position in positions:
        shares = policy(game, trainer, table, position)
        best = worth(position)
        policy_errors.append(
            sum(share * (best - worth_of(position, move)) for move, share in shares.items())
        )
        value = 1 / (1 + math.exp(-table[trainer.row(position.state)][0]))
        value_errors.append(abs(best - value))
    tested = TestPositions(solution_for(game), positions, trainer.row)
    logits = trainer.table()
    assert tested.policy_error(logits[:, 1:]) == pytest.approx(np.mean(policy_errors), abs=1e-7)
    assert tested.value_error(logits[:, 0]) == pytest.approx(np.mean(value_errors), abs=1e-7)
    assert 0.01 < np.mean(policy_errors) < 0.5


def test_the_paper_s_example():
    """Values 0.9, 0.7, 0.2: a policy of (1, 0, 0) has no error."""
    tested = TestPositions.__new__(TestPositions)
    tested.rows = np.array([0])
    tested.legal = np.array([[True, True, True, False]])
    tested.losses = np.array([[0.0, 0.2, 0.7, 0.0]])
    assert tested.policy_error(np.array([[900.0, 0.0, 0.0, 990.0]])) == pytest.approx(0)
    assert tested.policy_error(np.array([[0.0, 0.0, 0.0, 50.0]])) == pytest.approx(0.3)
    assert tested.policy_error(np.array([[0.0, 0.0, 900.0, 0.0]])) == pytest.approx(0.7)


def test_the_win_rate_is_what_recursion_expects(trained):
    """The table's likeliest move against any of the best moves, in expectation."""
    game, trainer, table = trained
    solution = solution_for(game)

    @functools.cache
    def expected(position, player):
        """Points of the table, which is this player."""
        if position.is_terminal:
            return position.result[player]
        if position.is_chance:
            return sum(
                o.probability * expected(position.resolve(o), player) for o in position.outcomes
            )
        if position.mover == player:
            shares = policy(game, trainer, table, position)
            return expected(position.play(max(shares, key=shares.get)), player)
        best = solution.best_moves(position)
        assert {worth_of(position, move) for move in best} <= {
            value
            for move in position.legal_moves
            if (value := worth_of(position, move)) > worth(position) - 1e-9
        }
        return sum(expected(position.play(move), player) for move in best) / len(best)

    truth = solution.arrays
    match = trainer.match(truth["values"], truth["distances"], 40_000, 7, 2)
    rate = win_rate(match)
    for side, player in (("first", 0), ("second", 1)):
        games = sum(match[side].values())
        assert games == 20_000
        wanted = expected(game.start(), player)
        error = math.sqrt(max(wanted * (1 - wanted), 1e-4) / games)
        assert abs(rate[f"wr_p_{side}"] - wanted) < 4.5 * error
    low, high = rate["wr_p_low"], rate["wr_p_high"]
    wanted = (expected(game.start(), 0) + expected(game.start(), 1)) / 2
    assert low - 0.01 < wanted < high + 0.01
    assert 0.005 < high - low < 0.02


def score(wins, draws, losses):
    return {"wins": wins, "draws": draws, "losses": losses}


def test_scores():
    rate = win_rate({"first": score(60, 20, 20), "second": score(10, 0, 90)})
    assert (rate["wr_p_first"], rate["wr_p_second"]) == (0.7, 0.1)
    assert rate["wr_p"] == pytest.approx(0.4)
    # By hand: variances 0.16 and 0.09 over 100 games each, of the mean of two.
    reach = 1.96 * math.sqrt(0.0025) / 2
    assert rate["wr_p_high"] - rate["wr_p"] == pytest.approx(reach, rel=1e-3)
    certain = win_rate({"first": score(5, 0, 0), "second": score(5, 0, 0)})
    assert (certain["wr_p_low"], certain["wr_p_high"]) == (1.0, 1.0)


def test_the_learning_rate_falls_at_the_half():
    settings = load("hsueh2023/ewn-3x3-3").settings
    rates = [settings.learning_rate(number) for number in range(1, 101)]
    assert rates == [1.0] * 50 + [0.1] * 50
