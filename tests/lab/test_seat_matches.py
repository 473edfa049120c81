"""Matches in games for three: seats, shares of first places and points, placements by seat."""

import math
from collections import Counter

import pytest

from halma.lab.matches import MatchPlayer
from halma.lab.seat_matches import (
    SeatedGame,
    SeatMatch,
    SeatTable,
    SideScore,
    play_seated,
    side_scores,
)

VARIANT = "star-37-3p"
PLAYERS = (MatchPlayer("greedy:ties=random"), MatchPlayer("initialize"))


def ignore(fraction):
    assert 0 <= fraction <= 1


def seated(seating, scores, end="by the rules"):
    return SeatedGame(seating, scores, 50, end)


def test_a_match_has_every_way_to_share_the_seats():
    match = SeatMatch("small", VARIANT, PLAYERS, 6, 6)
    measured = {}
    for job in match.blocks.jobs(5):
        measured[job.name] = [list(one) for one in job.function(*job.arguments, ignore)]
    games = match.played(lambda name, check: measured.get(name))
    assert {game.seating for game in games} == {
        (0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1),
    }  # fmt: skip
    assert {held: score.games for held, score in side_scores(games).items()} == {1: 3, 2: 3}
    assert match.played(lambda name, check: None) is None


def test_games_do_not_depend_on_those_beside_them():
    together = play_seated(VARIANT, PLAYERS, 6, "cpu", range(6), 3, ignore)
    alone = [play_seated(VARIANT, PLAYERS, 6, "cpu", [n], 3, ignore)[0] for n in range(6)]
    assert together == alone


def test_greedy_beats_initialize_alone_and_in_two_seats():
    match = SeatMatch("small", VARIANT, PLAYERS, 60, 6)
    measured = {
        job.name: [list(one) for one in job.function(*job.arguments, ignore)]
        for job in match.blocks.jobs(1)
    }
    scores = side_scores(match.played(lambda name, check: measured.get(name)))
    assert scores[1].first.value > 0.9 and scores[2].first.value > 0.9


def test_shares_of_first_places_and_points():
    games = [
        seated((0, 1, 1), (3.0, 1.0, 0.0)),
        seated((1, 0, 1), (0.0, 1.0, 3.0)),
        seated((1, 1, 0), (0.0, 0.0, 0.0), "by the move limit"),
        seated((0, 0, 1), (3.0, 1.0, 0.0)),
    ]
    single = SideScore(games, 1)
    assert single.games == 3 and single.by_chance == pytest.approx(1 / 3)
    assert single.first.value == single.opponent_first.value == pytest.approx(1 / 3)
    assert single.points.value == pytest.approx(4 / 8)
    assert single.seat_score == pytest.approx(4 / 3)
    double = SideScore(games, 2)
    assert (double.games, double.first.value, double.seat_score) == (1, 1.0, 2.0)


def test_odds_are_those_of_one_seat():
    # Three times as strong as each of the others: first in 3 of 5 single games, 6 of 7 double ones.
    single = [seated((0, 1, 1), (3.0, 1.0, 0.0))] * 3 + [seated((0, 1, 1), (0.0, 3.0, 1.0))] * 2
    double = [seated((0, 0, 1), (3.0, 1.0, 0.0))] * 6 + [seated((0, 0, 1), (1.0, 0.0, 3.0))]
    for games, held in ((single * 1000, 1), (double * 1000, 2)):
        odds, width = SideScore(games, held).log_odds
        assert odds == pytest.approx(math.log(3), abs=0.01) and 0 < width < 0.1


def test_placements_by_seat():
    games = [
        seated((0, 0, 0), (3.0, 1.0, 0.0)),
        seated((0, 0, 0), (3.0, 1.0, 1.0)),
        seated((0, 0, 0), (0.0, 0.0, 3.0), "by the move limit"),
        seated((0, 0, 0), (0.0, 0.0, 0.0), "by the move limit"),
    ]
    table = SeatTable.of(games)
    assert table.places == ((0.5, 0, 0.5), (0, 0.5, 0.5), (0.25, 0.25, 0.5))
    assert [mean for mean, _ in table.scores] == [1.5, 0.5, 1.0]


def test_seats_of_one_game_are_compared_game_by_game():
    # Seat 1 is always one point ahead of seat 2, however much both vary.
    games = [seated((0, 0, 0), (3.0, 2.0, 3.0 * (i % 2))) for i in range(10)]
    games += [seated((0, 0, 0), (1.0, 0.0, 3.0 * (i % 2))) for i in range(10)]
    table = SeatTable.of(games)
    assert table.leads == ((False, True, False), (False, False, False), (False, False, False))


def test_blocks_of_quick_games_are_large():
    quick = SeatMatch("quick", VARIANT, PLAYERS, 1200, 6, cost=0.002)
    assert Counter(len(job.arguments[0]) for job in quick.blocks.jobs(0)) == {500: 2, 200: 1}
    slow = SeatMatch("slow", VARIANT, PLAYERS, 40, 6, cost=1.0)
    assert [len(job.arguments[0]) for job in slow.blocks.jobs(0)] == [20, 20]
