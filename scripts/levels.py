"""Measure the levels of `best` in a variant: `python scripts/levels.py VARIANT --games N`.

The agent that is rated 0 and the levels, in this order, play matches of two: each against those at
most --reach places away, which is a round robin if none is given. The section of
src/halma/agents/levels.toml is printed, and put there with --write. With --db, what was interrupted
goes on.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import combinations
from pathlib import Path
from typing import Any

import halma.agents.levels
from halma.agents import agent
from halma.agents.best import TOP
from halma.agents.levels import rated_zero
from halma.arena import GameStore, crosstable, make_plan, play_matches, rate
from halma.games import game as find_game

FILE = Path(halma.agents.levels.__file__).with_suffix(".toml")
#: plies after which a game is stopped
PLIES = 300


def measure(variant: str, names: Sequence[str], given: argparse.Namespace) -> list[dict[str, Any]]:
    """Let agents play each other, and return the rows of their crosstable; the first is rated 0."""
    reach = given.reach or len(names)
    pairs = [(i, j) for i, j in combinations(range(len(names)), 2) if j - i <= reach]
    plans = [
        make_plan(variant, [names[i] for i in pair], given.seed, max_plies=PLIES) for pair in pairs
    ]
    with nullcontext() if given.db is None else GameStore(given.db) as store:
        tallies = play_matches(plans, given.games, given.workers, store)
    matches = dict(zip(pairs, tallies, strict=True))
    return crosstable.as_dicts(crosstable.crosstable(rate(names, matches, names[0], 0.0), matches))


def section(
    variant: str, anchor: str, rows: Sequence[dict[str, Any]], levels: Sequence[int]
) -> str:
    """Return the measured levels as a table of TOML; those without an interval are left out."""
    by_name = {row["agent"]: row for row in rows}
    lines = [f'["{variant}"]', f'rated_zero = "{anchor}"']
    for level in levels:
        row = by_name[f"best:level={level}"]
        if row["elo_interval"] is not None:
            low, high = row["elo_interval"]
            lines.append(f"{level} = [{row['elo']:.0f}, {(high - low) / 2:.0f}]")
    return "\n".join(lines)


def write(variant: str, text: str) -> None:
    """Put a section in place of the variant's, or at the end."""
    old = FILE.read_text(encoding="utf-8")
    found = re.compile(rf'^\["{re.escape(variant)}"\]\n(?:[^\[\n].*\n)+', re.MULTILINE)
    new = found.sub(lambda match: f"{text}\n", old) if found.search(old) else f"{old}\n{text}\n"
    FILE.write_text(new, encoding="utf-8")


def main() -> None:
    """Measure the levels that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variant")
    parser.add_argument("--games", type=int, default=20, help="of each pairing")
    parser.add_argument("--levels", type=int, nargs="+", default=[*range(1, TOP + 1)])
    parser.add_argument("--reach", type=int, default=0, help="places between opponents; 0: any")
    parser.add_argument(
        "--anchor", help="the agent that is rated 0; by default that of levels.toml"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--db", type=Path, help="store games here, and continue from it")
    parser.add_argument("--write", action="store_true", help="change levels.toml")
    given = parser.parse_args()
    variant = find_game(given.variant).name
    anchor = agent(given.anchor or rated_zero(find_game(variant)) or "random").name
    levels = [f"best:level={level}" for level in given.levels]
    text = section(variant, anchor, measure(variant, [anchor, *levels], given), given.levels)
    print(text)
    if given.write:
        write(variant, text)


if __name__ == "__main__":
    main()
