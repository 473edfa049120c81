"""The sequential test: a twin that searches, the normal approximation, and error rates."""

import math
import random

import pytest

from halma.arena.sprt import Sprt, log_likelihood_ratio, parse_sprt
from halma.errors import HalmaError
from halma.statistics import expected_score


def best_likelihood(counts, mean):
    """Search the distributions on 0, 1/2, 1 with this mean for the likeliest."""
    best = -math.inf
    for step in range(1, 20_000):
        draw = step / 20_000
        win = mean - draw / 2
        loss = 1 - win - draw
        if win > 0 and loss > 0:
            parts = zip(counts, (loss, draw, win), strict=True)
            best = max(best, sum(count * math.log(part) for count, part in parts))
    return best


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1"),
    [((20, 50, 30), 0, 20), ((300, 100, 250), -10, 10), ((5, 10, 60), 0, 400), ((7, 9, 4), 0, 5)],
)
def test_ratio_equals_that_of_a_search(counts, elo0, elo1):
    found = log_likelihood_ratio(dict(zip((0.0, 0.5, 1.0), counts, strict=True)), elo0, elo1)
    low, high = (best_likelihood(counts, expected_score(elo)) for elo in (elo0, elo1))
    assert found == pytest.approx(high - low, abs=0.02, rel=0.01)


def test_ratio_is_near_the_normal_one_for_many_pairs():
    shares = {0.0: 200, 0.25: 1800, 0.5: 4400, 0.75: 2100, 1.0: 300}
    pairs = sum(shares.values())
    mean = sum(value * count for value, count in shares.items()) / pairs
    variance = sum(count * (value - mean) ** 2 for value, count in shares.items()) / pairs
    s0, s1 = expected_score(0), expected_score(5)
    normal = pairs * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert log_likelihood_ratio(shares, 0, 5) == pytest.approx(normal, rel=0.02)


def test_ratio_knows_no_sides():
    shares = {0.0: 3, 0.25: 4, 0.5: 30, 0.75: 14, 1.0: 9}
    mirrored = {1 - value: count for value, count in shares.items()}
    found = log_likelihood_ratio(shares, 0, 30)
    assert found == pytest.approx(log_likelihood_ratio(mirrored, 0, -30))
    assert found == pytest.approx(-log_likelihood_ratio(shares, 30, 0))
    assert log_likelihood_ratio({}, 0, 30) == 0.0


def test_bounds():
    lower, upper = Sprt(alpha=0.05, beta=0.05).bounds
    assert upper == pytest.approx(2.944439)
    assert lower == pytest.approx(-2.944439)
    lower, upper = Sprt(alpha=0.01, beta=0.1).bounds
    assert upper == pytest.approx(math.log(90))
    assert lower == pytest.approx(math.log(0.1 / 0.99))


@pytest.mark.parametrize("lean", [0.0, 0.25])
def test_errors_are_as_rare_as_promised(lean):
    # The weights make an even match without lean; with it, elo1 is exactly true.
    weights = [1, 2, 4, 2 + 5 * lean, 1 + 5 * lean]
    mean = sum(q / 4 * w for q, w in enumerate(weights)) / sum(weights)
    truth = 400 * math.log10(mean / (1 - mean))
    test = Sprt(elo0=0, elo1=truth or 80)
    rng = random.Random(5)
    wrong = 0
    for _ in range(150):
        shares = dict.fromkeys((0.0, 0.25, 0.5, 0.75, 1.0), 0)
        accepted = None
        while accepted is None:
            shares[rng.choices(tuple(shares), weights)[0]] += 1
            accepted = test.accepted(shares)
        wrong += accepted == ("elo1" if lean == 0 else "elo0")
    assert wrong <= 15


def test_reading():
    assert parse_sprt("elo0=-5,elo1=5") == Sprt(-5.0, 5.0, 0.05, 0.05)
    assert parse_sprt("alpha=0.01") == Sprt(0.0, 10.0, 0.01, 0.05)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("elo0=5,elo1=5", "elo0 < elo1"),
        ("elo0=nan", "a number from -2000 to 2000"),
        ("elo1=inf", "a number from -2000 to 2000"),
        ("alpha=0.7", "a number from 0.001 to 0.499"),
        ("beta=0", "a number from 0.001 to 0.499"),
        ("elo2=3", "no option 'elo2'"),
        ("elo1=much", "it is a number"),
        ("elo1", "key=value"),
        ("", "key=value"),
    ],
)
def test_errors(text, words):
    with pytest.raises(HalmaError, match=words):
        parse_sprt(text)
