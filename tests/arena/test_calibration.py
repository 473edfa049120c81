"""Fitting the scale of leads: synthetic games with a known scale, and a real game."""

import math
import random

import pytest

from halma.arena.calibration import LeadSample, calibrate, fit
from halma.errors import HalmaError
from halma.games import game


def synthetic(scale, players, games, rng):
    """Games of ten positions whose leads decide the odds exactly."""
    played = []
    for _ in range(games):
        samples = []
        for _ in range(10):
            lead = rng.gauss(0, 2 / scale)
            odds = scale * lead - math.log(players - 1)
            samples.append(LeadSample(lead, float(rng.random() < 1 / (1 + math.exp(-odds)))))
        played.append(samples)
    return played


@pytest.mark.parametrize(("scale", "players"), [(0.02, 2), (1.5, 2), (0.3, 3)])
def test_a_known_scale_is_found(scale, players):
    found = fit(players, synthetic(scale, players, 500, random.Random(7)))
    assert found.scale == pytest.approx(scale, rel=0.1)
    assert abs(found.scale - scale) < 1.5 * found.error
    assert 0 < found.error < 0.15 * scale
    assert found.log_loss(found.scale) <= found.log_loss(scale) < found.log_loss(0.0)
    for row in found.bins(scale):
        if row["positions"] > 200:
            assert row["predicted"] == pytest.approx(row["observed"], abs=0.1)


def test_log_loss_without_leads_is_that_of_equal_players():
    found = fit(3, synthetic(1.0, 3, 30, random.Random(1)))
    rate = sum(sample.won for sample in found.samples) / len(found.samples)
    wanted = -rate * math.log(1 / 3) - (1 - rate) * math.log(2 / 3)
    assert found.log_loss(0.0) == pytest.approx(wanted)


@pytest.mark.parametrize("variant", ["rhombus-4x4-3", "ewn-3x3-3", "star-37-3p"])
def test_a_real_game(variant):
    first, again = (calibrate(game(variant), games=6, depth=1, seed=3) for _ in range(2))
    assert first == again
    assert len(first.games) == 6 and first.scale > 0
    assert all(0 <= sample.won <= 1 for sample in first.samples)


def test_without_an_evaluation_there_is_nothing_to_fit():
    with pytest.raises(HalmaError, match="no linear evaluation"):
        calibrate(game("frogs-2-1"), games=2)
    with pytest.raises(HalmaError, match="no position with a lead"):
        fit(2, [[LeadSample(0.0, 1.0)]])
