"""Perfect play of deterministic variants: never worse than the start is worth."""

import pytest
from networks.tiny_network import tiny_network

import halma
from halma.agents import agent, play_game, specs
from halma.errors import HalmaError
from halma.games import Record
from halma.solve import solution_for, solve
from halma.solve.tables import table_path

RULES = [f"win={win},hops={hops}" for win in ("occupy", "fill") for hops in ("adjacent", "mirror")]
#: Boards that are solved in a second or two and how many games to play, and other boards.
QUICK = {"3x3-3": 2, "4x4-3": 2, "4x4-6": 1, "5x5-3": 1}
LONG = {"6x6-3": 3, "7x7-3": 2}
#: Agents that ask a solution themselves, beside one of each kind.
INFORMED = [
    "mcts:sims=20,evaluator=solution,solver=on",
    "alphabeta:depth=1,solution=on",
    "minimax:depth=1,solution=on",
    "expectimax:depth=1,solution=on",
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(autouse=True)
def kept_tables(tables, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tables))


def everybody(game, folder):
    """Return the name of one agent of each kind but people and their programs, and some more."""
    known = [kind for kind in specs() if kind.name != "human" and not kind.foreign]
    names = {kind.name: kind.example or kind.name for kind in known}
    names["table"] = f"table:{table_path(game)}"
    names["mcts"] = "mcts:sims=12"  # random games on these boards are long
    names["net"] = f"net:file={tiny_network(game, folder / 'net.onnx')},sims=8"
    # They play what was learned: lookup tables, which recipes refuse for games without chance,
    # and Q networks.
    del names["tabular"], names["q"]
    return [*names.values(), *INFORMED]


def check_no_losing_streak(game, tables, folder, games):
    if not table_path(game).exists():
        solve(game, tables)
    start = solution_for(game).start_value()
    names = everybody(game, folder)
    silent = []
    for seat in (0, 1):
        promised = start if seat == 0 else 1.0 - start
        for name in names:
            players = [agent(name)] * 2
            players[seat] = agent("optimal")
            for seed in range(games):
                record = Record(game)
                try:
                    for _ in play_game(record, players, seed=seed, most_plies=120):
                        pass
                except HalmaError as error:
                    # Somebody who does not play this game says so in the first move.
                    assert record.plies <= 1, error
                    silent.append(name)
                    break
                assert record.result[seat] >= promised, (name, seat, seed)
    # Two-player games without chance and with features: there is nobody who cannot play.
    assert silent == []


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("board", QUICK)
def test_optimal_has_no_losing_streak(board, rules, tables, tmp_path):
    game = halma.game(f"rhombus-{board}:{rules}")
    check_no_losing_streak(game, tables, tmp_path, QUICK[board])


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("board", LONG)
def test_optimal_has_no_losing_streak_on_larger_boards(board, rules, tables, tmp_path):
    check_no_losing_streak(halma.game(f"rhombus-{board}:{rules}"), tables, tmp_path, LONG[board])


def test_a_win_is_not_longer_than_promised():
    game = halma.game("rhombus-4x4-3:win=occupy")
    plies = solution_for(game).distance(game.start())
    record = Record(game)
    for _ in play_game(record, [agent("optimal"), agent("optimal")]):
        pass
    assert record.plies == plies == 21


def test_draughts_with_three_pieces(tmp_path):
    game = halma.game("draughts-8x8")
    solution = solve(game, tmp_path, pieces=3)
    about = solution.about
    # Both sides to move are counted in the known numbers; a table has one of the two.
    assert about["wins"] == (1_432 + 200_500) // 2
    assert about["draws"] == (4_740 + 16_954) // 2
    assert about["losses"] == (804 + 174_610) // 2
    assert about["longest_win"] == 61
    assert about["start_value"] is None
    position = game.position("W:WK1:BK32")
    assert solution.value(position) == max(m.value for m in solution.moves(position))
    with pytest.raises(HalmaError, match="more than 3 pieces"):
        solution.value(game.start())
