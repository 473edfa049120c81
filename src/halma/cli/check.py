"""`halma check`: does a game keep the contract?"""

from __future__ import annotations

from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, print_json


def check(
    variant: Annotated[str, typer.Argument(help="A variant, or a game of your own.")],
    games: Annotated[int, typer.Option(min=1, help="Random games to look at.")] = 20,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Run the conformance check on a game; exit status 1 if it fails."""
    from halma.games.check import check as run_check
    from halma.games.check import load

    game = load(variant)
    report = run_check(game, games=games, seed=seed)
    if json:
        items = [{"name": i.name, "ok": i.ok, "failures": list(i.failures)} for i in report.items]
        print_json({"variant": game.name, "ok": report.ok, "seed": seed, "items": items})
    else:
        for item in report.items:
            print(f"{'ok  ' if item.ok else 'FAIL'} {item.name}")
            for failure in item.failures:
                print(f"       {failure}")
    if not report.ok:
        raise SystemExit(1)
