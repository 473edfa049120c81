"""Chance games: known values, and the naive twin's."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from reference import darkchess, einstein
from reference.value_iteration import Twin
from reference.value_iteration import solve as solve_naively

import halma
from halma import _core
from halma.solve import solve
from halma.solve.exact import exact_start_value, exact_value


def solved(name):
    return solve(halma.game(name), keep=False)


@pytest.fixture(scope="module")
def three():
    return solved("ewn-3x3-3")


@pytest.fixture(scope="module")
def pawns():
    return solved("cdc-2x4-PPPP")


def test_hsueh_figure_5(three):
    position = three.game.position
    for text, value, dice in (
        ("12./3.a/.cb r", "170/243", ("4/9", "67/81", "67/81")),
        ("21./3.a/.cb r", "143/243", ("53/81", "37/81", "53/81")),
    ):
        assert exact_value(three, position(f"{text} -")) == Fraction(value)
        for die, expected in enumerate(dice, 1):
            assert exact_value(three, position(f"{text} {die}")) == Fraction(expected)


@pytest.mark.parametrize(
    "board",
    ["1a./3.c/.b.", "1b./3.a/.c.", "1../3ba/.c.", "1c./3.a/.b.", "1b./3.c/.a.", "1../3bc/.a."],
)
def test_hsueh_figure_5c(three, board):
    """The text gives red's pieces and these values; six boards have all of them."""

    def values(die):
        moves = three.moves(three.game.position(f"{board} r {die}"))
        return {move.move.text: round(float(move.value), 3) for move in moves}

    assert values(1) == {"a1-b2": 0.111, "a1-b1": 0, "a1-a2": 0}
    assert values(2) == {**values(1), "a2-b3": 0.222, "a2-b2": 0, "a2-a3": 0.049}


#: halma's own rules, for parts of a game that takes too long to solve.
HALMA = Twin(
    SimpleNamespace(
        legal=lambda p: [] if p.is_terminal else [move.text for move in p.legal_moves],
        play=lambda p, move: p.play(move),
        resolve=lambda p, outcome: p.resolve(outcome),
        result=lambda p: p.result,
    ),
    at_chance=lambda p: p.is_chance,
    outcomes=lambda p: [(Fraction(one.probability), one) for one in p.outcomes],
    first_to_move=lambda p: p.mover,
)


@pytest.mark.parametrize("board", ["?k.?/....", ".k../?.?.", "..k./?..?"])
def test_hsueh_figure_3b(board):
    """The text gives red to move, P and c face-down, and 0.250: half of the time red draws.

    It does not give the board; these have that value.
    """
    position = halma.game("cdc-2x4-KGCP").position(f"{board} r Pc 1")
    values = solve_naively(HALMA, [position])
    assert values[position] == Fraction(1, 4)
    # Both face-down pieces of a best move: what black's next position is worth to red.
    chances = [
        {outcome.text: 1 - values[after.resolve(outcome)] for outcome in after.outcomes}
        for after in map(position.play, position.legal_moves)
    ]
    assert {"P": Fraction(1, 2), "c": 0} in chances


def test_set_ups_of_the_smallest_board(three):
    start = three.game.start()
    values = [
        three.value(blue)
        for red in map(start.resolve, start.outcomes)
        for blue in map(red.resolve, red.outcomes)
    ]
    assert len(values) == 36
    assert min(values) == pytest.approx(0.588477, abs=1e-6)
    assert max(values) == pytest.approx(0.699588, abs=1e-6)
    assert np.mean(values) == pytest.approx(0.667123914, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "positions", "mean"),
    [
        ("ewn-3x3-2", None, 0.4375),
        ("ewn-3x3-3", 367_956, 0.667123914),
        ("ewn-5x5-2", None, 0.545563),
        pytest.param("ewn-3x4-3", 3_268_620, 0.564200581, marks=pytest.mark.slow),
        pytest.param("ewn-3x3-4", 6_316_032, None, marks=pytest.mark.slow),
    ],
)
def test_einstein(name, positions, mean):
    solution = solved(name)
    about = solution.about
    if positions is not None:
        assert about["positions"] == positions
    if mean is not None:
        digits = 1e-6 if mean == 0.545563 else 1e-9
        assert about["start_value"] == pytest.approx(mean, abs=digits)
        assert float(exact_start_value(solution)) == pytest.approx(mean, abs=digits)
    kinds = ("wins", "draws", "losses", "between")
    assert sum(about[kind] for kind in kinds) == about["positions"]
    assert solution.verify() == 0


slow = pytest.mark.slow


@pytest.mark.parametrize(
    ("pieces", "value", "positions"),
    [
        ("PPPP", "8/35", 194_933),
        pytest.param("KPPP", "31/80", 1_933_965, marks=slow),
        pytest.param("GGCC", "229/504", 4_031_785, marks=slow),
        pytest.param("GGMM", "136/315", None, marks=slow),
        pytest.param("KGCC", "43/90", None, marks=slow),
        pytest.param("CPPP", "543/1120", None, marks=slow),
        pytest.param("GCPP", "1697/3360", None, marks=slow),
        pytest.param("KGGC", "505/1008", None, marks=slow),
    ],
)
def test_dark_chess(pieces, value, positions):
    solution = solved(f"cdc-2x4-{pieces}")
    assert exact_start_value(solution) == Fraction(value)
    assert solution.about["start_value"] == pytest.approx(float(Fraction(value)), abs=1e-12)
    if positions is not None:
        assert solution.about["positions"] == positions
    assert solution.verify() == 0


EINSTEIN = Twin(
    einstein,
    at_chance=lambda p: (p.placing or not p.die) and not einstein.winner(p),
    outcomes=lambda p: [
        (Fraction(1, len(einstein.outcomes(p))), outcome) for outcome in einstein.outcomes(p)
    ],
    first_to_move=lambda p: "rb".index(p.mover),
)
DARKCHESS = Twin(
    darkchess,
    at_chance=lambda p: p.turning is not None,
    outcomes=lambda p: [(q, outcome) for outcome, q in darkchess.outcomes(p).items()],
    first_to_move=lambda p: p.player - 1,
)


def compare(solution, naive_values):
    for position, value in naive_values.items():
        found = exact_value(solution, solution.game.position(position.text))
        assert found == value, position.text


def test_the_twin_agrees_on_every_position_of_ewn_3x3_2():
    solution = solved("ewn-3x3-2")
    values = solve_naively(EINSTEIN, [einstein.start(3, 3, 2)])
    assert len(values) == solution.about["positions"]
    compare(solution, values)


def naive_darkchess(text):
    files, colour, hidden, player = text.split()
    return darkchess.Naive(
        tuple(files.split("/")), colour, "" if hidden == "-" else hidden, int(player)
    )


@pytest.mark.parametrize(
    "text",
    [
        "Pp.p/PP.p b - 2",
        "..?P/?p.. r Pp 2",
        pytest.param("P?.p/p.?P r Pp 1", marks=slow),
        pytest.param("?PpP/.p.? b pp 1", marks=slow),
    ],
)
def test_the_twin_agrees_on_all_that_follows_a_position_of_dark_chess(pawns, text):
    # The whole game would take the twin an hour; endings have cycles, flips and captures.
    values = solve_naively(DARKCHESS, [naive_darkchess(text)])
    assert len(values) > 100
    compare(pawns, values)


@pytest.mark.slow
def test_the_twin_agrees_where_cannons_jump():
    solution = solved("cdc-2x4-GGCC")
    for text in ("C.g?/.?Gc r Cg 1", "CG.c/.?g. b c 1"):
        compare(solution, solve_naively(DARKCHESS, [naive_darkchess(text)]))


@pytest.mark.parametrize("pieces", ["PPPP", pytest.param("GGCC", marks=slow)])
def test_values_do_not_depend_on_the_forty_plies_rule(pieces):
    solver = _core.Expectimax(halma.game(f"cdc-2x4-{pieces}").core)
    while not solver.finished:
        solver.step()
    assert 0 < solver.passes <= 28


def test_values_are_whole_numbers(three, pawns):
    for solution in (three, pawns):
        values = solution.arrays["values"]
        assert np.array_equal(values, np.rint(values))
        assert values.min() >= 0 and values.max() <= solution.denominator
        assert solution.arrays["distances"].max() < 255


def test_a_wrong_entry_is_found(pawns):
    index = pawns.game.start().index
    values, distances = pawns.arrays["values"].copy(), pawns.arrays["distances"].copy()
    values[index] += 1
    table = _core.ExpectimaxTable(pawns.game.core, values, distances)
    assert table.verify() == 1
    values[index] -= 1
    # The distance of a certain result is checked as well.
    certain = int(np.flatnonzero(values == pawns.denominator)[0])
    distances[certain] += 1
    assert table.verify() >= 1


def test_reachable_agrees_with_plain_search(three, pawns):
    for solution in (three, pawns):
        assert solution.about["positions"] == solution.game.core.reachable()[0]


def test_threads_do_not_change_anything(pawns):
    alone = solve(pawns.game, keep=False, threads=1)
    for name, array in alone.arrays.items():
        assert np.array_equal(array, pawns.arrays[name])


def test_look_ups_of_many_states(three, pawns):
    for solution in (three, pawns):
        core = solution.game.core
        states = core.sample_states(core.initial(), 500, 1)
        many = solution.look_up_many(states)
        for row, value in zip(states, many, strict=True):
            position = halma.Position(solution.game, row.tobytes())
            assert solution.value(position) == value
            assert value == max(m.value for m in solution.moves(position))
        indices = _core.index_many(core, states)
        assert [core.index(row.tobytes()) for row in states] == indices.tolist()


def test_what_cannot_be_looked_up(three):
    core = three.game.core
    with pytest.raises(ValueError, match="entry for every position"):
        _core.ExpectimaxTable(core, np.zeros(3), np.zeros(3, np.uint8))
    with pytest.raises(ValueError, match="not states"):
        three.core.look_up_many(np.zeros((2, 3), np.uint8))
    with pytest.raises(ValueError, match="positions that have an index"):
        _core.Expectimax(halma.game("cdc-4x8").core)
    assert not _core.Expectimax.supports(halma.game("cdc-4x8").core)
