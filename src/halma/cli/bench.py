"""`halma bench`: measure the speed of halma."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, note, print_json, verb

if TYPE_CHECKING:
    from halma.bench.harness import Effort
    from halma.bench.report import Measurement

    Benchmark = Callable[[Effort, int], Iterator[Measurement | str]]

bench = typer.Typer(
    help="Measure the speed of halma. A value that misses its goal is no error.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Quick = Annotated[bool, typer.Option("--quick", help="Measure for seconds, not minutes.")]


def rules(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure the rules: random games, perft, move lists.

    One thread, the best of five rounds, beside OpenSpiel where it is installed and has the
    game.
    """
    from halma.bench.rules import measure_rules

    _measure(measure_rules, quick, seed, json)


def search(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure the searches: simulations per second, memory, scaling over two cores.

    The best of five rounds, beside OpenSpiel's MCTSBot where it is installed and has the
    game.
    """
    from halma.bench.search import measure_search

    _measure(measure_search, quick, seed, json)


def solve(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure exact solving on two threads, and look-ups in a mapped table.

    Large variants take minutes and are left out of a quick run.
    """
    from halma.bench.solve import measure_solve

    _measure(measure_solve, quick, seed, json)


def tabular(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure tabular AlphaZero: an iteration, a match against perfect play, threads, memory.

    The best of five rounds; a quick run plays a tenth of the games and leaves memory out.
    """
    from halma.bench.tabular import ABOUT_PAPER, measure_tabular

    _measure(measure_tabular, quick, seed, json, ABOUT_PAPER)


def selfplay(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
    """Measure self-play: the pool alone on one thread, and with a network on every core."""
    from halma.bench.selfplay import measure_selfplay

    _measure(measure_selfplay, quick, seed, json)


def _measure(
    benchmark: Benchmark, quick: bool, seed: int, json: bool, peer: str | None = None
) -> None:
    from halma.bench import peers
    from halma.bench.harness import FULL, QUICK, machine
    from halma.bench.report import BenchReport

    about = {**machine(), "peer": peer or peers.about()}
    report = BenchReport.collect(benchmark(QUICK if quick else FULL, seed), note)
    if json:
        print_json({**about, **report.as_dict()})
    else:
        report.print(about)


for command in (rules, search, solve, tabular, selfplay):
    bench.command()(verb(command))
