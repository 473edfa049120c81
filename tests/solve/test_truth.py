"""A look at the truth: numbers that must fit together, and lines that must be playable."""

import numpy as np
import pytest

import halma
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
    found = examine(solution, sample=300)
    about = solution.about
    assert sum(found.distribution) == about["positions"]
    assert found.distribution[-1] >= about["wins"]
    assert 0 < found.unique_best < 1
    assert found.sample == 300
    assert found.openings[0].value == max(m.value for m in found.openings[0].moves)
    assert found.as_dict()["longest_line"]["plies"] == about["longest_win"]


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


@pytest.mark.parametrize("name", ["rhombus-3x3-3:win=fill", "ewn-3x3-1"])
def test_values_that_the_solver_has_counted(name):
    solution = solve(halma.game(name), keep=False)
    values = solution.values_at(np.arange(solution.game.core.index_size))
    counts, _ = np.histogram(values[~np.isnan(values)], bins=20, range=(0.0, 1.0))
    assert examine(solution, sample=5).distribution == counts.tolist()


@pytest.mark.parametrize("number", [100, 500, 2000])
def test_samples_of_a_small_table(number):
    """All decisions, if there are no more; 1,260 of 1,680 entries are one, by hand."""
    solution = solve(halma.game("rhombus-3x3-3"), keep=False)
    core = solution.game.core
    every = [halma.Position(solution.game, core.unindex(i)) for i in range(core.index_size)]
    values = solution.values_at(np.arange(core.index_size))
    wanted = {
        position.text
        for position, value in zip(every, values, strict=True)
        if not np.isnan(value) and position.legal_moves
    }
    found = {position.text for position in sample_positions(solution, number, 3)}
    assert len(found) == min(number, len(wanted)) and found <= wanted


def test_pictures(solution):
    found = examine(solution, sample=10)
    for opening in found.openings:
        scene = opening_scene(opening)
        best = f"{100 * opening.value:.0f}"
        written = [piece.label for piece in scene.pieces] + [text for _, _, text in scene.labels]
        assert any(best in text for text in written)
        assert scene.marks
        assert draw_svg(scene).startswith("<svg")
    picture = histogram(found.distribution, "values")
    assert picture.count("<rect") == 1 + len(found.distribution)
