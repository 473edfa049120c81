"""Ratings and the crosstable."""

import csv
import io
import math
import random
import xml.etree.ElementTree as ElementTree

import pytest
from arena_helpers import made_up

from halma.arena import Plan, Rating, Tally, rate
from halma.arena.crosstable import as_csv, as_dicts, as_svg, as_text, crosstable
from halma.arena.ratings import places
from halma.errors import HalmaError


def pairing(one, other, points):
    """Tally pairs of games in which `one` scored this in the first and in the second seat."""
    tally = Tally(Plan("", (one, other), players=2))
    for number, score in enumerate(points):
        result = (score, 1 - score) if number % 2 == 0 else (1 - score, score)
        tally.add(made_up(number, result, (str(number),)))
    return tally


def random_pool(truth, games, rng, draws=0.0):
    names = list(truth)
    pairings = {}
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            expected = 1 / (1 + 10 ** ((truth[names[j]] - truth[names[i]]) / 400))
            drawn = 2 * draws * min(expected, 1 - expected)
            points = rng.choices(
                (1.0, 0.5, 0.0),
                (expected - drawn / 2, drawn, 1 - expected - drawn / 2),
                k=games,
            )
            pairings[(i, j)] = pairing(names[i], names[j], points)
    return names, pairings


def test_two_agents_by_hand():
    # 29.5 of 39 points and the drawn game make 3 : 1.
    points = [1.0] * 29 + [0.5] + [0.0] * 9
    tally = pairing("a", "b", [*points, 0.5])
    assert tally.games == 40
    one, other = rate(["a", "b"], {(0, 1): tally}, "b", 1000.0)
    expected = 400 * math.log10(30.5 / 10.5)
    assert one.elo == pytest.approx(1000 + expected)
    assert other == Rating("b", 1000.0, (1000.0, 1000.0))
    assert one.interval[0] < one.elo < one.interval[1]


def test_expected_scores_equal_scores():
    names, pairings = random_pool({"a": 0, "b": 80, "c": -50, "d": 200}, 60, random.Random(1))
    ratings = rate(names, pairings, "a")
    for index in range(4):
        scored = expected = 0.0
        for (i, j), tally in pairings.items():
            chance = 1 / (1 + 10 ** ((ratings[j].elo - ratings[i].elo) / 400))
            score = tally.all.wins + tally.all.draws / 2 + 0.5
            if i == index:
                scored, expected = scored + score, expected + 61 * chance
            elif j == index:
                scored, expected = scored + 61 - score, expected + 61 * (1 - chance)
        assert scored == pytest.approx(expected, abs=1e-6)


def test_the_anchor_moves_all_alike():
    names, pairings = random_pool({"a": 0, "b": 80, "c": -50}, 40, random.Random(2))
    plain = rate(names, pairings, "a")
    moved = rate(names, pairings, "c", 1500.0)
    shift = 1500 - plain[2].elo
    assert [r.elo for r in moved] == pytest.approx([r.elo + shift for r in plain])
    with pytest.raises(HalmaError, match="'x' does not take part"):
        rate(names, pairings, "x")


def test_clean_scores_have_ratings_too():
    pairings = {
        (0, 1): pairing("a", "b", [1.0] * 20),
        (0, 2): pairing("a", "c", [1.0] * 20),
        (1, 2): pairing("b", "c", [1.0] * 20),
    }
    ratings = rate(["a", "b", "c"], pairings, "b")
    assert ratings[0].elo > 300 > -300 > ratings[2].elo
    assert all(math.isfinite(bound) for rating in ratings for bound in rating.interval)


@pytest.mark.parametrize("draws", [0.0, 0.8])
def test_intervals_cover_the_truth(draws):
    truth = {"a": 0.0, "b": 60.0, "c": -100.0, "d": 150.0}
    rng = random.Random(f"coverage {draws}")
    hits = runs = 0
    for _ in range(100):
        names, pairings = random_pool(truth, 60, rng, draws)
        for rating in rate(names, pairings, "a")[1:]:
            runs += 1
            hits += rating.interval[0] <= truth[rating.agent] <= rating.interval[1]
    assert 0.915 < hits / runs < 0.985


# More than two sides: the Plackett-Luce model.


def ranked_match(agents, sides, results, teams=()):
    """Tally games with these scores by seat."""
    plan = Plan("", tuple(agents), players=len(results[0]), teams=teams)
    assert plan.sides == sides
    tally = Tally(plan)
    for number, result in enumerate(results):
        tally.add(made_up(number, result, (str(number),), agents=("x",) * len(result)))
    return tally


def random_ranking(weights, rng, shown):
    """Draw places one after the other; the scores are those of `shown` places, then 0."""
    left, scores = list(range(len(weights))), [0.0] * len(weights)
    for place in range(shown):
        first = rng.choices(left, [weights[seat] for seat in left])[0]
        scores[first] = float(shown - place)
        left.remove(first)
    return tuple(scores)


def random_tables(truth, players, games, rng, shown):
    plan = Plan("", tuple(truth), players=players)
    weights = [10 ** (elo / 400) for elo in truth.values()]
    results = [
        random_ranking([weights[who] for who in plan.seating(number)], rng, shown)
        for number in range(games)
    ]
    return ranked_match(truth, players, results)


def naive_log_likelihood(tally, strengths):
    """The model written down game by game; one drawn game for every agent."""
    total = 0.0
    for number, placing in enumerate(tally.placings):
        left = [math.exp(strengths[who]) for who, _ in placing]
        scores = [score for _, score in placing]
        assert len(left) == len(tally.plan.seating(number))
        for score in sorted(set(scores), reverse=True):
            if score == 0 and any(scores):
                break
            group = [seat for seat, other in enumerate(scores) if other == score]
            for seat in group:
                total += math.log(math.exp(strengths[placing[seat][0]]) / sum(left)) / len(group)
            for seat in group:
                left[seat] = 0.0
    number = len(strengths)
    for i in range(number):
        for j in range(i):
            gap = strengths[i] - strengths[j]
            total -= (math.log1p(math.exp(gap)) + math.log1p(math.exp(-gap))) / 2 / (number - 1)
    return total


@pytest.mark.parametrize(
    ("players", "agents", "shown"), [(3, 3, 2), (6, 4, 1), (3, 5, 1), (4, 2, 3)]
)
def test_ratings_are_those_of_the_largest_likelihood(players, agents, shown):
    truth = dict(zip("abcde"[:agents], (0.0, 120.0, -80.0, 200.0, 40.0), strict=False))
    tally = random_tables(truth, players, 30, random.Random(f"{players} {agents}"), shown)
    ratings = rate(list(truth), {tuple(range(agents)): tally}, "a")
    found = [rating.elo * math.log(10) / 400 for rating in ratings]
    best = naive_log_likelihood(tally, found)
    for index in range(agents):
        for step in (-1e-3, 1e-3):
            moved = [one + step * (index == other) for other, one in enumerate(found)]
            assert naive_log_likelihood(tally, moved) < best


def test_shared_places_and_those_without_points():
    assert list(places(((0, 3.0), (1, 0.0), (2, 1.0)))) == [[0], [2]]
    assert list(places(((0, 1.0), (1, 3.0), (2, 1.0)))) == [[1], [0, 2]]
    assert list(places(((0, 0.0), (1, 1.0), (1, 0.0)))) == [[1]]
    assert list(places(((0, 0.0), (1, 0.0), (2, 0.0)))) == [[0, 1, 2]]


def test_drawn_games_of_three_make_all_equal():
    tally = ranked_match("abc", 3, [(1 / 3, 1 / 3, 1 / 3)] * 6)
    ratings = rate(["a", "b", "c"], {(0, 1, 2): tally}, "a")
    assert [rating.elo for rating in ratings] == pytest.approx([0, 0, 0])


def test_one_seat_that_wins_as_often_as_each_of_the_five_others_is_as_strong():
    plan = Plan("", ("a", "b"), players=6, seats=1)
    tally = Tally(plan)
    for number in range(36):
        winner = number % 6 if number < 6 else (number + 1) % 6
        result = tuple(float(seat == winner) for seat in range(6))
        tally.add(made_up(number, result, (str(number),), agents=("x",) * 6))
    assert rate(["a", "b"], {(0, 1): tally}, "b")[0].elo == pytest.approx(0, abs=1)


@pytest.mark.parametrize(("players", "shown"), [(3, 2), (6, 1)])
def test_intervals_of_tables_cover_the_truth(players, shown):
    truth = {"a": 0.0, "b": 60.0, "c": -100.0, "d": 150.0}
    rng = random.Random(f"tables {players}")
    hits = runs = 0
    for _ in range(100):
        tally = random_tables(truth, players, 120, rng, shown)
        for rating in rate(list(truth), {(0, 1, 2, 3): tally}, "a")[1:]:
            runs += 1
            hits += rating.interval[0] <= truth[rating.agent] <= rating.interval[1]
    assert 0.915 < hits / runs < 0.985


def test_the_crosstable_of_tables():
    plan = Plan("", ("a", "b", "c"), players=3)
    scores = {0: 3.0, 1: 1.0, 2: 0.0}
    results = [tuple(scores[who] for who in plan.seating(number)) for number in range(5)]
    tally = ranked_match("abc", 3, [*results, (0.0, 0.0, 0.0)])
    rows = crosstable(rate(["a", "b", "c"], {(0, 1, 2): tally}, "c"), {(0, 1, 2): tally})
    assert [row.rating.agent for row in rows] == ["a", "b", "c"]
    assert [row.games for row in rows] == [6, 6, 6]
    assert [row.score for row in rows] == [0.75, 0.25, 0.0]
    cell = rows[0].pairings[2]
    assert (cell.games, cell.wins, cell.draws, cell.losses) == (6, 5, 1, 0)
    # Where only the first has points, the others are in no order.
    tally = ranked_match("abc", 3, [(1.0, 0.0, 0.0)])
    rows = crosstable(rate(["a", "b", "c"], {(0, 1, 2): tally}, "c"), {(0, 1, 2): tally})
    assert rows[1].pairings[2] is None


# The crosstable.


@pytest.fixture
def rows():
    pairings = {
        (0, 1): pairing("<weak>", "mid", [0.0, 0.5, 0.0, 0.0]),
        (0, 2): pairing("<weak>", "top", [0.0, 0.0, 0.0, 1.0]),
        (1, 2): pairing("mid", "top", [0.0, 0.5, 0.5, 0.0]),
    }
    return crosstable(rate(["<weak>", "mid", "top"], pairings, "mid", 100.0), pairings)


def test_the_best_comes_first_and_pairings_mirror_each_other(rows):
    assert [row.rating.agent for row in rows] == ["top", "mid", "<weak>"]
    assert [row.games for row in rows] == [8, 8, 8]
    assert [row.score for row in rows] == [6 / 8, 4.5 / 8, 1.5 / 8]
    for i, row in enumerate(rows):
        assert row.pairings[i] is None
        for j, cell in enumerate(row.pairings):
            if cell is not None:
                other = rows[j].pairings[i]
                assert cell.score + other.score == 1
                assert (cell.wins, cell.draws) == (other.losses, other.draws)
    second = rows[0].pairings[1]
    assert (second.wins, second.draws, second.losses) == (2, 2, 0)


def test_as_text(rows):
    lines = as_text(rows).splitlines()
    assert len(lines) == 4
    assert lines[1].split()[:2] == ["1", "top"]
    assert lines[1].split()[-3:] == ["-", "75.0%", "75.0%"]
    assert lines[2].split()[2:4] == ["100", "0"]
    assert len({len(line) for line in lines}) == 1


def test_as_csv(rows):
    found = list(csv.DictReader(io.StringIO(as_csv(rows))))
    assert [row["agent"] for row in found] == ["top", "mid", "<weak>"]
    assert found[0]["<weak>"] == "0.7500"
    assert found[0]["top"] == ""
    assert float(found[1]["elo"]) == float(found[1]["elo_low"]) == 100.0


def test_as_svg(rows):
    picture = ElementTree.fromstring(as_svg(rows, "a & b"))
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "a & b" in texts
    assert "<weak>" in texts
    assert "+2 =2 -0" in texts


def test_as_dicts(rows):
    table = as_dicts(rows)
    assert table[0]["against"]["mid"] == {
        "games": 4,
        "wins": 2,
        "draws": 2,
        "losses": 0,
        "score": 0.75,
    }
