"""Perfect play of deterministic variants: never worse than the start is worth."""

import pytest

import halma
from halma.agents import agent, kinds, play_game
from halma.errors import HalmaError
from halma.games import Record
from halma.solve import solution_for, solve

#: A person, and a player that needs a file.
NOT_ASKED = {"human", "table"}


@pytest.fixture(autouse=True)
def no_tables(tmp_path, monkeypatch):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))


@pytest.mark.parametrize("rules", ["win=occupy", "win=fill", "win=occupy,hops=mirror"])
@pytest.mark.parametrize("board", ["3x3-3", "4x4-3"])
@pytest.mark.parametrize("seat", [0, 1])
def test_optimal_has_no_losing_streak(board, rules, seat):
    game = halma.game(f"rhombus-{board}:{rules}")
    start = solution_for(game).start_value()
    promised = start if seat == 0 else 1.0 - start
    for kind in kinds():
        if kind.name in NOT_ASKED:
            continue
        players = [agent(kind.example or kind.name)] * 2
        players[seat] = agent("optimal")
        for seed in range(3):
            record = Record(game)
            try:
                for _ in play_game(record, players, seed=seed, most_plies=120):
                    pass
            except HalmaError as error:
                # Somebody who does not play this game says so in the first move.
                assert record.plies <= 1, error
                continue
            assert record.result[seat] >= promised, (kind.name, seed)


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
