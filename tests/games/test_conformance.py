"""The conformance check: conforming games pass, and each violation is found by its name."""

import json
from itertools import count

import pytest

import halma
from halma.draw.scene import Cell, Piece, Scene
from halma.errors import PositionError
from halma.games import Limits
from halma.games.conformance import check
from halma.games.scripted import ScriptedGame


class Race(ScriptedGame):
    """A heap and a die: take what it shows or one more; taking the last wins."""

    player_names = ("first", "second")
    dtype = [("heap", "u1"), ("die", "u1"), ("mover", "u1")]  # noqa: RUF012
    actions = 2
    index_size = 40
    start_heap = 9

    def initial(self):
        state = self.blank()
        state["heap"] = self.start_heap
        return state

    def at_chance(self, state):
        return state["heap"] > 0 and state["die"] == 0

    def outcomes(self, state):
        return [(1, 0.5), (2, 0.5)]

    def resolve(self, state, outcome):
        after = state.copy()
        after["die"] = outcome
        return after

    def legal(self, state):
        return [0, 1] if state["heap"] else []

    def play(self, state, move):
        after = state.copy()
        after["heap"] = max(0, int(state["heap"]) - int(state["die"]) - move)
        after["die"] = 0
        after["mover"] = 1 - state["mover"]
        return after

    def irreversible(self, state, move):
        return True

    def result(self, state):
        return (0.5, 0.5) if state["heap"] else (state["mover"], 1 - state["mover"])

    def index(self, state):
        return (int(state["heap"]) * 2 + int(state["die"]) - 1) * 2 + int(state["mover"])

    def unindex(self, index):
        state = self.blank()
        state["heap"], state["die"], state["mover"] = index // 4, index // 2 % 2 + 1, index % 2
        return state

    def validate(self, state):
        super().validate(state)
        if state["heap"] > 9 or state["die"] > 2:
            raise PositionError("The heap or the die is too high.")


class Shuttle(ScriptedGame):
    """A token goes back and forth; only a limit ends the game."""

    player_names = ("one",)
    dtype = [("at", "?"), ("mover", "u1")]  # noqa: RUF012
    actions = 1
    limits = Limits(plies=30)

    def initial(self):
        return self.blank()

    def legal(self, state):
        return [0]

    def play(self, state, move):
        after = state.copy()
        after["at"] = not state["at"]
        return after

    def result(self, state):
        return [0]


class Altered:
    """A core with some methods replaced, like a faulty one written in C++."""

    def __init__(self, core, **answers):
        self._core, self._answers = core, answers

    def __getattr__(self, name):
        return self._answers.get(name) or getattr(self._core, name)


def altered(**answers):
    game = Race()
    game.core = Altered(game.core, **{n: make(game.core) for n, make in answers.items()})
    return game


def mirrored(image, image_move=lambda move: move):
    """A game with a second symmetry."""
    return altered(
        symmetries=lambda core: 2,
        image=lambda core: lambda s, k: image(s) if k else s,
        image_move=lambda core: lambda s, m, k: image_move(m) if k else m,
    )


def changed(base=Race, **methods):
    return type("Changed", (base,), methods)()


def raising(error):
    def method(self, *arguments):
        raise error

    return method


def counted(answer):
    """Return a method whose answer depends on the number of earlier calls."""
    calls = count()
    return lambda self, *arguments: answer(self, next(calls), *arguments)


def changing():
    calls = count()
    return lambda state: next(calls)


def changing_start(core):
    calls = count()
    return lambda seed: core.unindex(36 + next(calls) % 2)


def scene(cells=3, **piece):
    pieces = [Piece(**{"cell": 0, "colour": "red", "glyph": "x"} | piece)]
    return lambda self, state, move=None: Scene(
        "squares", tuple(Cell(x, 0, str(x)) for x in range(cells)), tuple(pieces)
    )


@pytest.mark.parametrize("name", halma.variant_names())
def test_every_known_variant_passes(name):
    report = check(halma.game(name), games=8)
    assert report.ok, str(report)


@pytest.mark.parametrize("game", [Race(), Shuttle()])
def test_small_games_pass(game):
    report = check(game)
    assert report.ok, str(report)


BROKEN = [
    ("games", changed(legal=raising(KeyError("lost"))), "KeyError: 'lost'"),
    ("games", changed(resolve=lambda self, s, o: s), "more than 50 chance events in a row"),
    ("numbers", changed(player_names=("me", "me")), "same name"),
    ("numbers", changed(version=0), "version is 0"),
    (
        "start",
        changed(initial=counted(lambda self, n: self.unindex(36 + n % 2))),
        "start differs from call to call",
    ),
    ("random_start", altered(random_start=changing_start), "several starts"),
    (
        "random_start",
        altered(random_start=lambda core: lambda seed: core.unindex(0)),
        "No player is to move",
    ),
    (
        "random_position",
        altered(
            piece_counts=lambda core: (1, 2),
            random_position=lambda core: lambda seed, pieces: core.unindex(0),
        ),
        "No player is to move",
    ),
    ("mover", changed(mover=lambda self, s: 2), "must lie between 0 and 1; it is 2"),
    ("mover", changed(mover=counted(lambda self, n, s: n % 2)), "differs from call to call"),
    ("moves", changed(legal=lambda self, s: [0, 1, 1] if s["heap"] else []), "listed twice"),
    (
        "moves",
        changed(legal=counted(lambda self, n, s: [n % 2, 1 - n % 2] if s["heap"] else [])),
        "order differ from call to call",
    ),
    ("moves", altered(count=lambda core: lambda s: 7), "7 moves are counted, but 2 listed"),
    ("symmetries", mirrored(lambda s: s, lambda m: 1), "has other moves"),
    ("symmetries", mirrored(lambda s: bytes([s[0], s[1], 1 - s[2]])), "another player to move"),
    (
        "symmetries",
        mirrored(lambda s: bytes([s[0] + (s[0] == 5), *s[1:]])),
        "is not the image after the move",
    ),
    ("symmetries", altered(image=lambda core: lambda s, k: b"???"), "symmetry 0 is the identity"),
    (
        "end",
        altered(terminal=lambda core: lambda s: False),
        "terminal() is False with 0 legal moves",
    ),
    ("end", altered(terminal=lambda core: lambda s: True), "terminal() is True with 2 legal moves"),
    (
        "play",
        changed(play=counted(lambda self, n, s, m: Race.play(self, s, n % 2))),
        "different states from call to call",
    ),
    (
        "irreversible",
        changed(Shuttle, irreversible=lambda self, s, m: True),
        "recurs after an irreversible move",
    ),
    ("landing", changed(landing=lambda self, m: -1), "must lie between"),
    ("landing", changed(landing=counted(lambda self, n, m: n)), "differs from call to call"),
    ("chance", changed(outcomes=lambda self, s: [(1, 0.5), (2, 0.4)]), "add up to 0.9"),
    ("chance", changed(outcomes=lambda self, s: [(1, 1.0), (2, 0.0)]), "not positive"),
    ("chance", changed(outcomes=lambda self, s: [(1, 0.5), (1, 0.5)]), "listed twice"),
    ("chance", changed(resolve=lambda self, s, o: s), "does not change the state"),
    ("chance", changed(mover=lambda self, s: int(s["mover"]) ^ int(s["die"] > 0)), "it is another"),
    ("result", changed(result=lambda self, s: [1]), "one score per player"),
    ("result", changed(result=lambda self, s: [1.5, 0]), "scores 1.5, but max_score is 1.0"),
    ("result", changed(result=lambda self, s: [-1, 1]), "scores -1.0"),
    ("result", changed(result=counted(lambda self, n, s: [n % 2, 0])), "differ from call to call"),
    ("actions", changed(action=lambda self, s, m: 0), "share action 0"),
    ("actions", changed(action=lambda self, s, m: 2), "must lie between 0 and 1"),
    ("actions", changed(move=lambda self, s, a: 1 - a), "which is move"),
    ("actions", changed(move=lambda self, s, a: None), "which is move"),
    ("planes", changed(encode=lambda self, r, c: [[[float("nan")]]] * 3), "not finite"),
    ("planes", changed(encode=lambda self, r, c: [[[0]]]), "must return an array of shape"),
    ("planes", changed(encode=counted(lambda self, n, r, c: [[[n]]] * 3)), "differ from call"),
    ("keys", altered(key=lambda core: lambda s: 5), "have only 1 keys"),
    ("keys", altered(key=lambda core: changing()), "differs from call to call"),
    ("index", changed(index=lambda self, s: 3), "share the index 3"),
    ("index", changed(index=lambda self, s: 40), "must lie between 0 and 39"),
    ("index", changed(unindex=lambda self, i: Race.unindex(self, i ^ 1)), "whose index is"),
    ("text", changed(format_state=lambda self, s: "0 0 0"), "read back as"),
    (
        "text",
        changed(parse_state=raising(PositionError("No."))),
        "This was raised: PositionError: No.",
    ),
    ("text", changed(format_state=lambda self, s: " "), "is empty"),
    ("names", changed(move_text=lambda self, s, m: "1"), "Two moves have the same text"),
    ("names", changed(move_text=lambda self, s, m: "ab"[m]), "not accepted"),
    (
        "names",
        changed(move_text=lambda self, s, m: f" {m}", move_pattern=" ?[01]"),
        "has space around it",
    ),
    (
        "outcomes",
        changed(outcome_text=lambda self, s, o: "roll"),
        "Two outcomes have the same text",
    ),
    ("refusals", changed(parse_state=raising(IndexError("too far"))), "IndexError: too far"),
    ("refusals", changed(parse_state=raising(PositionError(""))), "without a reason"),
    ("refusals", changed(validate=lambda self, s: None), "raises ValueError: mover() must lie"),
    ("drawing", changed(state_scene=scene(cell=3)), "is on cell 3 of 3"),
    ("drawing", changed(state_scene=scene(glyph="xy")), "not one character"),
    ("drawing", changed(state_scene=raising(ZeroDivisionError("oh"))), "ZeroDivisionError"),
    ("perft", altered(perft=lambda core: lambda s, d: 1), "1 leaves at depth"),
    (
        "kernels",
        altered(
            playouts=lambda core: (
                lambda s, n, seed, ply_limit: {"games": 9, "longest": 1, "scores": []}
            )
        ),
        "10 playouts",
    ),
    (
        "record",
        changed(play=counted(lambda self, n, s, m: Race.play(self, s, n % 2))),
        "gives different positions",
    ),
]


@pytest.mark.parametrize("requirement, game, sentence", BROKEN)
def test_a_violation_is_found(requirement, game, sentence):
    report = check(game)
    assert not report.ok
    assert requirement in report.failed()
    assert any(sentence in failure for failure in report[requirement].failures), str(report)
    assert all("seed 0" in failure for failure in report[requirement].failures)


def test_every_requirement_has_a_game_that_fails_it():
    assert {r.name for r in check(Race()).requirements} == {name for name, _, _ in BROKEN}


@pytest.mark.parametrize(
    "game, requirement",
    [
        (changed(outcomes=lambda self, s: [(1, 0.5), (2, 0.4)]), "chance"),
        (changed(result=lambda self, s: [0.5, -0.25]), "result"),
        (changed(index=lambda self, s: 3), "index"),
        (changed(encode=lambda self, r, c: [[[float("nan")]]] * 3), "planes"),
        (changed(state_scene=scene(cell=3)), "drawing"),
        (changed(Shuttle, irreversible=lambda self, s, m: True), "irreversible"),
    ],
)
def test_other_requirements_do_not_fail(game, requirement):
    # Scores below 0 show in the playouts as well.
    assert set(check(game).failed()) - {"kernels"} == {requirement}


def test_a_failure_names_its_position():
    report = check(changed(result=lambda self, s: [2, 0] if s["heap"] == 0 else [0, 0]), seed=5)
    failure = report["result"].failures[0]
    assert "At '0 0 " in failure and "(seed 5)" in failure


def test_failures_are_capped():
    assert len(check(changed(action=lambda self, s, m: 0))["actions"].failures) == 5


def test_what_could_not_be_tested_says_so():
    report = check(changed(legal=raising(KeyError("lost"))))
    assert report["perft"].tested == 0
    assert check(Shuttle())["chance"].tested == 0


def test_a_report_is_plain_values():
    report = check(Race(), games=3, seed=4)
    plain = json.loads(json.dumps(report.as_dict()))
    assert (plain["game"], plain["games"], plain["seed"], plain["ok"]) == ("race", 3, 4, True)
    names = [result.name for result in report.requirements]
    assert [result["name"] for result in plain["requirements"]] == names
    assert str(report).count("\n") + 1 == len(report.requirements)


def test_the_same_seed_gives_the_same_report():
    assert check(Race(), seed=2) == check(Race(), seed=2)
