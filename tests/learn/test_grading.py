"""Grades by exact values: naive twins, known numbers, and the same moves in batches as alone."""

import random
from functools import cache
from itertools import pairwise

import pytest
from networks.tiny_network import tiny_network
from reference.retrograde import solve as solve_naively

import halma
from halma.agents import agent
from halma.arena.games import MatchGame
from halma.arena.plan import Plan
from halma.errors import ArgumentError
from halma.learn.grading import Grade, grade_agents, opening_plies_of
from halma.learn.grading.grades import ExactValues
from halma.learn.grading.picks import GameBlock, Pick, PositionBlock
from halma.learn.reports.grading_page import grading_page
from halma.solve import solve
from halma.solve.truth import sample_positions
from halma.statistics import clustered_interval

SMALL = ["rhombus-3x3-3", "rhombus-3x3-3:win=fill", "rhombus-7x7-1"]
ALL = 10**6


@cache
def solution_of(name, distances=True):
    return solve(halma.game(name), keep=False, distances=distances)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))
    return tmp_path


def naive_random_shares(core):
    """Decisions and expected shares of a random player, by value: plain Python, no table."""
    naive, _ = solve_naively(core)
    points = {"won": 1.0, "lost": 0.0, "drawn": 0.5}
    found = {}
    for index in range(core.index_size):
        state = core.unindex(index)
        word = naive.get(index, "drawn")
        if word == "illegal" or core.terminal(state):
            continue
        after = [core.index(core.play(state, move)) for move in core.legal(state)]
        kept = [1 - points[naive.get(i, "drawn")] == points[word] for i in after]
        found.setdefault(word, []).append(sum(kept) / len(kept))
    return found


@pytest.mark.parametrize("name", SMALL)
def test_a_random_player_over_the_whole_table(name):
    """What enumeration expects is what the grade says, and what the picked moves come to."""
    solution = solution_of(name)
    (found,) = grade_agents(solution, ["random"], games=0, sample=ALL)
    naive = naive_random_shares(solution.game.core)
    shares = found.table.shares
    assert {"won", "drawn", "lost"} & shares.keys() == naive.keys()
    for word, expected in naive.items():
        one, mean = shares[word], sum(expected) / len(expected)
        assert one.positions == len(expected)
        assert one.random == pytest.approx(mean)
        error = sum(p * (1 - p) for p in expected) ** 0.5
        assert abs(one.kept - sum(expected)) <= 4.5 * error
        assert one.low == one.high == one.share  # nothing was sampled
    assert shares["all"].positions == sum(map(len, naive.values()))
    not_lost = [p for word, them in naive.items() if word != "lost" for p in them]
    assert shares["not lost"].random == pytest.approx(sum(not_lost) / len(not_lost))
    at_stake = [p for them in naive.values() for p in them if p < 1]
    assert shares["at stake"].random == pytest.approx(sum(at_stake) / len(at_stake))


def test_known_numbers():
    """rhombus-3x3-3: 720 won and 219 lost decisions; a random move keeps a win in 42%."""
    (found,) = grade_agents(solution_of("rhombus-3x3-3"), ["random"], games=0, sample=ALL)
    shares = found.table.shares
    assert {kind: share.positions for kind, share in shares.items()} == {
        "all": 939,
        "not lost": 720,
        "at stake": 714,
        "won": 720,
        "lost": 219,
    }
    assert shares["won"].random == pytest.approx(0.4178737, abs=1e-7)
    assert shares["lost"].share == 1


@pytest.mark.parametrize("name", ["rhombus-3x3-3", "rhombus-4x4-3", "ewn-3x3-2", "cdc-2x4-PPPP"])
def test_who_knows_does_not_err(name):
    (found,) = grade_agents(solution_of(name), ["optimal"], games=6, sample=100)
    for grade in (found.games, found.table):
        assert {share.share for share in grade.shares.values()} == {1.0}
        assert grade.mean_loss == 0 and not grade.errors
    assert found.games.games == 6


def test_tables_without_distances():
    agents = ["greedy", "random", "minimax:depth=2"]
    with_them, without = (
        grade_agents(solution_of("rhombus-4x4-3", distances), agents, games=5, sample=100)
        for distances in (True, False)
    )
    for full, short in zip(with_them, without, strict=True):
        assert full.games.shares == short.games.shares
        assert full.table.shares == short.table.shares
        assert full.table.by_distance and not short.table.by_distance
        assert full.games.by_ply == short.games.by_ply


@pytest.mark.parametrize("name", ["rhombus-4x4-3", "ewn-3x3-3"])
def test_a_network_picks_in_batches_as_it_picks_alone(name, tmp_path):
    game = halma.game(name)
    path = tiny_network(game, tmp_path / "x.onnx")
    solution = solution_of(name)
    states = tuple(position.state for position in sample_positions(solution, 60, 1))
    for options in ("sims=1", "sims=24", "sims=12,rule=gumbel"):
        one = agent(f"net:{path},{options}")
        picks = PositionBlock(name, one.name, 5, "cpu", None, 7, states).picks()
        for pick, state in zip(picks, states, strict=True):
            rng = random.Random(f"5/position {pick.group}")
            record = halma.Record(game, halma.Position(game, state))
            assert one.choose(record, rng).value == pick.move
        assert [pick.group for pick in picks] == list(range(7, 67))
        plan = Plan(name, (one.name,), 2, 5, 2)
        picks = GameBlock(name, one.name, 5, "cpu", None, range(3, 6), 2).picks()
        for number in range(3, 6):
            played = MatchGame(game, plan, number)
            for pick in (pick for pick in picks if pick.group == number):
                assert (pick.state, pick.ply) == (
                    played.record.position.state,
                    played.record.plies,
                )
                move = one.choose(played.record, played.rng)
                assert move.value == pick.move
                played.play(move)
            seen = [pick.state for pick in picks if pick.group == number]
            assert played.is_over or seen.count(played.record.position.state) == 3


def test_a_network_of_another_path(tmp_path):
    """The directories of experiments have commas in their names, which agents' names cannot."""
    solution = solution_of("rhombus-3x3-3")
    path = tiny_network(solution.game, tmp_path / "a,b.onnx", seed=3)
    plain = tiny_network(solution.game, tmp_path / "x.onnx", seed=3)
    names = f"net:{plain},sims=4", "net:best.onnx,sims=4"
    first, second = grade_agents(solution, names, 2, 20, networks={names[1]: path})
    assert first.table.shares == second.table.shares
    assert first.games.as_dict() == second.games.as_dict()


def test_workers_do_not_change_results(tmp_path):
    path = tiny_network(halma.game("rhombus-3x3-3"), tmp_path / "x.onnx")
    agents = ["random", f"net:{path},sims=4"]
    alone, together = (
        [
            one.as_dict()
            for one in grade_agents(
                solution_of("rhombus-3x3-3"), agents, games=3, sample=70, seed=4, workers=workers
            )
        ]
        for workers in (1, 2)
    )
    assert alone == together
    assert alone[0]["games"]["positions"] > 10


def test_games_end_where_they_go_in_circles():
    """The start of rhombus-4x4-6 is drawn, so that perfect players never finish."""
    solution = solution_of("rhombus-4x4-6")
    (found,) = grade_agents(solution, ["optimal"], games=3, sample=0)
    picks = [one.pick for one in found.games.picks]
    for number in range(3):
        states = [pick.state for pick in picks if pick.group == number]
        assert max(map(states.count, states)) <= 3
        assert [pick.ply for pick in picks if pick.group == number] == list(
            range(6, 6 + len(states))
        )
    assert found.table is None and "drawn" in found.games.shares


def test_moves_of_a_game_are_taken_together():
    """The interval is that of games, not that of moves."""
    solution = solution_of("rhombus-4x4-3")
    (found,) = grade_agents(solution, ["random"], games=12, sample=300)
    picks = found.games.picks
    kept = [sum(p.is_kept for p in picks if p.pick.group == n) for n in range(12)]
    total = [sum(p.pick.group == n for p in picks) for n in range(12)]
    share = found.games.shares["all"]
    assert (share.low, share.high) == clustered_interval(kept, total)
    assert share.share == sum(kept) / sum(total)
    # Positions of the table are independent.
    share = found.table.shares["all"]
    assert share.high - share.low == pytest.approx(
        2 * 1.96 * (share.share * (1 - share.share) / 300) ** 0.5, rel=0.05
    )


def test_errors_are_what_they_are_said_to_be():
    solution = solution_of("rhombus-4x4-3")
    (found,) = grade_agents(solution, ["random"], games=12, sample=300)
    for grade in (found.games, found.table):
        wrong = sum(not one.is_kept for one in grade.picks)
        assert sum(error.times for error in grade.errors) == wrong > 10
        for error in grade.errors:
            facts = error.as_dict()
            position = solution.game.position(facts["position"])
            assert solution.value(position) == facts["value"] > facts["value_after"]
            values = {m.move.text: m.value for m in solution.moves(position)}
            assert values[facts["move"]] == facts["value_after"]
            assert [t for t, v in values.items() if v == facts["value"]] == facts["keeping"]
        order = [(-error.loss, -error.times) for error in grade.errors]
        assert all(a <= b for a, b in pairwise(order))


def test_errors_are_counted_by_position_and_move():
    solution = solution_of("rhombus-3x3-3")
    exact = ExactValues(solution)
    for position in sample_positions(solution, 500, 0):
        moves = exact.at(position.state)
        bad = [move for move in moves.moves if move not in moves.keeping]
        if len(bad) > 1:
            break
    good = moves.keeping[0]
    picks = [
        Pick(position.state, move, game, ply)
        for move, game, ply in ((bad[0], 0, 9), (bad[1], 1, 4), (bad[0], 2, 7), (good, 3, 1))
    ]
    grade = Grade([exact.compare(pick) for pick in picks], opening_plies=0)
    assert [(e.move, e.times, e.ply) for e in grade.errors] == [(bad[0], 2, 7), (bad[1], 1, 4)]
    assert (grade.shares["won"].positions, grade.shares["won"].kept) == (4, 1)
    assert grade.distinct == 1 and grade.mean_loss == 0.75
    assert {first: share.kept for first, share in grade.by_ply.items()} == {0: 1}


def test_errors_of_both_colours_are_the_same():
    """A move of player 2 is that of player 1 on the board turned around."""
    solution = solution_of("rhombus-4x4-3")
    exact, core, rng = ExactValues(solution), solution.game.core, random.Random(3)
    seen = 0
    while seen < 5:
        record = halma.Record(solution.game)
        for _ in range(rng.randrange(3, 20)):
            record.play(rng.choice(record.position.legal_moves))
            if record.is_over:
                break
        if record.is_over or record.position.mover == 0:
            continue
        state = record.position.state
        turned = core.unindex(core.index(state))
        wrong = set(exact.at(state).moves) - set(exact.at(state).keeping)
        if not wrong:
            continue
        seen += 1
        move = min(wrong)
        other = core.move(turned, core.action(state, move))
        picks = [Pick(state, move, 0, 9), Pick(turned, other, 1, 4)]
        grade = Grade([exact.compare(pick) for pick in picks], opening_plies=0)
        (error,) = grade.errors
        assert (error.times, error.ply, error.move) == (2, 4, other)
        assert grade.distinct == 1


def test_bins_end_with_an_open_one():
    exact = ExactValues(solution_of("rhombus-3x3-3"))
    state = halma.game("rhombus-3x3-3").start().state
    move = exact.at(state).keeping[0]
    picks = [Pick(state, move, ply, ply) for ply in (0, 9, 10, 59, 60, 700)]
    bins = Grade([exact.compare(pick) for pick in picks]).as_dict()["by_ply"]
    assert [(one["from"], one["to"], one["positions"]) for one in bins] == [
        (0, 9, 2),
        (10, 19, 1),
        (50, 59, 1),
        (60, None, 2),
    ]


def test_who_cannot_play_is_left_out(tmp_path):
    solution = solution_of("cdc-2x4-PPPP")
    missing = f"net:{tmp_path / 'nothing.onnx'}"
    found = grade_agents(solution, ["greedy", missing, "random", "random"], games=2, sample=5)
    assert [bool(one.error) for one in found] == [True, True, False]
    assert "nothing.onnx" in found[1].error and found[1].games is None
    assert opening_plies_of(solution) == 0
    assert opening_plies_of(solution_of("rhombus-4x4-3")) == 6


def test_nobody_is_asked_for_moves():
    with pytest.raises(ArgumentError, match="'human' cannot be one of them"):
        grade_agents(solution_of("rhombus-3x3-3"), ["random", "human"], games=1)


def test_the_page():
    solution = solution_of("rhombus-4x4-3")
    grades = grade_agents(solution, ["random", "optimal"], games=4, sample=40)
    text = grading_page(solution.game, grades)
    assert "from a win to a loss" in text and text.count("No move gave value away.") == 2
    assert text.count("<svg") > 12 and "of 4 games against itself" in text
    error = grades[0].games.errors[0].as_dict()
    assert error["position"] in text and f"{error['move']}: from" in text
