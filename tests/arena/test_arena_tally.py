"""Results of made-up games."""

import pytest
from arena_helpers import made_up

from halma.arena import Plan, Sprt, Tally, make_plan, play_matches


def counted(plan, results, moves=None):
    tally = Tally(plan)
    for number, result in enumerate(results):
        tally.add(made_up(number, result, moves[number] if moves else (str(number),)))
    return tally


TWO = Plan("", ("a", "b"), players=2)
THREE = Plan("", ("a", "b"), players=3)


def test_a_match_of_pairs():
    # A has the first seat in even games.
    results = [(1, 0), (0, 1), (1, 0), (1, 0), (0.5, 0.5), (0, 1), (0, 1), (0.5, 0.5)]
    tally = counted(TWO, results)
    assert (tally.all.wins, tally.all.draws, tally.all.losses) == (4, 2, 2)
    assert tally.points == [5, 3]
    assert tally.scores == [5 / 8, 3 / 8]
    # Pairs: 2, 1, 1.5 and 0.5 points.
    assert tally.pentanomial == [0, 1, 1, 1, 1]
    assert tally.seat_points == [4, 4]
    first, second = tally.by_seat
    assert (first.wins, first.draws, first.losses, first.points) == (2, 1, 1, 2.5)
    assert (second.wins, second.draws, second.losses, second.points) == (2, 1, 1, 2.5)
    assert tally.rate("draws").value == 1 / 4


def test_an_unfinished_pair_is_not_in_the_pentanomial():
    tally = counted(TWO, [(1, 0), (0, 1), (1, 0)])
    assert tally.pentanomial == [0, 0, 0, 0, 1]


def test_equal_games_are_one():
    moves = [("x", "y"), ("x", "z"), ("x", "y"), ("x",)]
    assert counted(TWO, [(1, 0)] * 4, moves).distinct == 3


def test_three_seats_with_three_one_and_no_points():
    assert [THREE.seating(number) for number in range(6)] == [
        (0, 0, 1),
        (1, 1, 0),
        (0, 1, 0),
        (1, 0, 1),
        (0, 1, 1),
        (1, 0, 0),
    ]
    # A wins with two seats, a game in which nobody arrived, A second and third, A second,
    # A wins alone, B wins and A has the rest.
    results = [(3, 1, 0), (0, 0, 0), (1, 3, 0), (0, 1, 3), (3, 1, 0), (3, 0, 1)]
    tally = counted(THREE, results)
    assert (tally.all.wins, tally.all.draws, tally.all.losses) == (2, 1, 3)
    assert tally.points == [4 + 1 + 3 + 1 + 1 + 0, 0 + 3 + 1 + 3 + 3 + 0]
    assert tally.scores == [0.5, 0.5]
    assert tally.seat_points == [10, 6, 4]
    single, double = tally.by_seats_held[1], tally.by_seats_held[2]
    assert (single.wins, single.draws, single.losses, single.points) == (1, 1, 1, 4)
    assert (double.wins, double.draws, double.losses, double.points) == (1, 0, 2, 6)
    assert tally.pentanomial is None
    assert tally.set_scores == {1.0: 1, 0.25: 1, 0.5: 1}
    assert tally.elo == 0


def test_three_agents():
    plan = Plan("", ("a", "b", "c"), players=3)
    # a always comes first, b second.
    scores = (3, 1, 0)
    tally = counted(plan, [tuple(scores[who] for who in plan.seating(n)) for n in range(6)])
    assert tally.points == [18, 6, 0]
    assert tally.scores == [0.75, 0.25, 0.0]
    assert tally.all.wins == 6
    assert tally.seat_points == [8, 8, 8]


def test_one_set_of_games_has_no_interval():
    tally = counted(TWO, [(1, 0), (0, 1)])
    assert (tally.score.value, tally.score.interval) == (1.0, None)
    assert tally.elo_interval is tally.likelihood_of_superiority is None
    assert tally.rate("wins").interval is None
    found = tally.as_dict()
    assert found["points_interval"] is found["elo_interval"] is found["los"] is None
    assert tally.warnings == [
        "One set of games gives no interval: play more than 2 games to see how certain the "
        "result is."
    ]
    two = counted(TWO, [(1, 0), (0, 1), (1, 0), (1, 0)])
    low, high = two.score.interval
    assert low < two.score.value <= high
    assert not two.warnings


@pytest.mark.parametrize("workers", [1, 2])
def test_a_match_stops_when_the_test_accepts(workers):
    plan = make_plan("ewn-3x3-3", ["greedy", "random"])
    test = Sprt(elo0=-300, elo1=0)
    (tally,) = play_matches([plan], 400, workers, sprt=test)
    assert test.accepted(tally.set_scores) == "elo1"
    assert tally.games < 200
    assert tally.at_set_end
    (whole,) = play_matches([plan], tally.games - 2)
    assert test.accepted(whole.set_scores) is None
    assert whole.sets == tally.sets[:-1]
