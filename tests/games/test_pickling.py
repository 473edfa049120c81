"""Games, positions, moves and records survive pickles and copies."""

import copy
import pickle
import random

import pytest
from game_helpers import random_game

import halma
from halma.games import Limits, ScriptedGame

COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
NAMES = [*halma.variant_names(), "rhombus-7x7-6:liu2019", "draughts-8x8:draw=none", "frogs-4-1"]
each_copy = pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)


class Countdown(ScriptedGame):
    """Take one or two from a pile whose size is an attribute."""

    player_names = ("first", "second")
    dtype = [("left", "u1"), ("mover", "u1")]  # noqa: RUF012
    actions = 3

    def __init__(self, size: int) -> None:
        self.size = size
        self.limits = Limits(plies=size - 1)
        super().__init__(f"countdown-{size}", {"size": size})

    def initial(self):
        state = self.blank()
        state["left"] = self.size
        return state

    def legal(self, state):
        return [take for take in (1, 2) if take <= state["left"]]

    def play(self, state, move):
        after = state.copy()
        after["left"] -= move
        after["mover"] = 1 - state["mover"]
        return after

    def result(self, state):
        return (0, 1) if state["mover"] == 0 else (1, 0)


def played(game: halma.Game, plies: int) -> halma.Record:
    rng, record = random.Random(plies), halma.Record(game)
    while record.plies < plies and not record.is_over:
        record.roll(rng)
        if not record.is_over:
            record.play(rng.choice(record.position.legal_moves))
    return record


@each_copy
@pytest.mark.parametrize("name", NAMES)
def test_variants(name, duplicate):
    game = halma.game(name)
    same = duplicate(game)
    assert (same, same.name, same.options) == (game, game.name, game.options)
    assert same.start().state == game.start().state
    for position in random_game(name, 1, 20):
        again = duplicate(position)
        assert (again, again.text) == (position, position.text)
        assert duplicate(position.legal_moves) == position.legal_moves
        assert duplicate(position.outcomes) == position.outcomes


@each_copy
@pytest.mark.parametrize("name", ["ewn-5x5-6", "draughts-8x8", "cdc-4x8", "frogs-3-2"])
def test_records_go_on_by_themselves(name, duplicate):
    record = played(halma.game(name), 7)
    same = duplicate(record)
    assert (same.texts, same.position, same.end) == (record.texts, record.position, record.end)
    assert (same.halfmove_clock, same.repetitions) == (record.halfmove_clock, record.repetitions)
    before = record.texts
    same.undo()
    assert record.texts == before and len(same) == len(record) - 1


@each_copy
def test_a_game_in_python_is_pickled_by_its_class(duplicate):
    game = Countdown(6)
    same = duplicate(game)
    assert isinstance(same, Countdown)
    assert (same.name, same.size, same.options) == ("countdown-6", 6, {"size": 6})
    assert same.limits.plies == 5
    assert same.start().perft(3) == game.start().perft(3)
    assert duplicate(played(game, 3)).texts == played(game, 3).texts


def test_limits_are_pickled():
    limits = Limits(plies=1, repetitions=2, no_progress=3, cycle_window=4, cycle_landings=5)
    same = pickle.loads(pickle.dumps(limits))
    fields = ("plies", "repetitions", "no_progress", "cycle_window", "cycle_landings")
    assert [getattr(same, field) for field in fields] == [1, 2, 3, 4, 5]
