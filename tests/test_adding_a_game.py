"""docs/adding-a-game.md: its code runs as it stands, and its first file passes the check."""

import re
from pathlib import Path

import pytest

import halma
from halma.games import registry
from halma.games.conformance import check

PAGE = Path(__file__).parent.parent / "docs" / "adding-a-game.md"


def blocks():
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture(autouse=True)
def families(monkeypatch):
    """The page registers a family; other tests should not see it."""
    monkeypatch.setattr(registry, "_FAMILIES", list(registry._FAMILIES))


def test_the_first_block_is_a_game_in_a_file(tmp_path):
    path = tmp_path / "nim.py"
    path.write_text(blocks()[0], encoding="utf-8")
    report = check(halma.game(f"{path}:Nim"))
    assert report.ok, str(report)


def test_every_block_runs():
    names = {"__name__": "page"}
    for number, block in enumerate(blocks()):
        exec(compile(block, f"block {number} of {PAGE.name}", "exec"), names)
