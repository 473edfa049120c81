"""`halma bench`: how fast things are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, note, print_json, verb

if TYPE_CHECKING:
    from halma.bench.harness import Report, Settings

bench = typer.Typer(
    help="Measure how fast halma is.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


Quick = Annotated[bool, typer.Option("--quick", help="Seconds, not minutes.")]


def rules(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure the rules: random games, counted leaves, lists of moves.

    One thread, the best of five runs, beside OpenSpiel where it is installed and has
    the game. A figure below its goal is shown as such and is no error.
    """
    from halma.bench.rules import measure_rules

    _measure(measure_rules, quick, seed, json)


def search(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure the searches: simulations a second, memory, how they share cores.

    The best of five runs, beside OpenSpiel's MCTSBot where it is installed and has the
    game. A figure below its goal is shown as such and is no error.
    """
    from halma.bench.search import measure_search

    _measure(measure_search, quick, seed, json)


def solve(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure exact solving on two threads, and look-ups in a mapped table.

    Large variants take minutes and are left out of a quick run. A figure beyond its goal is
    shown as such and is no error.
    """
    from halma.bench.solve import measure_solve

    _measure(measure_solve, quick, seed, json)


def tabular(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure tabular AlphaZero: an iteration, a match against perfect play, threads, memory.

    The best of five runs; a quick one plays a tenth of the games and leaves memory out. A
    figure beyond its goal is shown as such and is no error.
    """
    from halma.bench.tabular import ABOUT_PAPER, measure_tabular

    _measure(measure_tabular, quick, seed, json, ABOUT_PAPER)


def selfplay(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure self-play: the pool alone, and what it leaves of a judge's speed.

    The pool alone runs on one thread, beside a judge it uses every core. A figure below its
    goal is shown as such and is no error.
    """
    from halma.bench.selfplay import measure_selfplay

    _measure(measure_selfplay, quick, seed, json)


def _measure(
    measure: Callable[[Settings, int, Callable[[str], None]], Report],
    quick: bool,
    seed: int,
    json: bool,
    peer: str | None = None,
) -> None:
    from halma.bench import peers
    from halma.bench.harness import FULL, QUICK, machine
    from halma.bench.table import print_rows

    about = {**machine(), "peer": peer or peers.about()}
    report = measure(QUICK if quick else FULL, seed, note)
    if json:
        print_json({**about, **report.as_dict()})
    else:
        print_rows(about, report)


bench.command()(verb(rules))
bench.command()(verb(search))
bench.command()(verb(solve))
bench.command()(verb(tabular))
bench.command()(verb(selfplay))
