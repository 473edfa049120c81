"""Weights of linear evaluations by logistic regression."""

from __future__ import annotations

import random

import numpy as np
import pytest

from halma import _core, game
from halma.agents import agent
from halma.errors import HalmaError
from halma.games import Record
from halma.learn.fit_evaluator import FitOptions, play_games
from halma.learn.fit_weights import cross_entropy, fit_weights, leads_of, regress

SMALL = FitOptions(games=30, nodes=60, random_plies=8, result_share=1.0)


def test_regression_finds_the_weights_that_made_the_targets():
    rng = np.random.default_rng(1)
    leads = rng.normal(size=(20_000, 3)) * (1, 30, 0.1)
    true = np.array([0.8, -0.05, 4.0])
    targets = (rng.random(20_000) < 1 / (1 + np.exp(-leads @ true))).astype(float)
    found = regress(leads, targets)
    assert found == pytest.approx(true, rel=0.1)
    assert cross_entropy(leads @ found, targets) < cross_entropy(leads @ true, targets) + 1e-6
    # A feature that never differs gets no weight.
    assert regress(np.c_[leads, np.zeros(20_000)], targets)[3] == 0


def test_leads_are_those_of_the_mover():
    chosen = game("draughts-8x8")
    games = play_games(chosen, None, 0, 6, SMALL)
    leads, targets = leads_of(chosen, games, 1.0)
    rows = np.flatnonzero(games.choices == _core.Choice.FULL.value)
    assert leads.shape == (len(rows), 3) and set(targets) <= {0.0, 0.5, 1.0}
    for row, lead in zip(rows, leads, strict=True):
        state = games.states[row].tobytes()
        mover = chosen.core.mover(state)
        own, other = (_core.features(chosen.core, state, who) for who in (mover, 1 - mover))
        assert lead == pytest.approx(np.subtract(own, other))


@pytest.mark.parametrize("name", ["draughts-8x8", "rhombus-5x5-3", "ewn-5x5-6"])
def test_fitted_weights_explain_games_better_and_can_be_played_with(name):
    chosen = game(name)
    found = fit_weights(chosen, SMALL)
    assert found.loss < found.own_loss and found.positions > 100
    assert np.linalg.norm(found.weights) == pytest.approx(1)
    kind = "expectimax" if name.startswith("ewn") else "alphabeta"
    record = Record(chosen)
    record.roll(random.Random(0))
    player = agent(f"{kind}:nodes=50,weights={found.option}")
    assert player.choose(record, None) in record.position.legal_moves
    assert fit_weights(chosen, SMALL) == found


def test_games_without_a_linear_evaluation():
    with pytest.raises(HalmaError, match="no linear evaluation"):
        fit_weights(game("frogs-3-2"), SMALL)
