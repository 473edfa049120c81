"""docs/agents.md has every agent and, word for word, the declarations of its options."""

import random
import re
from pathlib import Path

import pytest

from halma.agents import AgentSpec, best_name, specs
from halma.agents.levels import levels_of, rated_variants, rated_zero
from halma.games import Record, game, variant_names
from halma.names import Option

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
SECTIONS = dict(
    re.findall(
        r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
)


def values(option: Option) -> str:
    """What an option may be, and its default."""
    if option.choices:
        return ", ".join(f"`{choice}`" for choice in option.choices)
    if option.text:
        return "text"
    numbers = f"{option.low:,.12g} to {option.high:,.12g}"
    return f"{numbers}, separated by slashes" if option.series else numbers


def option_table(spec: AgentSpec) -> str:
    """The table of an agent's options; the main one is bold."""
    lines = ["| option | values | default | meaning |", "|---|---|---|---|"]
    for option in spec.options:
        name = f"**{option.key}**" if option.key == spec.main else option.key
        default = "" if option.default in (0, "") and option.low > 0 else f"{option.default}"
        lines.append(f"| {name} | {values(option)} | {default} | {option.help} |")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("spec", list(specs()), ids=lambda spec: spec.name)
def test_every_option_is_in_its_agent_s_table(spec: AgentSpec) -> None:
    if spec.options:
        assert option_table(spec) in SECTIONS[spec.name]
    else:
        assert spec.name in SECTIONS


def test_the_table_of_best_is_what_it_stands_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))
    for variant in variant_names():
        record = Record(game(variant))
        record.roll(random.Random(0))
        assert f"| `{variant}` | `{best_name(record)}` |" in SECTIONS["best"]


def test_the_ratings_of_levels_are_those_of_the_file() -> None:
    """The page in the browser shows those; the docs say how they came about."""
    rows = re.findall(r"^\| `([\w-]+)` \| `([^`]+)` \| (.+) \|$", SECTIONS["best"], re.M)
    assert sorted(name for name, _, _ in rows) == sorted(rated_variants())
    for name, zero, text in rows:
        cells = [cell.strip() for cell in text.split("|")]
        # One table has levels 1, 4 and 7 and the number of games, the other one all levels.
        numbers = (1, 4, 7) if len(cells) == 4 else range(1, 11)
        rated = {one.level: one for one in levels_of(game(name)) if one.error}
        shown = {number: f"{one.elo:+.0f} ± {one.error:.0f}" for number, one in rated.items()}
        assert rated_zero(game(name)) == zero
        assert [shown.pop(number, "") for number in numbers] == cells[: len(numbers)]
        assert not shown
