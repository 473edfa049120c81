"""Messages: their length, and what they quote."""

import pickle
import time

import pytest

import halma
from halma.errors import GameReadError, HalmaError, MissingLibraryError, brief


def test_short_messages_stay():
    text = "'ewm' is no variant. Did you mean 'ewn'? It's one of 'a', 'b' and the game's own."
    assert str(HalmaError(text)) == brief(text) == text


def test_long_quotations_lose_their_middle():
    said = str(HalmaError(f"There is no file '{'x' * 39_000}'. Did you mean 'xy'?"))
    assert said.startswith("There is no file 'xxx") and said.endswith("xxx'. Did you mean 'xy'?")
    assert " ... " in said and len(said) < 200


@pytest.mark.parametrize("text", ["x" * 39_000, "' " * 20_000, " 'a" * 13_000, "a's " * 10_000])
def test_long_messages_lose_their_middle_quickly(text):
    began = time.process_time()
    assert len(brief(text)) <= 1000
    assert time.process_time() - began < 1


@pytest.mark.parametrize("kind", [HalmaError, MissingLibraryError])
def test_control_characters_are_not_printed(kind):
    error = kind("'a\x1b[2Jb\nc\udcfc\x9b' is wrong.")
    assert str(error) == str(pickle.loads(pickle.dumps(error))) == "'a?[2Jb c??' is wrong."


def test_an_error_with_its_own_constructor():
    assert str(GameReadError(3, 7, "\x07")) == "Game 3, line 7: ?"


@pytest.mark.parametrize("find", [halma.game, halma.agents.agent])
@pytest.mark.parametrize("name", ["ewn\x1b[31m", "net:\x07.onnx", "a\nb.py", "mine.py:A\x9b"])
def test_names_have_no_control_characters(find, name):
    with pytest.raises(HalmaError, match="has control characters"):
        find(name)
