"""`halma check`: test a game against the contract."""

from __future__ import annotations

from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, print_json


def check(
    variant: Annotated[str, typer.Argument(help="A variant, or a game in a file: nim.py:Nim.")],
    games: Annotated[int, typer.Option(min=1, help="Random games to play.")] = 20,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Test a game against the contract; exit status 1 if it fails."""
    from halma.games.conformance import check as run_check
    from halma.games.load import load

    report = run_check(load(variant), games=games, seed=seed)
    if json:
        print_json(report.as_dict())
    else:
        print(report)
    if not report.ok:
        raise SystemExit(1)
