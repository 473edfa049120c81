"""`halma check`: test a game against the contract."""

from __future__ import annotations

from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, print_answer


def check(
    variant: Annotated[str, typer.Argument(help="A variant, or a game in a file: nim.py:Nim.")],
    games: Annotated[int, typer.Option(min=1, help="Random games to play.")] = 20,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Test a game against the contract; exit status 1 if it fails.

    Then list which optional hooks the game offers, and what it costs to be without the others.
    """
    from dataclasses import asdict

    from halma.games import game
    from halma.games.conformance import check as run_check
    from halma.games.hooks import describe_hooks, hooks_of

    chosen = game(variant)
    report = run_check(chosen, games=games, seed=seed)
    hooks = hooks_of(chosen)
    answer = {**report.as_dict(), "hooks": [asdict(hook) for hook in hooks]}
    print_answer(json, answer, lambda: print(report, describe_hooks(hooks), sep="\n"))
    if not report.ok:
        raise SystemExit(1)
