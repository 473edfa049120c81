"""A look at the truth: numbers that must fit together, and lines that must be playable."""

import pytest

import halma
from halma.agents import agent
from halma.draw.svg import draw_svg
from halma.solve import solve
from halma.solve.truth import (
    examine,
    histogram,
    longest_win,
    opening_scene,
    sample_positions,
)


@pytest.fixture(scope="module", params=["ewn-3x3-3", "cdc-2x4-PPPP"])
def solution(request):
    return solve(halma.game(request.param), keep=False)


def test_a_examine(solution):
    found = examine(solution, [agent("random"), agent("greedy"), agent("random")], sample=300)
    about = solution.about
    assert sum(found.distribution) == about["positions"]
    assert found.distribution[-1] >= about["wins"]
    assert 0 < found.unique_best < 1
    assert found.sample == 300
    assert found.openings[0].value == max(m.value for m in found.openings[0].moves)
    random_player = found.errors[0]
    assert 0 < random_player.mean_loss < random_player.rate < 1
    assert found.errors[-1] == random_player
    solution.game.position(random_player.worst)
    plays = any(errors.agent == "greedy" for errors in found.errors)
    assert plays or "greedy" in found.notes[0]
    assert found.as_dict()["longest_line"]["plies"] == about["longest_win"]


def test_who_knows_does_not_err(solution, monkeypatch, tmp_path):
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))
    errors = examine(solution, [agent("optimal")], sample=200).errors[0]
    assert (errors.rate, errors.mean_loss, errors.worst) == (0.0, 0.0, "")


def test_the_longest_win_can_be_replayed(solution):
    line = longest_win(solution)
    position, moves = line.start, 0
    winner = position.mover
    for step in line.steps:
        if position.is_chance:
            position = position.resolve(step)
        else:
            position = position.play(step)
            moves += 1
    assert position.is_terminal
    assert position.result[winner] == 1.0
    assert moves == line.plies == solution.about["longest_win"]


def test_samples_are_decisions_and_the_same_for_the_same_seed(solution):
    some = sample_positions(solution, 100, 7)
    assert some == sample_positions(solution, 100, 7)
    assert len({position.text for position in some}) == 100
    assert all(position.legal_moves for position in some)


def test_pictures(solution):
    found = examine(solution, [], sample=10)
    for opening in found.openings:
        scene = opening_scene(opening)
        best = f"{100 * opening.value:.0f}"
        written = [piece.label for piece in scene.pieces] + [text for _, _, text in scene.labels]
        assert any(best in text for text in written)
        assert scene.marks
        assert draw_svg(scene).startswith("<svg")
    picture = histogram(found.distribution, "values")
    assert picture.count("<rect") == 1 + len(found.distribution)
