"""Greedy games in the core against plain Python, and looking ahead."""

import random

import pytest
from reference import racing

import halma
from halma import _core
from halma.errors import UnknownAgentError
from halma.search import greedy_games, lookahead_moves

RHOMBI = ["rhombus-4x4-3", "rhombus-7x7-6", "rhombus-7x7-6:rules=liu2019"]


def positions(variant, number, seed):
    game = halma.game(variant)
    states = game.core.sample_states(game.core.initial(), number, seed, 60)
    return [halma.Position(game, bytes(state)) for state in states]


def greedy_record(game, number, seed=0, random_plies=3, stochastic=()):
    """Return one of the games that `greedy_games` counts, the first having number 0."""
    record = halma.Record(game)
    options = (number, seed, random_plies, list(stochastic))
    for chance, value in _core.greedy_game(game.core, game.limits, *options):
        state = record.position.state
        if chance:
            record.resolve(game.format_outcome(state, value))
        else:
            record.play(game.format_move(state, value))
    return record


@pytest.mark.parametrize("variant", RHOMBI)
@pytest.mark.parametrize("stochastic", [(), (1,), (0, 1)])
def test_greedy_games_are_the_twin_s_move_by_move(variant, stochastic):
    game = halma.game(variant)
    for number in range(2):
        ours = greedy_record(game, number, seed=5, random_plies=2, stochastic=stochastic)
        theirs = racing.play(halma.Record(game), 5, number, 2, stochastic)
        assert ours.texts == theirs.texts
        assert ours.is_over


@pytest.mark.parametrize("variant", ["rhombus-6x6-6", "star-37-3p", "star-121-2p", "ewn-5x5-6"])
def test_every_greedy_move_is_one_the_greedy_agent_may_play(variant):
    """The agent asks game.advance of every legal move; the core has a shorter way."""
    game = halma.game(variant)
    record = greedy_record(game, 3, seed=2, random_plies=1)
    checked = plies = 0
    for i, (chance, value) in enumerate(record.events):
        state = record.core.state_at(i)
        if chance:
            continue
        plies += 1
        if plies <= game.players:
            continue
        ranks = {
            m: (game.advance(state, m), game.trailing(state, m)) for m in game.core.legal(state)
        }
        assert ranks[value] == max(ranks.values())
        checked += 1
    assert checked > 3


def test_totals_are_those_of_the_games():
    game = halma.game("rhombus-7x7-6:rules=liu2019")
    records = [greedy_record(game, n, seed=9, stochastic=[0]) for n in range(200)]
    totals = greedy_games(game, 200, seed=9, stochastic=[0])
    assert totals.games == 200
    assert totals.wins == tuple(sum(r.result[p] == 1 for r in records) for p in (0, 1))
    drawn = [number for number, r in enumerate(records) if r.result[0] == 0.5]
    assert totals.draws == len(drawn) > 0
    assert {records[number].end for number in drawn} <= {"by moving in cycles", "by the move limit"}
    assert totals.plies == sum(r.plies for r in records)
    assert totals.shortest == min(r.plies for r in records)
    assert totals.longest == max(r.plies for r in records)
    for number in drawn[:2]:
        twin = racing.play(halma.Record(game), 9, number, 3, (0,))
        assert twin.texts == records[number].texts


@pytest.mark.parametrize("variant", ["rhombus-7x7-6", "star-37-3p", "ewn-5x5-6"])
def test_totals_do_not_depend_on_threads(variant):
    game = halma.game(variant)
    one = greedy_games(game, 501, seed=3, threads=1)
    assert greedy_games(game, 501, seed=3, threads=2) == one
    assert greedy_games(game, 501, seed=3, threads=7) == one
    assert greedy_games(game, 501, seed=4, threads=1) != one


def test_no_games_are_no_games():
    totals = greedy_games(halma.game("rhombus-4x4-3"), 0)
    assert (totals.games, totals.plies, totals.wins, totals.shortest) == (0, 0, (0, 0), 0)


def test_liu2019_s_length_of_a_greedy_game():
    """The paper gives 45 moves on average for rational games."""
    totals = greedy_games(halma.game("rhombus-7x7-6:rules=liu2019"), 2000)
    assert 41 < totals.plies / totals.games < 46


@pytest.mark.parametrize(("variant", "depth"), [(RHOMBI[0], 2), (RHOMBI[0], 3), (RHOMBI[1], 2)])
def test_lookahead_is_the_twin_s(variant, depth):
    sample = random.Random(1).sample(positions(variant, 300, seed=8), 30)
    # Random games do not come near the end; greedy ones do.
    for number in range(4):
        sample += greedy_record(halma.game(variant), number).positions[-9:-1:2]
    easy = variant == RHOMBI[0] and depth == 2
    for position in sample if easy else sample[::6]:
        found = lookahead_moves(position, depth)
        assert {move.text for move in found} == racing.lookahead(position, depth)


def test_looking_one_move_ahead_is_greedy():
    for position in positions("rhombus-6x6-6", 60, seed=2):
        assert lookahead_moves(position, 1) == racing.longest(position)


def test_lookahead_finishes_at_once():
    """A step aside and then home would advance as much."""
    seen = 0
    for number in range(20):
        position = greedy_record(halma.game("rhombus-4x4-3"), number).positions[-2]
        winning = [m.text for m in position.legal_moves if position.play(m).is_terminal]
        assert [m.text for m in lookahead_moves(position, 2)] == winning
        seen += len(winning) < len(position.legal_moves)
    assert seen > 10


@pytest.mark.parametrize("variant", ["ewn-5x5-6", "draughts-8x8"])
def test_lookahead_declines_other_games(variant):
    game = halma.game(variant)
    record = halma.Record(game)
    record.roll(random.Random(0))
    with pytest.raises(UnknownAgentError, match="lookahead does not play it"):
        lookahead_moves(record.position, 2)


def test_greedy_games_decline_games_without_a_race():
    with pytest.raises(UnknownAgentError, match="do not race in 'draughts-8x8'"):
        greedy_games(halma.game("draughts-8x8"), 1)
