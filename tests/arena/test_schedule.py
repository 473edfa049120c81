"""Schedules: seats are balanced after every set, and all agents meet equally often."""

import itertools
from collections import Counter

import pytest
from arena_helpers import made_up

from halma.arena import Plan, Tally, make_plan
from halma.arena.schedule import Schedule
from halma.errors import HalmaError
from halma.statistics import elo


@pytest.mark.parametrize("sides", [3, 4, 6])
@pytest.mark.parametrize("held", [1, 2, 3, 4, 5])
def test_a_fixed_number_of_seats_goes_round_the_board(sides, held):
    if held >= sides:
        return
    schedule = Schedule(2, sides, held)
    games = [schedule.agents_by_side(number) for number in range(schedule.set_size)]
    assert all(game.count(0) == held for game in games)
    assert len(set(games)) == len(games) <= sides
    for seat in zip(*games, strict=True):
        assert seat.count(0) * sides == held * len(games)
    assert schedule.agents_by_side(schedule.set_size) == games[0]


def test_seats_are_spread_evenly():
    assert Schedule(2, 6, 1).agents_by_side(2) == (1, 1, 0, 1, 1, 1)
    assert Schedule(2, 6, 2).agents_by_side(0) == (0, 1, 1, 0, 1, 1)
    assert Schedule(2, 6, 3).agents_by_side(1) == (1, 0, 1, 0, 1, 0)


@pytest.mark.parametrize(("agents", "sides"), [(4, 3), (5, 3), (7, 4), (8, 6), (12, 6)])
def test_more_agents_than_seats(agents, sides):
    schedule = Schedule(agents, sides)
    assert schedule.set_size == agents
    met = Counter()
    for first in range(0, 40 * agents, agents):
        games = [schedule.agents_by_side(first + number) for number in range(agents)]
        assert all(len(set(game)) == sides for game in games)
        for seat in zip(*games, strict=True):
            assert sorted(seat) == list(range(agents))
        for game in games:
            met.update(frozenset(pair) for pair in itertools.combinations(game, 2))
    assert len(met) == agents * (agents - 1) // 2
    assert max(met.values()) - min(met.values()) <= sides


def test_a_game_can_be_asked_for_in_any_order():
    later = Schedule(9, 4).agents_by_side(100)
    assert [Schedule(9, 4).agents_by_side(number) for number in range(101)][100] == later


def test_partners_are_one_agent():
    plan = Plan("", ("a", "b"), players=4, teams=(0, 1, 0, 1))
    assert (plan.sides, plan.set_size) == (2, 2)
    assert [plan.seating(number) for number in range(3)] == [
        (0, 1, 0, 1),
        (1, 0, 1, 0),
        (0, 1, 0, 1),
    ]
    six = Plan("", ("a", "b"), players=6, teams=(0, 1, 2) * 2, seats=2)
    assert [six.seating(number) for number in range(six.set_size)] == [
        (0, 1, 1) * 2,
        (1, 0, 1) * 2,
        (1, 1, 0) * 2,
    ]


def test_an_equal_share_of_points_is_that_of_the_seats():
    plan = Plan("", ("a", "b"), players=6, seats=1)
    tally = Tally(plan)
    assert tally.scores == pytest.approx([1 / 6, 5 / 6])
    for number in range(36):
        winner = number % 6 if number < 6 else (number + 1) % 6
        result = tuple(float(seat == winner) for seat in range(6))
        tally.add(made_up(number, result, (str(number),), agents=("x",) * 6))
    # The one seat won 6 of 36 games, as many as chance would give it.
    assert tally.all.wins == 6
    assert tally.elo == pytest.approx(0)
    assert tally.likelihood_of_superiority == pytest.approx(0.5)
    assert elo(0.5, 100, 3, 2) < 0 < elo(0.5, 100, 3, 1)


@pytest.mark.parametrize(
    ("variant", "agents", "seats", "words"),
    [
        ("star-37-3p", ["random", "greedy"], 3, "can have 1 or 2 seats, not 3"),
        ("ewn-5x5-6", ["random", "greedy"], 2, "can have 1 seat, not 2"),
        ("star-37-3p", ["random"] * 3, 1, "the first of two agents, not of 3"),
    ],
)
def test_seats_that_a_game_does_not_have(variant, agents, seats, words):
    with pytest.raises(HalmaError, match=words):
        make_plan(variant, agents, seats=seats)
