"""The base class of games written in Python: defaults, conversions and errors."""

import gc
import weakref
from itertools import pairwise

import numpy as np
import pytest

import halma
from halma.errors import PositionError
from halma.games.scripted import ScriptedGame


class Nim(ScriptedGame):
    """One heap; take one to three; taking the last wins. Only what must be declared."""

    player_names = ("first", "second")
    dtype = [("heap", "u1"), ("mover", "u1")]  # noqa: RUF012
    actions = 3

    def initial(self):
        state = self.blank()
        state["heap"] = 7
        return state

    def legal(self, state):
        return range(min(3, state["heap"]))

    def play(self, state, move):
        after = state.copy()
        after["heap"] -= move + 1
        after["mover"] ^= 1
        return after

    def result(self, state):
        if state["heap"]:
            return 0.5, 0.5
        return (1, 0) if state["mover"] else (0, 1)


class Dice(Nim):
    """A biased coin decides what the heap loses: a move only throws it."""

    dtype = [("heap", "u1"), ("mover", "u1"), ("thrown", "?")]  # noqa: RUF012
    actions = 1

    def legal(self, state):
        return [0] if state["heap"] else []

    def play(self, state, move):
        after = state.copy()
        after["thrown"] = True
        return after

    def at_chance(self, state):
        return state["thrown"]

    def outcomes(self, state):
        return [(1, 0.25), (2, 0.75)] if state["heap"] > 1 else [(1, 1.0)]

    def resolve(self, state, outcome):
        after = state.copy()
        after["heap"] -= outcome
        after["mover"] ^= 1
        after["thrown"] = False
        return after

    def mover(self, state):
        return state["mover"] ^ state["thrown"]


def naive_perft(heap, depth):
    if depth == 0:
        return 1
    return sum(naive_perft(heap - take, depth - 1) for take in (1, 2, 3) if take <= heap)


def test_defaults_suffice():
    game = Nim()
    assert (game.name, game.title, game.players, game.shape) == ("nim", "Nim", 2, (2, 1, 1))
    start = game.start()
    assert start.text == "7 0"
    assert game.position(" 3  1 ").legal_moves[-1].text == "2"
    assert start.encode().ravel().tolist() == [7, 0]
    assert start.index is None
    for depth in range(8):
        assert start.perft(depth) == naive_perft(7, depth)


def test_record():
    record = halma.Record(Nim())
    for move in ("2", "0", "2"):
        record.play(move)
    assert record.is_over and record.end == "by the rules"
    assert record.result == (1.0, 0.0)
    record.undo()
    assert record.position.text == "3 0"
    assert record.encode().shape == (2, 1, 1)


def test_playouts_and_samples():
    game = Nim()
    totals = game.core.playouts(game.start().state, 50, seed=3)
    assert sum(totals["scores"]) == 50
    assert 3 <= totals["shortest"] <= totals["longest"] <= 7
    states = game.core.sample_states(game.start().state, 9)
    assert states.shape == (9, 2)
    offsets, moves = game.core.legal_many(states)
    assert [moves[a:b].tolist() for a, b in pairwise(offsets)] == [
        list(range(min(3, heap))) for heap in states[:, 0]
    ]


def test_chance():
    game = Dice()
    thrown = game.start().play("0")
    assert thrown.is_chance and thrown.mover == 1
    assert [(o.text, o.probability) for o in thrown.outcomes] == [("1", 0.25), ("2", 0.75)]
    assert thrown.resolve("2").text == "5 1 0"
    assert game.position("1 0 0").perft(1) == 1
    assert game.start().perft(2) == 2
    # Only the last coin of a heap of one is certain.
    assert game.position("1 0 1").outcomes[0].probability == 1.0
    totals = game.core.playouts(game.start().state, 2000, seed=1)
    assert 3 < totals["plies"] / 2000 < 5.5


@pytest.mark.parametrize(
    "dtype, start, text",
    [
        (("u1", 2), [7, 0], "7 0"),
        ("u4", 7, "7"),
        ([("a", "<i2", (2,)), ("b", [("c", "?"), ("d", "i1")])], None, "0 0 0 0"),
        ([("a", [("x", "i1"), ("y", "u1")], (2,))], None, "0 0 0 0"),
    ],
)
def test_kinds_of_state(dtype, start, text):
    class Any(Nim):
        def initial(self):
            return self.blank() if start is None else start

        def mover(self, state):
            return 0

    Any.dtype = dtype
    game = Any()
    assert game.start().text == text
    assert game.position(text) == game.start()
    assert game.start().encode().ravel().tolist() == [int(n) for n in text.split()]


@pytest.mark.parametrize(
    "dtype", ["f4", "O", "U3", np.dtype([("a", "i1"), ("b", "i4")], align=True)]
)
def test_impossible_state_types(dtype):
    class Odd(Nim):
        pass

    Odd.dtype = dtype
    with pytest.raises(TypeError, match="A state"):
        Odd()


@pytest.mark.parametrize("text", ["", "7", "7 0 0", "7 2", "256 0", "-1 0", "7 x", "٧ 0", "9" * 40])
def test_impossible_texts(text):
    with pytest.raises(PositionError):
        Nim().position(text)


@pytest.mark.parametrize("missing", ["player_names", "dtype", "actions"])
def test_what_must_be_declared(missing):
    broken = type("Broken", (Nim,), {missing: None})
    with pytest.raises(TypeError, match=f"Broken must declare '{missing}'"):
        broken()


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"dtype": ("u1", 257)}, "between 1 and 256 bytes"),
        ({"player_names": tuple("abcdefg")}, "1 to 6 players"),
        ({"max_score": 0}, "highest score"),
        ({"shape": (1, 0, 1)}, "at least 1"),
        ({"history": 0}, "history"),
    ],
)
def test_impossible_declarations(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        type("Broken", (Nim,), changes)()


@pytest.mark.parametrize(
    "method, answer, call, sentence",
    [
        ("initial", [1, 2, 3], lambda g: g.core.initial(), r"initial\(\) must return a state"),
        ("initial", None, lambda g: g.core.initial(), r"initial\(\) must return a state"),
        ("mover", 2, lambda g: g.start().mover, r"mover\(\) must lie between 0 and 1; it is 2"),
        ("mover", "me", lambda g: g.start().mover, r"mover\(\) must be an integer, not 'me'"),
        ("legal", [-1], lambda g: g.start().legal_moves, "must lie between 0"),
        ("legal", [2**32 - 1], lambda g: g.start().legal_moves, "must lie between 0"),
        ("legal", range(513), lambda g: g.start().legal_moves, "at most 512 moves"),
        ("play", 5, lambda g: g.start().play("0"), r"play\(\) must return a state"),
        (
            "landing",
            -3,
            lambda g: g.core.landing(g.core.initial(), 0),
            r"landing\(\) must lie between 0",
        ),
        ("result", [1], lambda g: g.start().result, "one score per player"),
        ("action", 3, lambda g: g.start().action("0"), r"action\(\) must lie between 0 and 2"),
        ("move", 1.5, lambda g: g.start().move_of(0), r"move\(\) must be an integer"),
        ("encode", [[[1]]], lambda g: g.start().encode(), r"shape \(2, 1, 1\), not \(1, 1, 1\)"),
        ("outcomes", [], lambda g: g.core.outcomes(g.core.initial()), "at least one outcome"),
        ("outcomes", [(-1, 1)], lambda g: g.core.outcomes(g.core.initial()), "must lie between"),
    ],
)
def test_impossible_return_values(method, answer, call, sentence):
    game = type("Broken", (Nim,), {method: lambda self, *arguments: answer})()
    with pytest.raises((TypeError, ValueError), match=sentence):
        call(game)


def test_an_index_out_of_range_is_refused():
    class Numbered(Nim):
        index_size = 3

        def index(self, state):
            return int(state["heap"])

    with pytest.raises(ValueError, match=r"index\(\) must lie between 0 and 2; it is 7"):
        Numbered().core.reachable()


class Mishap(Exception):
    """An author's own exception."""


@pytest.mark.parametrize(
    "call",
    [
        lambda game: game.start().play("0"),
        lambda game: game.start().perft(3),
        lambda game: game.core.playouts(game.start().state, 3),
        lambda game: game.core.sample_states(game.start().state, 3),
        lambda game: halma.Record(game).play("0"),
    ],
)
def test_exceptions_of_a_game_are_passed_through(call):
    class Clumsy(Nim):
        def play(self, state, move):
            raise Mishap("dropped it")

    with pytest.raises(Mishap, match="dropped it"):
        call(Clumsy())


def test_a_record_survives_an_exception():
    class Clumsy(Nim):
        careful = False

        def play(self, state, move):
            if not self.careful:
                raise Mishap
            return super().play(state, move)

    game = Clumsy()
    record = halma.Record(game)
    with pytest.raises(Mishap):
        record.play("1")
    assert len(record) == 0 and record.position == game.start()
    game.careful = True
    record.play("1")
    assert [position.text for position in record.positions] == ["7 0", "5 1"]


def test_states_are_read_only():
    class Rude(Nim):
        def play(self, state, move):
            state["heap"] = 0
            return state

    with pytest.raises(ValueError, match="read-only"):
        Rude().start().play("0")


def test_wider_integers_are_accepted_if_they_fit():
    class Plain(Nim):
        dtype = ("u1", 2)
        add = 1

        def initial(self):
            return np.array([7, 0], "i8")

        def legal(self, state):
            return [0]

        def mover(self, state):
            return 0

        def play(self, state, move):
            return state.astype("i8") * 10 + self.add

    game = Plain()
    assert game.start().play("0").text == "71 1"
    game.add = 1000
    with pytest.raises(TypeError, match=r"play\(\) must return a state"):
        game.start().play("0")


def test_limits():
    class Short(Nim):
        limits = halma.games.Limits(plies=2)

    record = halma.Record(Short())
    record.play("0")
    record.play("0")
    assert record.end == "by the move limit"


def test_an_unreferenced_game_is_freed():
    game = Nim()
    record = halma.Record(game)
    gone = weakref.ref(game)
    del game, record
    gc.collect()
    assert gone() is None
