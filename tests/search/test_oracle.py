"""Searches that may look up what is solved: right, proven, and getting somewhere."""

from __future__ import annotations

import gc
import random
from functools import cache

import numpy as np
import pytest
from reference.minimax import minimax

import halma
from halma import _core
from halma.agents import agent, play_game
from halma.errors import OptionError, TableError
from halma.games import Position, Record
from halma.search import Minimax, TreeSearch, search_options
from halma.solve import Solution, solution_for

GAME = halma.game("draughts-8x8")
WORTH = {"win": 1.0, "draw": 0.5, "loss": 0.0}


@pytest.fixture(autouse=True)
def no_tables(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))


@cache
def endings(pieces: int) -> Solution:
    return solution_for(GAME, pieces)


def few_pieces(pieces: int, number: int, seed: int = 0) -> list[Position]:
    """Return random positions of draughts in which somebody can move."""
    rng = random.Random(seed)
    found: list[Position] = []
    while len(found) < number:
        black = rng.randint(1, pieces - 1)
        squares = rng.sample(range(1, 33), pieces)

        def write(where: list[int], crowned: range) -> str:
            return ",".join(
                f"K{s}" if s in crowned or rng.random() < 0.5 else str(s) for s in where
            )

        sides = {"B": write(squares[:black], range(29, 33)), "W": write(squares[black:], range(5))}
        position = GAME.position(f"{rng.choice('BW')}:W{sides['W']}:B{sides['B']}")
        if not position.is_terminal:
            found.append(position)
    return found


def known_to(oracle: _core.Oracle):
    return lambda state: oracle.probe(GAME.core, state)


# Alpha-beta.


def test_inside_the_table_one_move_tells_all():
    truth = endings(4)
    search = Minimax(GAME, oracle=truth.oracle)
    for position in few_pieces(4, 1500) + few_pieces(3, 1000) + few_pieces(2, 300):
        found = search.search(position, depth=9, all_moves=True)
        assert found.depth == 1 and found.proven and all(found.values_proven)
        value, distance = truth.value(position), truth.distance(position)
        if value == 0.5:
            assert found.value == 0 and found.plies_to_end is None
        else:
            assert (found.value > 0) == (value == 1)
            assert found.plies_to_end == distance
        assert found.best in truth.best_moves(position)


@pytest.mark.parametrize(
    "options",
    [
        {"pruning": "none", "ordering": "listed", "table_bits": 0},
        {"pruning": "windows", "ordering": "score", "table_bits": 0},
        {},
    ],
)
def test_agrees_with_the_naive_twin(options):
    oracle = endings(3).oracle
    weights = _core.default_weights(GAME.core)
    search = Minimax(GAME, deepen=False, quiescence=False, limits="rules", oracle=oracle, **options)
    for depth, number in ((1, 300), (2, 200), (3, 60)):
        for position in few_pieces(4, number, depth) + few_pieces(5, number // 4, depth):
            wanted = minimax(GAME.core, position.state, depth, weights, known=known_to(oracle))
            assert search.search(position, depth=depth).value == wanted, position.text


def test_what_is_proven_near_the_table_is_true():
    truth, oracle = endings(4), endings(3).oracle
    proven = 0
    search = Minimax(GAME, oracle=oracle)
    for position in few_pieces(4, 1500, seed=7):
        found = search.search(position, depth=5, all_moves=True)
        moves = {m.move: m for m in truth.moves(position)}
        for (move, value), certain in zip(found.values, found.values_proven, strict=True):
            if certain:
                wanted = moves[move]
                assert (value > 0) - (value < 0) == 2 * wanted.value - 1
                if wanted.value != 0.5:
                    # The quickest end may lie deeper than the first one found.
                    plies = round(_core.MINIMAX_WIN - abs(value))
                    assert plies >= wanted.distance if wanted.value == 1 else plies > 0
                proven += 1
        if found.proven:
            assert (found.value > 0) - (found.value < 0) == 2 * truth.value(position) - 1
    assert proven > 1000


def test_without_an_oracle_nothing_changes():
    position = few_pieces(4, 1)[0]
    plain, told = Minimax(GAME), Minimax(GAME, oracle=endings(2).oracle)
    start = GAME.start()
    assert plain.search(start, depth=5) == told.search(start, depth=5)
    assert plain.search(position, depth=5).depth == 5


# Tree search.


def tree(position: Position, oracle: _core.Oracle, simulations: int, **options):
    search = TreeSearch(
        GAME, search_options(GAME, **{"rule": "uct", **options}), seed=1, oracle=oracle
    )
    return search.search(position, simulations=simulations)


@pytest.mark.parametrize("rule", ["uct", "puct", "gumbel", "pluska"])
@pytest.mark.parametrize("solver", [False, True])
def test_a_tree_inside_the_table_need_not_grow(rule, solver):
    truth = endings(3)
    for position in few_pieces(3, 150):
        found = tree(
            position, truth.oracle, 500, rule=rule, solver=solver, max_considered_actions=512
        )
        assert found.value == truth.value(position)
        assert found.best in truth.best_moves(position)
        assert found.proven
        assert found.simulations == 0
        exact = {m.move: m.value for m in truth.moves(position)}
        assert {report.move: report.value for report in found.moves} == exact


def test_positions_a_move_away_from_the_table_are_proven():
    """All captures: each of them leads into the table."""
    truth, oracle = endings(4), endings(3).oracle
    seen = 0
    for position in few_pieces(4, 3000, seed=3):
        if not all("x" in move.text for move in position.legal_moves):
            continue
        seen += 1
        found = tree(position, oracle, 1, solver=True)
        assert found.proven and found.value == truth.value(position)
        for report, wanted in zip(
            sorted(found.moves, key=lambda r: r.move.text),
            sorted(truth.moves(position), key=lambda m: m.move.text),
            strict=True,
        ):
            assert WORTH[report.proof] == wanted.value
        assert found.best in truth.best_moves(position)
    assert seen > 300


def test_proofs_travel_up():
    truth, oracle = endings(4), endings(3).oracle
    with_solver = without = 0
    for position in few_pieces(4, 400, seed=11):
        exact = {m.move: m.value for m in truth.moves(position)}
        found = tree(position, oracle, 3000, solver=True)
        for report in found.moves:
            if report.proof is not None:
                assert WORTH[report.proof] == exact[report.move], position.text
        if found.proven:
            assert found.value == truth.value(position)
        with_solver += found.proven
        without += tree(position, oracle, 300).proven
    assert with_solver > without + 20


def test_a_proven_win_is_the_quickest_of_those_proven():
    truth, oracle = endings(4), endings(3).oracle
    quicker = 0
    for position in few_pieces(4, 8000, seed=5):
        wins = [m for m in truth.moves(position) if m.value == 1.0]
        if len(wins) < 2 or not all("x" in m.move.text for m in wins):
            continue
        found = tree(position, oracle, 400, solver=False)
        chosen = next(m for m in wins if m.move == found.best)
        assert chosen.distance == min(m.distance for m in wins)
        quicker += len({m.distance for m in wins}) > 1
    assert quicker > 5


# Whole games.


@pytest.mark.parametrize(
    "name",
    [
        "alphabeta:depth=1,endgames=3",
        "minimax:depth=1,endgames=3",
        "mcts:sims=60,endgames=3",
        "mcts:sims=60,endgames=3,solver=on,reuse=on,temperature=1",
    ],
)
def test_a_won_ending_is_won_as_soon_as_promised(name):
    """The other side defends as well as possible; circling would be a draw."""
    truth = endings(3)
    rng = random.Random(1)
    for position in few_pieces(3, 60, seed=2):
        if truth.value(position) != 1.0:
            continue
        record = Record(GAME, position)
        promised, winner = truth.distance(position), position.mover
        player = agent(name)
        while not record.is_over:
            if record.position.mover == winner:
                record.play(player.choose(record, rng))
            else:
                record.play(rng.choice(truth.best_moves(record.position)))
        assert record.result[winner] == 1.0
        assert record.plies == promised


WITHOUT_CHANCE = ["rhombus-3x3-3", "rhombus-4x4-3:win=fill"]
WITH_CHANCE = ["ewn-3x3-3", "cdc-2x4-PPPP"]


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        *(
            (name, variant)
            for name in (
                "mcts:sims=1000,evaluator=solution",
                "mcts:sims=1000,evaluator=solution,solver=on,rule=puct",
                "expectimax:depth=1,solution=on",
            )
            for variant in WITHOUT_CHANCE + WITH_CHANCE
        ),
        *(("alphabeta:depth=1,solution=on", variant) for variant in WITHOUT_CHANCE),
        *(("minimax:depth=1,solution=on", variant) for variant in WITHOUT_CHANCE),
    ],
)
def test_with_a_solution_everybody_plays_like_optimal(name, variant):
    game = halma.game(variant)
    solution, rng, player = solution_for(game), random.Random(0), agent(name)
    for seed in range(20):
        record = Record(game)
        for _ in play_game(record, [agent("random")] * 2, seed=seed, most_plies=rng.randint(0, 12)):
            pass
        record.roll(rng)
        if record.is_over:
            continue
        found = player.analyse(record, rng)
        assert found.proven
        best = solution.best_moves(record.position)
        assert found.best in best and player.choose(record, rng) in best
        for report in found.moves:
            exact = next(m for m in solution.moves(record.position) if m.move == report.move)
            assert report.value == pytest.approx(exact.value, abs=1e-12)
            assert report.proof is not None


def test_a_chance_that_is_nearly_certain_is_not_called_a_win():
    """Trees hold single floats, and those would round it."""
    game = halma.game("ewn-3x3-3")
    solution = solution_for(game)
    core, arrays = solution.core, dict(solution.arrays)
    position = game.position("12./3.a/.cb r 2")
    nearly = core.denominator * (1 - 1e-12)
    arrays["values"] = np.full_like(arrays["values"], core.denominator - nearly)
    oracle = _core.ExpectimaxTable(game.core, arrays["values"], arrays["distances"])
    options = search_options(game, rule="uct", solver=True)
    found = TreeSearch(game, options, evaluator="uniform", oracle=oracle).search(
        position, simulations=99
    )
    # One move captures the last piece but two; after all of them chance speaks.
    assert {report.proof for report in found.moves} == {"exact"}
    assert 0.999 < found.value < 1.0


# Manners.


def test_tables_live_as_long_as_the_search():
    game = halma.game("rhombus-4x4-3:hops=mirror")
    solution = halma.solve.solve(game, keep=False)
    value = solution.value(game.start())
    search = Minimax(game, oracle=solution.oracle)
    options = _core.SearchOptions()
    options.oracle = solution.oracle
    assert options.oracle is solution.oracle
    del solution
    gc.collect()
    found = search.search(game.start(), depth=1)
    assert found.proven and (found.value > 0) == (value == 1.0)
    options.oracle = None
    assert options.oracle is None


def test_another_game_s_table_is_refused():
    oracle = solution_for(halma.game("rhombus-3x3-3")).oracle
    for other in ("rhombus-4x4-3", "draughts-8x8"):
        game = halma.game(other)
        assert not oracle.fits(game.core)
        with pytest.raises(OptionError, match="belongs to another game"):
            Minimax(game, oracle=oracle)
        with pytest.raises(OptionError, match="belongs to another game"):
            TreeSearch(game, oracle=oracle)
        with pytest.raises(ValueError, match="belongs to another game"):
            oracle.probe(game.core, game.start().state)
    with pytest.raises(OptionError, match="two players"):
        TreeSearch(halma.game("star-37-3p"), oracle=oracle)
    game = halma.game("rhombus-3x3-3")
    with pytest.raises(ValueError, match="one entry for each"):
        arrays = solution_for(game).arrays
        _core.RetrogradeTable(game.core, arrays["values"][1:].copy(), arrays["distances"])


def test_nothing_is_known_where_the_game_is_over():
    assert endings(3).oracle.probe(GAME.core, GAME.position("B:W31:B").state) is None
    assert endings(3).oracle.probe(GAME.core, GAME.start().state) is None
    for name in ("rhombus-3x3-3", "ewn-3x3-3"):
        game = halma.game(name)
        record = Record(game)
        for _ in play_game(record, [agent("optimal")] * 2):
            pass
        assert solution_for(game).oracle.probe(game.core, record.position.state) is None


def test_a_missing_table_is_named_with_the_command_that_makes_it():
    with pytest.raises(TableError, match="run 'halma solve draughts-8x8 --pieces 5' first"):
        agent("alphabeta:depth=1,endgames=5").choose(Record(GAME), random.Random(0))
    with pytest.raises(TableError, match="run 'halma solve rhombus-6x6-6' first"):
        record = Record(halma.game("rhombus-6x6-6"))
        agent("mcts:sims=5,evaluator=solution").choose(record, random.Random(0))
    with pytest.raises(OptionError, match="'endgames' adds nothing"):
        agent("minimax:endgames=3,solution=on")
    with pytest.raises(OptionError, match="from 2 to 6"):
        agent("mcts:sims=5,endgames=1")


def test_a_table_on_disk_is_used(tmp_path):
    halma.solve.solve(GAME, tmp_path, pieces=2)
    assert [p.name for p in tmp_path.iterdir()] == ["draughts-8x8,pieces=2.table"]
    position = few_pieces(2, 1)[0]
    found = agent("alphabeta:depth=1,endgames=2").analyse(Record(GAME, position), random.Random(0))
    assert found.proven
    (tmp_path / "draughts-8x8,pieces=2.table").write_bytes(b"spoilt")
    with pytest.raises(TableError, match="is not used"):
        agent("alphabeta:depth=1,endgames=2").choose(Record(GAME, position), random.Random(0))
