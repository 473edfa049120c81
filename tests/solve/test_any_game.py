"""Games without an order of solving of their own: all positions are solved together."""

import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import halma
from halma import _core
from halma.games import ScriptedGame
from halma.solve import solve
from halma.solve.engines import ExpectimaxEngine

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from hexapawn import Hexapawn

UP, DOWN = 0.6, 0.4


class Walk(ScriptedGame):
    """A stake moves to and fro by one or two steps, as the mover wishes and a coin decides."""

    player_names = ("first", "second")
    dtype: ClassVar = [("place", "i1"), ("mover", "i1"), ("step", "i1")]
    actions = 2
    end = 6
    index_size = 2 * (end + 1)
    #: a step of two moves again, so that turns do not alternate
    again = False
    max_score = 2.0

    def initial(self):
        state = self.blank()
        state["place"] = self.end // 2
        return state

    def legal(self, state):
        return [1, 2] if 0 < state["place"] < self.end else []

    def action(self, state, move):
        return move - 1

    def move(self, state, action):
        return action + 1

    def play(self, state, move):
        after = state.copy()
        after["step"] = move if state["mover"] == 0 else -move
        if not (self.again and move == 2):
            after["mover"] = 1 - state["mover"]
        return after

    def at_chance(self, state):
        return bool(state["step"])

    def outcomes(self, state):
        return [(0, DOWN), (1, UP)]

    def resolve(self, state, outcome):
        after = state.copy()
        step = int(state["step"]) if outcome else -int(state["step"])
        after["place"] = min(self.end, max(0, int(state["place"]) + step))
        after["step"] = 0
        return after

    def result(self, state):
        return (2, 0) if state["place"] == self.end else (0, 2) if state["place"] == 0 else (1, 1)

    def index(self, state):
        return int(state["place"]) * 2 + int(state["mover"])

    def unindex(self, index):
        state = self.blank()
        state["place"], state["mover"] = divmod(index, 2)
        return state


class WalkAgain(Walk):
    again = True


def naive_walk(game: Walk) -> np.ndarray:
    """Values for the first player by place and mover, (place, mover), by value iteration."""
    values = np.full((game.end + 1, 2), 0.5)
    values[0], values[-1] = 0, 1
    for _ in range(5_000):
        before = values.copy()
        for place in range(1, game.end):
            for mover in (0, 1):
                choices = []
                for step in (1, 2):
                    then = mover if game.again and step == 2 else 1 - mover
                    forward = step if mover == 0 else -step
                    up, down = (
                        before[min(game.end, max(0, place + by)), then]
                        for by in (forward, -forward)
                    )
                    choices.append(UP * up + DOWN * down)
                values[place, mover] = max(choices) if mover == 0 else min(choices)
    return values


def test_hexapawn_is_won_by_the_second_player():
    solution = solve(Hexapawn(), keep=False)
    assert solution.start_value() == 0.0
    assert solution.about["positions"] == naive_count(Hexapawn())
    assert solution.verify() == 0
    start = solution.game.start()
    assert {m.value for m in solution.moves(start)} == {0.0}
    won = start.play("b1-b2").play("a3xb2")
    assert solution.value(won) == naive_value(won)


def naive_value(position) -> float:
    """The mover's value by plain minimax."""
    if position.is_terminal:
        return position.result[position.mover]
    return max(1 - naive_value(position.play(move)) for move in position.legal_moves)


def naive_count(game) -> int:
    """Decisions that can be reached."""
    seen, open_ = set(), [game.start()]
    while open_:
        position = open_.pop()
        if position.is_terminal or position.text in seen:
            continue
        seen.add(position.text)
        open_.extend(position.play(move) for move in position.legal_moves)
    return len(seen)


@pytest.mark.parametrize("kind", [Walk, WalkAgain])
def test_chance_that_leads_back(kind):
    game = kind()
    solution = solve(game, keep=False)
    assert solution.verify() == 0
    values = naive_walk(game)
    for place in range(1, game.end):
        for mover in (0, 1):
            expected = values[place, mover] if mover == 0 else 1 - values[place, mover]
            found = solution.value(game.position(f"{place} {mover} 0"))
            assert found == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("name", ["rhombus-3x3-3", "rhombus-4x4-3"])
def test_agrees_with_retrograde_analysis(name):
    game = halma.game(name)
    truth = solve(game, keep=False)
    solver = _core.Expectimax(game.core)
    while solver.step():
        pass
    indices = np.arange(game.core.index_size)
    values = truth.values_at(indices)
    distances = truth.distances_at(indices)
    # At distance 0 the game is over, or drawn.
    decisions = ~np.isnan(values) & ((distances > 0) | (values == 0.5))
    assert decisions.sum() > indices.size // 2
    assert np.array_equal(values[decisions], solver.values()[decisions])
    assert np.array_equal(distances[decisions], solver.distances()[decisions])


def test_engine_is_chosen_by_what_a_game_offers():
    assert ExpectimaxEngine.supports(Walk(), None)
    assert not ExpectimaxEngine.supports(halma.game("rhombus-4x4-3"), None)
    assert not ExpectimaxEngine.supports(halma.game("draughts-8x8"), None)


class Generous(Walk):
    """Both players may win."""

    def result(self, state):
        return (2, 2)


def test_scores_that_are_not_opposed():
    with pytest.raises(ValueError, match="add up to max_score"):
        solve(Generous(), keep=False)
