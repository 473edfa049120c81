"""docs/agents.md names every agent and every option."""

import re
from pathlib import Path

import pytest

from halma.agents import kinds

TEXT = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", [kind.name for kind in kinds()])
def test_every_option_is_in_its_agent_s_table(name):
    kind = next(kind for kind in kinds() if kind.name == name)
    listed = re.findall(r"^\| (\**)(\w+)\** \| (.*?) \|", SECTIONS[name], re.MULTILINE)
    rows = {key: values for _, key, values in listed if key != "option"}
    assert list(rows) == [option.key for option in kind.options]
    assert [key for stars, key, _ in listed if stars] == ([kind.main] if kind.main else [])
    for option in kind.options:
        if option.choices:
            assert rows[option.key] == ", ".join(f"`{choice}`" for choice in option.choices)
