"""Play an agent against others and print a strength table for a model card.

    python scripts/strength_table.py net:rhombus-7x7-6,sims=180 greedy minimax:depth=4 \
        --game rhombus-7x7-6 --games 300 --opening-plies 6 --db build/strength.db

Each row is `halma match AGENT OPPONENT` with the same options. With --db, matches that were
interrupted go on, and those that are there are not played again.
"""

from __future__ import annotations

import argparse
import os
import shlex
from contextlib import nullcontext
from pathlib import Path

from halma.arena import GameStore, Tally, make_plan, play_matches

HEADER = "| against | wins | draws | losses | points, 95% interval | plies |"
RULE = "|---|---|---|---|---|---|"


def row(opponent: str, tally: Tally) -> str:
    """Return a line of the table."""
    score, counts = tally.score, tally.all
    low, high = score.interval or (0.0, 1.0)
    cells = (
        f"`{opponent}`",
        counts.wins,
        counts.draws,
        counts.losses,
        f"{score.value:.1%}, {low:.1%} to {high:.1%}",
        f"{tally.plies / tally.games:.0f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Play the matches; print the commands and the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agent", help="the agent that is measured")
    parser.add_argument("opponents", nargs="+")
    parser.add_argument("--game", required=True)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--opening-plies", type=int, help="random plies at the start of a game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--db", type=Path, help="store games here, and continue from it")
    given = parser.parse_args()
    options = ["--game", given.game, "--games", str(given.games), "--seed", str(given.seed)]
    if given.opening_plies is not None:
        options += ["--opening-plies", str(given.opening_plies)]
    lines = []
    for opponent in given.opponents:
        plan = make_plan(given.game, [given.agent, opponent], given.seed, given.opening_plies)
        with nullcontext() if given.db is None else GameStore(given.db) as store:
            (tally,) = play_matches([plan], given.games, given.workers, store)
        print("   ", shlex.join(["halma", "match", given.agent, opponent, *options]), flush=True)
        lines.append(row(opponent, tally))
    print("", HEADER, RULE, *lines, sep="\n")


if __name__ == "__main__":
    main()
