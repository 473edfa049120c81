"""liu2019 run again, in small: the greedy players, figure 5, and pages of what was not run."""

import random
from functools import partial

import pytest

import halma
from halma.agents import agent
from halma.lab import Workspace, reproduce
from halma.lab.liu2019.figure5 import POSITION, prove
from halma.lab.liu2019.greedy import count_results, measure_games, share
from halma.lab.liu2019.settings import VARIANT
from halma.lab.matches import Match, MatchPlayer, MatchScore, play_and_score
from halma.search import Minimax, greedy_games


def ignore(fraction):
    assert 0 <= fraction <= 1


def test_figure_5_greedy_loses_and_a_step_back_wins():
    found = prove()
    assert found.position.mover == 0 and found.alone == 4
    # The only greedy move loses, the only move that wins in four goes back.
    assert found.greedy == {"e7-g7": 7} and found.most == 2
    assert found.winning == {"g5-g4": -1}
    assert found.line[0] == "g5-g4" and found.line[2] == "g1-g7" and len(found.line) == 7


def test_the_greedy_agent_plays_the_move_of_figure_5_that_loses():
    record = halma.Record(halma.game(VARIANT), halma.game(VARIANT).position(POSITION))
    assert agent("greedy").choose(record, random.Random(1)).text == "e7-g7"
    searched = Minimax(record.game).search(record, depth=7)
    assert searched.best.text == "g5-g4" and searched.plies_to_end == 7


def test_results_of_the_greedy_players_add_up():
    found = count_results(400, 3, ignore)
    assert sum(found["wins"]) + found["draws"] == 400
    both = [greedy_games(halma.game(VARIANT), 200, 3, 3, [1 - seat]) for seat in (0, 1)]
    assert found["wins"][0] == both[0].wins[0] + both[1].wins[1]
    # The deterministic player is far better, unlike the paper's.
    assert found["wins"][0] > 340


def test_length_and_branching():
    measured = measure_games(VARIANT, (1,), 200, 1, ignore)
    assert measured["plies"][0] == pytest.approx(45.7, abs=2)
    assert measured["moves"][0] == pytest.approx(28.3, abs=1)
    whole = greedy_games(halma.game(VARIANT), 200, 1, 3, [1])
    assert measured["plies"][0] == pytest.approx(whole.plies / 200)


def test_share_of_points():
    found = share(6, 2, 10)
    assert found.value == 0.7
    assert found.interval[0] < 0.7 < found.interval[1]


def test_games_of_a_match_do_not_depend_on_those_before():
    match = Match("small", VARIANT, (MatchPlayer("greedy"), MatchPlayer("random")), 4, 6)
    play = partial(play_and_score, VARIANT, match.players, 6, ())
    seen = play(range(4), 5, ignore)
    again = [play([n], 5, ignore)[0] for n in (3, 2, 1, 0)]
    assert seen == again[::-1]
    measured = {}
    for job in match.blocks.jobs(5):
        measured[job.name] = [list(one) for one in job.function(*job.arguments, ignore)]
    assert measured["small,games=0-3"] == [list(one) for one in seen]
    score = match.score(lambda name, check: measured.get(name))
    assert score.games == 4 and score.wins + score.draws + score.losses == 4
    assert match.score(lambda name, check: None) is None


def test_score_of_a_match():
    score = MatchScore([(1.0, 40), (0.5, 100), (1.0, 42), (0.0, 50)])
    assert (score.wins, score.draws, score.losses, score.mean_plies) == (2, 1, 1, 58)
    assert score.points.value == 0.625
    assert str(score).startswith("2-1-1: 62.5% [")
    # The paper's 271 wins, 1 draw and 28 losses are its +392.
    paper = MatchScore([(1.0, 40)] * 271 + [(0.5, 100)] + [(0.0, 50)] * 28)
    assert round(paper.elo) == 392


def test_pages_can_be_made_before_anything_was_run(tmp_path):
    report = reproduce("liu2019", Workspace(tmp_path, print, draw_only=True))
    assert report.sections[0].text == "Not run yet."
    assert (tmp_path / "quick" / "fig5-best.svg").exists()


def test_greedy_games_in_quick_form(tmp_path):
    report = reproduce("liu2019", Workspace(tmp_path, print, workers=1), "greedy")
    rows = {row[0]: row for row in report.sections[0].rows}
    assert rows["greedy wins, of 20,000 games"].paper == "9,908 (49.5%)"
    assert rows["plies of a game, greedy against greedy:stochastic"].remark == "agrees"
    assert rows["greedy against greedy:ties=random, 400 games"].ours.count("-") == 2
