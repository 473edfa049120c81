"""Perfect play: what the solution promises is what comes out."""

import random

import pytest

import halma
from halma.agents import agent, play_game
from halma.errors import NameSyntaxError, TableError
from halma.games import Record
from halma.solve import solution_for, solve
from halma.solve.tables import table_path


@pytest.fixture(autouse=True)
def no_tables(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))


def mean_score(game, players, games, seed=0):
    """Return the first player's mean score."""
    total = 0.0
    for number in range(games):
        record = Record(game)
        for _ in play_game(record, players, seed=seed + number):
            pass
        total += record.result[0]
    return total / games


@pytest.mark.parametrize("name", ["ewn-3x3-3", "cdc-2x4-PPPP"])
def test_against_itself_the_start_is_worth_its_value(name):
    game = halma.game(name)
    optimal, games = agent("optimal"), 600
    mean = mean_score(game, [optimal, optimal], games)
    # Four standard deviations of a mean of results between 0 and 1.
    assert abs(mean - solution_for(game).start_value()) < 4 * 0.5 / games**0.5


@pytest.mark.parametrize("name", ["ewn-3x3-3", "cdc-2x4-PPPP"])
@pytest.mark.parametrize("seat", [0, 1])
def test_nobody_does_better_against_it_than_the_value_allows(name, seat):
    game = halma.game(name)
    players = [agent("random"), agent("random")]
    players[seat] = agent("optimal")
    games = 300
    mean = mean_score(game, players, games, seed=10_000)
    value = solution_for(game).start_value()
    slack = 4 * 0.5 / games**0.5
    assert mean > value - slack if seat == 0 else mean < value + slack


def test_a_certain_win_comes_within_its_distance():
    # The other side moves at random, chance as it likes: never longer than promised.
    game = halma.game("cdc-2x4-PPPP")
    solution = solution_for(game)
    optimal, rng = agent("optimal"), random.Random(1)
    tried = 0
    while tried < 60:
        record = Record(game)
        while not record.is_over:
            record.roll(rng)
            position = record.position
            if position.is_terminal:
                break
            if solution.value(position) == 1.0 and rng.random() < 0.3:
                within = solution.distance(position)
                winner = position.mover
                plies = record.plies
                while not record.is_over:
                    record.roll(rng)
                    if record.is_over:
                        break
                    mover = record.position.mover
                    player = optimal if mover == winner else agent("random")
                    record.play(player.choose(record, rng))
                assert record.result[winner] == 1.0
                assert record.plies - plies <= within
                tried += 1
                break
            record.play(rng.choice(position.legal_moves))


def test_it_takes_any_of_the_best_moves():
    game = halma.game("ewn-3x3-3")
    solution = solution_for(game)
    rng, optimal = random.Random(0), agent("optimal")
    seen = 0
    for row in game.core.sample_states(game.core.initial(), 2000, 3):
        position = halma.Position(game, row.tobytes())
        values = {m.move.text: m.value for m in solution.moves(position)}
        best = max(values.values())
        equal = {text for text, value in values.items() if value == best}
        assert optimal.choose(Record(game, position), rng).text in equal
        if 0 < best < 1 and len(equal) > 1:
            seen += 1
            chosen = {optimal.choose(Record(game, position), rng).text for _ in range(60)}
            assert chosen == equal
    assert seen > 10


def test_analysis_has_the_best_first():
    game = halma.game("ewn-3x3-3")
    record = Record(game, game.position("12./3.a/.cb r 2"))
    moves = agent("optimal").analyse(record, random.Random(0)).moves
    assert moves[0].move in solution_for(game).best_moves(record.position)
    assert [m.value for m in moves] == sorted((m.value for m in moves), reverse=True)
    assert moves[0].value == pytest.approx(67 / 81)


def test_playing_from_a_file(tmp_path):
    game = halma.game("ewn-3x3-2")
    solve(game, tmp_path)
    path = table_path(game, tmp_path)
    player = agent(f"table:{path}")
    assert player.name == f"table:{path}"
    record = Record(game)
    for _ in play_game(record, [player, agent("random")], seed=1):
        pass
    assert record.is_over
    with pytest.raises(TableError, match=r"ewn-3x3-2\.table"):
        player.choose(Record(halma.game("ewn-3x3-3")), random.Random(0))
    with pytest.raises(NameSyntaxError, match="table:FILE"):
        agent("table")


def test_where_nothing_is_known():
    with pytest.raises(TableError, match="no way to solve"):
        agent("optimal").choose(Record(halma.game("star-121-3p")), random.Random(0))
