"""A short run of the fuzzers of `tests/hostile`, and what they have found, each by its name."""

import pickle

import pytest
from hostile.fuzzed_groups import GROUPS
from hostile.fuzzer import flaw, fuzz, report
from hostile.sandbox import sandbox

import halma
from halma.agents import agent
from halma.cli.solve import _bytes
from halma.errors import (
    GameReadError,
    HalmaError,
    NameSyntaxError,
    PluginError,
    PositionError,
    RecipeError,
    RecordError,
    UnknownVariantError,
)
from halma.games import Position, pdn
from halma.learn import load
from halma.search.minimax import Minimax
from halma.search.tree_search import TreeSearch

#: texts for each target
SHORT = 12


@pytest.mark.parametrize("group", GROUPS)
def test_texts_are_understood_or_refused(group):
    with sandbox() as folder:
        for target in GROUPS[group](folder):
            _, failures = fuzz(target, seed=1, texts=SHORT)
            assert not failures, report(target, 1, failures)


def test_the_fuzzer_finds_faults_and_cuts_them_down():
    from hostile.fuzzer import Target

    def read(text):
        if "\0" in text:
            raise KeyError(text)
        raise HalmaError("No NUL.")

    _, failures = fuzz(Target("test", ["abcdef"], read), seed=1, texts=300)
    assert [failure.text for failure in failures] == ["\0"]
    assert flaw("two\nlines.") and flaw("no full stop") and flaw("x" * 10_000 + ".")


@pytest.mark.parametrize("cell", ["\x0e", "\u202e", "\ud800", "\ufeff", "\x1b[2J"])
def test_messages_have_no_control_characters(cell):
    with pytest.raises(PositionError) as caught:
        halma.game("ewn-3x3-3").position(f"{cell}../.../... r -")
    assert not flaw(str(caught.value))


@pytest.mark.parametrize(
    "name",
    ["ewn-03x3-3", "star-037-3p", "rhombus-007x7-6", "frogs-02-1", "ewn-３x3-3", "ewn-٣x3-3"],
)
def test_a_variant_has_one_name(name):
    with pytest.raises(UnknownVariantError):
        halma.game(name)


@pytest.mark.parametrize("name", ["greedy" + " " * 5000 + "x", "ewn-3x3-3" + " " * 5000 + "x"])
def test_a_long_name_is_not_cut_silently(name):
    for find in (halma.game, agent):
        with pytest.raises(NameSyntaxError, match="too long"):
            find(name)


@pytest.mark.parametrize("name", ["\u0301" * 120, "b" * 300, "~nobody/mine.py", "~\0/mine.py"])
def test_names_that_no_file_has(name):
    for find, text in ((halma.game, name), (agent, name), (agent, f"net:{name}")):
        with pytest.raises(HalmaError):
            find(text)


def test_a_file_that_exits_is_refused(tmp_path):
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(3)\n")
    for find in (halma.game, agent):
        with pytest.raises(PluginError, match="cannot be run"):
            find(str(tmp_path / "exits.py"))


@pytest.mark.parametrize(
    "text",
    [
        "search.c = " + "9" * 400,
        "search.c = 0x" + "f" * 9000,
        "search.c = " + "9" * 9000,
        "search.simulations = 0x" + "f" * 9000,
        "seed = " + "[" * 5000,
        "search.c = " + "[" * 200 + "]" * 200,
        "search" + ".a" * 5000 + " = 1",
        "search.c." + "a." * 200 + "b = 1",
    ],
)
def test_recipes_without_measure(tmp_path, text):
    path = tmp_path / "recipe.toml"
    path.write_text(f'method = "alphazero"\n{text}\n')
    with pytest.raises(RecipeError) as caught:
        load(str(path))
    assert not flaw(str(caught.value))


def test_an_amount_of_memory_in_odd_letters():
    with pytest.raises(HalmaError, match="not an amount of memory"):
        _bytes("8\N{KELVIN SIGN}")


def test_positions_and_records_of_other_games():
    small, large = halma.game("ewn-3x3-3"), halma.game("ewn-5x5-6")
    with pytest.raises(PositionError):
        halma.Record(small, large.start())
    with pytest.raises(PositionError, match="not a state"):
        Position(small, b"")
    for search in (TreeSearch(small), Minimax(small, kind="expectimax")):
        with pytest.raises(RecordError, match="cannot start in a game of"):
            search.search(halma.Record(large), seconds=0.1)


def test_a_position_of_other_limits_begins_a_record():
    start = halma.game("draughts-8x8").start()
    game = halma.game("draughts-8x8:draw=none")
    assert halma.Record(game, start).start == game.start()


def test_errors_of_games_in_files_are_pickled():
    error = GameReadError(3, 7, "no.")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.number, again.line) == (str(error), 3, 7)


def test_carriage_returns_do_not_break_pdn():
    with pytest.raises(RecordError, match="one line"):
        pdn.PdnGame({"Event": "a\rb"}).write()
    game = pdn.PdnGame(items=[pdn.PdnMove("11-15"), pdn.Comment("a\r{"), pdn.Comment("b\r\nc")])
    (again,) = pdn.read(game.write())
    assert [item.text for item in again.items] == ["11-15", "a {", "b\nc"]
