"""A game with dice, written in Python: solved, played perfectly and learned in a table."""

import random

import pytest
from small_runs import small

import halma
from halma.agents import agent
from halma.arena import make_plan, play_matches
from halma.learn import read_metrics, train
from halma.learn.grading import grade_agents
from halma.solve import solution_for
from halma.solve.truth import examine

COUNTERS = 8
SOURCE = f"""
from halma.games import ScriptedGame


class DiceNim(ScriptedGame):
    '''Take one counter, or as many as a die for three shows; the last counter wins.'''

    player_names = ("first", "second")
    dtype = [("left", "u1"), ("mover", "u1"), ("die", "u1")]
    actions = 3
    index_size = ({COUNTERS} + 1) * 2 * 3

    def initial(self):
        state = self.blank()
        state["left"] = {COUNTERS}
        return state

    def at_chance(self, state):
        return bool(state["left"]) and not state["die"]

    def outcomes(self, state):
        return [(1, 1 / 3), (2, 1 / 3), (3, 1 / 3)]

    def resolve(self, state, outcome):
        after = state.copy()
        after["die"] = outcome
        return after

    def legal(self, state):
        return sorted({{n - 1 for n in (1, int(state["die"])) if 0 < n <= state["left"]}})

    def play(self, state, move):
        after = state.copy()
        after["left"] -= move + 1
        after["mover"] = 1 - state["mover"]
        after["die"] = 0
        return after

    def result(self, state):
        if state["left"]:
            return 0.5, 0.5
        return (0, 1) if state["mover"] == 0 else (1, 0)

    def index(self, state):
        return (int(state["left"]) * 2 + int(state["mover"])) * 3 + int(state["die"]) - 1

    def unindex(self, index):
        state = self.blank()
        rest, die = divmod(index, 3)
        state["die"] = die + 1
        state["left"], state["mover"] = divmod(rest, 2)
        return state
"""


@pytest.fixture(scope="module")
def name(tmp_path_factory):
    path = tmp_path_factory.mktemp("game") / "dice_nim.py"
    path.write_text(SOURCE, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def run(name, tmp_path_factory):
    changes = {
        "game": name,
        "iterations": 12,
        "selfplay__games": 60,
        "search__simulations": 24,
        "truth__games": 400,
    }
    out = tmp_path_factory.mktemp("runs") / "run"
    train(small(**changes), out, threads=2)
    return out


def naive(left):
    """The chance of winning before the die is thrown, and after each throw."""
    if left == 0:
        return 0.0, {}
    throws = {die: max(1 - naive(left - n)[0] for n in {1, die} if n <= left) for die in (1, 2, 3)}
    return sum(throws.values()) / 3, throws


def test_the_solution_is_exact(name):
    game = halma.game(name)
    solution = solution_for(game)
    assert solution.start_value() == pytest.approx(naive(COUNTERS)[0], abs=1e-12)
    for left in range(1, COUNTERS + 1):
        for die, value in naive(left)[1].items():
            position = game.position(f"{left} 0 {die}")
            if left == COUNTERS or left < COUNTERS - 1:  # with the first player to move
                assert solution.value(position) == pytest.approx(value, abs=1e-12)


def test_the_table_learns_to_play_well(run):
    first, last = read_metrics(run)[0], read_metrics(run)[-1]
    assert last["mae_v"] < first["mae_v"]
    assert last["err_p"] < 0.02
    assert last["wr_p_high"] > 0.5


def test_the_table_plays_the_perfect_player(run, name):
    plan = make_plan(name, [f"tabular:{run}", "optimal"], seed=3)
    (tally,) = play_matches([plan], 40)
    assert tally.score.interval[1] > 0.5
    (against_random,) = play_matches([make_plan(name, [f"tabular:{run}", "random"])], 40)
    assert against_random.score.value > 0.5


def test_what_is_known_of_it(name):
    solution = solution_for(halma.game(name))
    perfect, poor = grade_agents(solution, ["optimal", "random"], games=2, sample=40)
    assert perfect.table.shares["all"].share == 1 and perfect.games.mean_loss == 0
    assert poor.table.mean_loss > 0
    found = examine(solution, 40)
    assert sum(found.distribution) == found.about["positions"]
    record = halma.Record(halma.game(name))
    record.roll(random.Random(1))
    assert agent("optimal").choose(record, random.Random(1)) in record.position.legal_moves
