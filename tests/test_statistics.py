"""Intervals, Elo and likelihood of superiority: numbers by hand, and coverage by simulation."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halma.statistics import (
    Proportion,
    clustered_interval,
    clustered_mean,
    difference,
    elo,
    elo_interval,
    expected_score,
    half_width,
    likelihood_of_superiority,
    proportion,
    ratio_of_sums,
    student_t,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.5, 0.0), (0.75, 190.8485), (0.25, -190.8485), (10 / 11, 400.0), (100 / 101, 800.0)],
)
def test_elo_of_well_known_scores(value, expected):
    assert elo(value, games=10_000) == pytest.approx(expected, abs=1e-3)
    assert expected_score(expected) == pytest.approx(value, abs=1e-6)


def test_elo_against_the_average_of_two_others():
    assert elo(1 / 3, 1000, sides=3) == pytest.approx(0)
    assert elo(0.5, 1000, sides=3) == pytest.approx(400 * math.log10(2))


def test_a_clean_score_counts_as_half_a_game_less():
    assert elo(1.0, games=100) == pytest.approx(elo(0.995, games=100))
    assert elo(0.0, games=100) == pytest.approx(-elo(1.0, games=100))


def test_share_by_hand():
    # With the imaginary sets 2 and 0 the scores are 2, 1, 2, 0: mean 5/4 of 2, squared
    # distances 9/16 + 1/16 + 9/16 + 25/16 = 11/4, so 11/12 is their variance and
    # sqrt(11/12 / 4) / 2 the error of the mean, as a share of 2 points.
    found = proportion([2, 1], [2, 2])
    assert found.value == 3 / 4
    assert found.centre == 5 / 8
    assert found.error == pytest.approx(math.sqrt(11 / 48) / 2)


def test_share_of_three_parties_by_hand():
    # Imaginary sets 4, 0, 0 beside a set of 1 out of 4: mean 5/4 of 4.
    found = proportion([1, 2], [4, 4], sides=3)
    assert found.value == 3 / 8
    assert found.centre == 7 / 20
    spread = (1 - 1.4) ** 2 + (2 - 1.4) ** 2 + (4 - 1.4) ** 2 + 2 * 1.4**2
    assert found.error == pytest.approx(math.sqrt(spread / 4 / 5) / 4)


def test_many_pairs_have_the_pentanomial_variance():
    counts = {0: 100, 0.5: 900, 1: 2200, 1.5: 1100, 2: 150}
    pairs = sum(counts.values())
    mean = sum(points / 2 * count for points, count in counts.items()) / pairs
    variance = sum(count * (points / 2 - mean) ** 2 for points, count in counts.items()) / pairs
    scores = [points for points, count in counts.items() for _ in range(count)]
    found = proportion(scores, [2] * pairs)
    assert found.value == pytest.approx(mean)
    assert found.error == pytest.approx(math.sqrt(variance / pairs), rel=2e-3)
    low, high = elo_interval(found, 2 * pairs)
    slope = 400 / math.log(10) / (mean * (1 - mean))
    assert (high - low) / 2 == pytest.approx(1.96 * slope * found.error, rel=1e-2)
    assert likelihood_of_superiority(found) == pytest.approx(
        0.5 * (1 + math.erf((mean - 0.5) / math.sqrt(2 * variance / pairs))), abs=1e-3
    )


def test_superiority_by_hand():
    assert likelihood_of_superiority(Proportion(0.5, 0.5, 0.1)) == 0.5
    assert likelihood_of_superiority(Proportion(0.6, 0.6, 0.1)) == pytest.approx(0.841345, abs=1e-6)
    assert likelihood_of_superiority(Proportion(0.4, 0.4, 0.1)) == pytest.approx(0.158655, abs=1e-6)


def test_nobody_scored():
    found = proportion([0, 0], [0, 0])
    assert (found.value, found.interval, likelihood_of_superiority(found)) == (0.5, None, None)


def test_one_set_has_no_interval():
    found = proportion([1.5], [2])
    assert (found.value, found.interval, likelihood_of_superiority(found)) == (0.75, None, None)
    assert elo_interval(found, 2) is None


@given(st.lists(st.integers(0, 4), min_size=2, max_size=60))
def test_an_interval_has_room_and_holds_what_was_seen(quarters):
    found = proportion([quarter / 2 for quarter in quarters], [2] * len(quarters))
    low, high = found.interval
    assert 0 <= low <= found.value <= high <= 1
    assert low < high
    games = 2 * len(quarters)
    bounds = elo_interval(found, games)
    assert bounds[0] <= elo(found.value, games) <= bounds[1]


@given(st.lists(st.integers(0, 4), min_size=2, max_size=60))
def test_the_other_side_sees_the_mirror_image(quarters):
    mine = [quarter / 2 for quarter in quarters]
    theirs = [2 - points for points in mine]
    one, other = proportion(mine, [2] * len(mine)), proportion(theirs, [2] * len(mine))
    assert one.centre == pytest.approx(1 - other.centre)
    assert one.error == pytest.approx(other.error)
    assert likelihood_of_superiority(one) == pytest.approx(1 - likelihood_of_superiority(other))


def test_difference_of_two_means():
    gain, reach = difference([0.5, 0.52, 0.54], [0.3, 0.32, 0.34])
    # Both have a standard deviation of 0.02; 4 degrees of freedom.
    assert gain == pytest.approx(0.2) and reach == pytest.approx(2.776 * 0.02 * (2 / 3) ** 0.5)
    assert half_width([0.5, 0.52, 0.54]) == pytest.approx(4.303 * 0.02 / 3**0.5)
    assert difference([0.5], [0.3])[1] == float("inf")


def test_ratios_of_sums():
    ratio, error = ratio_of_sums([2, 6, 4], [1, 2, 2])
    assert ratio == pytest.approx(12 / 5)
    residuals = [2 - 2.4, 6 - 4.8, 4 - 4.8]
    assert error == pytest.approx(1.96 * sum(r * r for r in residuals) ** 0.5 / 5, rel=1e-4)


def test_student_t_of_published_tables():
    published = {1: 12.706, 10: 2.228, 11: 2.201, 20: 2.086, 30: 2.042, 100: 1.984}
    assert {n: round(student_t(n), 3) for n in published} == published


#: distributions of a pair's points, in quarters of the pair
MODELS = {
    "balanced": (5, 20, 40, 25, 10),
    "one side": (0, 1, 3, 16, 80),
    "no draws": (25, 0, 50, 0, 25),
    "openings decide": (2, 0, 95, 0, 3),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("pairs", [20, 100])
def test_intervals_cover_the_truth(name, pairs):
    weights = MODELS[name]
    truth = sum(q / 4 * w for q, w in enumerate(weights)) / sum(weights)
    rng = random.Random(f"{name} {pairs}")
    runs = 1500
    hits = 0
    for _ in range(runs):
        quarters = rng.choices(range(5), weights, k=pairs)
        low, high = proportion([q / 2 for q in quarters], [2] * pairs).interval
        hits += low <= truth <= high
    assert hits / runs > 0.935
    if name in ("balanced", "no draws"):
        assert hits / runs < (0.985 if pairs == 20 else 0.975)


def test_wilson_s_interval():
    """8 of 10, 0 of 10 and 10 of 10: Brown, Cai and DasGupta (2001) and tables of it."""
    assert wilson_interval(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson_interval(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson_interval(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


def test_shares_of_clusters():
    # Independent trials: as many as there are, but for the correction by one.
    hits = [1] * 90 + [0] * 10
    assert clustered_interval(hits, [1] * 100) == wilson_interval(0.9, 99)
    # Clusters whose trials all agree are worth one trial each.
    assert clustered_interval([7 * hit for hit in hits], [7] * 100) == pytest.approx(
        wilson_interval(0.9, 99)
    )
    # Clusters that vary less than chance are worth their trials, never more.
    assert clustered_interval([9] * 20, [10] * 20) == wilson_interval(0.9, 200)
    # Nothing varies: the clusters are counted.
    assert clustered_interval([10] * 20, [10] * 20) == wilson_interval(1.0, 20)
    assert clustered_interval([3], [4]) is None


def test_intervals_of_clusters_hold_the_truth():
    """In 95% of samples, for games of a dozen moves whose shares differ from game to game."""
    rng, held, samples = random.Random(4), 0, 400
    for _ in range(samples):
        shares = [rng.betavariate(9, 1) for _ in range(60)]
        totals = [rng.randrange(8, 17) for _ in shares]
        hits = [
            sum(rng.random() < share for _ in range(n))
            for share, n in zip(shares, totals, strict=True)
        ]
        low, high = clustered_interval(hits, totals)
        held += low <= 0.9 <= high
    assert 0.91 <= held / samples <= 0.98


def test_a_clustered_mean_counts_repeated_values_once():
    values = [1.0, 3.0, 8.0]
    mean, error = clustered_mean(values, "abc")
    # Standard deviation of 1, 3, 8 is sqrt(13); two degrees of freedom.
    assert mean == 4 and error == pytest.approx(4.303 * math.sqrt(13 / 3), rel=1e-3)
    assert clustered_mean(values * 7, "abc" * 7) == pytest.approx((mean, error))
    # Independent values give the usual interval.
    rng = random.Random(3)
    many = [rng.gauss(2, 1) for _ in range(400)]
    assert clustered_mean(many, range(400))[1] == pytest.approx(half_width(many))
    assert clustered_mean([2.0, 2.0], "aa") == (2.0, math.inf)
