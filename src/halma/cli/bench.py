"""`halma bench`: how fast things are."""

from __future__ import annotations

from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, note, print_json, verb

bench = typer.Typer(
    help="Measure how fast halma is.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def rules(
    quick: Annotated[bool, typer.Option("--quick", help="Seconds, not minutes.")] = False,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Measure the rules: random games, counted leaves, lists of moves.

    One thread, the best of five runs, beside OpenSpiel where it is installed and has
    the game. A figure below its goal is shown as such and is no error.
    """
    from halma.bench import peers
    from halma.bench.harness import FULL, QUICK, machine
    from halma.bench.rules import measure_rules
    from halma.bench.table import print_rows

    about = {**machine(), "peer": peers.about()}
    report = measure_rules(QUICK if quick else FULL, seed, note)
    if json:
        print_json({**about, **report.as_dict()})
    else:
        print_rows(about, report)


# A callback keeps `rules` a verb of its own while it is the only one.
@bench.callback()
def _bench() -> None:
    pass


bench.command()(verb(rules))
