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
