"""Ctrl-C: during imports, and in the middle of a search, a match and a solve."""

import pytest
from hostile.interrupting import COMMANDS, interrupt


@pytest.mark.parametrize("after", [0.05, 0.1, 0.15, 0.25, 0.4])
def test_during_imports(after, tmp_path):
    ending = interrupt("perft draughts-8x8 30", after, tmp_path)
    assert ending is not None
    assert ending.fault() == ""


@pytest.mark.parametrize("name", ["bench solve", "match, 1 worker", "play", "solve endgames"])
def test_in_the_middle(name, tmp_path):
    ending = interrupt(COMMANDS[name], 2.0, tmp_path)
    assert ending is not None
    assert ending.fault() == ""
