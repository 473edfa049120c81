"""Played games as arrays of self-play, and back."""

import random

import numpy as np
import pytest
from test_finished_games import assert_equal, some_games

import halma
from halma import _core
from halma.games.saved import SavedGame, read_json_lines
from halma.selfplay import FinishedGames
from halma.selfplay.records import finished_game, from_saved, saved_games, write_npz

#: what replaying a game cannot know
SEARCHED = {
    *("values", "simulations", "choices", "policy_offsets", "policy_actions", "policy_weights"),
    *("numbers", "ends", "may_resign", "resign_plies", "resign_wrong"),
}


def as_lines(games):
    return "".join(game.json_line() for game in games)


@pytest.mark.parametrize("variant", ["ewn-3x3-2", "star-37-3p", "cdc-2x4-KPPP"])
def test_self_play_games_come_back_from_json_lines(variant):
    game, games = halma.game(variant), some_games(variant)
    saved = list(saved_games(games, game, iteration=3))
    assert [each.facts["number"] for each in saved] == games.numbers.tolist()
    assert sum(each.record.plies for each in saved) == games.lengths.sum()
    again = list(read_json_lines(as_lines(saved)))
    assert all(isinstance(each, SavedGame) and not each.warnings for each in again)
    assert as_lines(again) == as_lines(saved)
    arrays = from_saved(again)
    for name, array in arrays.arrays().items():
        if name not in SEARCHED:
            np.testing.assert_array_equal(array, getattr(games, name), err_msg=name)
    rows = np.arange(len(games.moves))
    np.testing.assert_array_equal(arrays.encode(game, rows), games.encode(game, rows))


def test_facts_are_those_of_the_rows():
    games = some_games("ewn-3x3-2")
    for i, saved in enumerate(saved_games(games, halma.game("ewn-3x3-2"))):
        rows = slice(*games.row_offsets[[i, i + 1]])
        facts = saved.facts
        assert facts["simulations"] == games.simulations[rows].tolist()
        names = ("full", "fast", "random")
        assert facts["choices"] == [names[choice] for choice in games.choices[rows]]
        for found, value in zip(facts["values"], games.values[rows], strict=True):
            assert np.isnan(value) if found is None else abs(found - value) < 1e-4


def test_a_record_without_a_result_has_no_scores():
    record = halma.Record(halma.game("draughts-8x8"))
    rng = random.Random(1)
    for _ in range(10):
        record.play(rng.choice(record.position.legal_moves))
    games = from_saved([SavedGame(record)])
    assert np.isnan(games.scores).all() and np.isnan(games.outcomes).all()
    assert games.ends.tolist() == [_core.End.NONE.value]
    positions = record.positions[:-1]
    played = [p.action(text) for p, text in zip(positions, record.texts, strict=True)]
    assert games.policy_actions.tolist() == played
    assert finished_game(record, random_plies=4).policy_actions.tolist() == played[4:]


def test_npz_has_every_array(tmp_path):
    game, games = halma.game("ewn-3x3-2"), some_games("ewn-3x3-2")
    path = tmp_path / "games.npz"
    write_npz(path, games, game, planes=True, iterations=np.ones(len(games), np.int64))
    found = dict(np.load(path))
    assert str(found.pop("variant")) == "ewn-3x3-2"
    assert int(found.pop("rules_version")) == game.core.version
    assert found.pop("iterations").tolist() == [1] * len(games)
    rows = np.arange(len(games.moves))
    np.testing.assert_array_equal(found.pop("planes"), games.encode(game, rows))
    actions = found.pop("actions")
    again = FinishedGames(**found)
    assert_equal(again, games)
    for row in rows:
        state = games.states[row].tobytes()
        assert game.core.move(state, int(actions[row])) == games.moves[row]


def test_a_resignation_has_no_action(tmp_path):
    game, games = halma.game("ewn-3x3-2"), some_games("ewn-3x3-2", 2)
    games.moves[-1] = _core.NO_MOVE
    write_npz(tmp_path / "games.npz", games, game)
    actions = np.load(tmp_path / "games.npz")["actions"]
    assert actions[-1] == -1 and (actions[:-1] >= 0).all()
