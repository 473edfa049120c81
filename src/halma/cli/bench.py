"""`halma bench`: measure the speed of halma."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, note, print_answer, verb

bench = typer.Typer(
    help="Measure the speed of halma. A value that misses its goal is no error.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Quick = Annotated[bool, typer.Option("--quick", help="Measure for seconds, not minutes.")]

#: Each is a module of halma.bench with a function of the name measure_NAME.
BENCHMARKS = {
    "rules": """Measure the rules: random games, perft, move lists.

    One thread, the best of five rounds, beside OpenSpiel where it is installed and has the game.
    """,
    "search": """Measure the searches: speed, memory, scaling over two cores.

    The best of five rounds, beside OpenSpiel's MCTSBot where it is installed and has the game.
    """,
    "solve": """Measure exact solving and look-ups.

    Solving runs on two threads, look-ups in a mapped table. Large variants take minutes and are
    left out of a quick run.
    """,
    "tabular": """Measure tabular AlphaZero: speed, threads, memory.

    The best of five rounds, beside the times of hsueh2023. A quick run plays a tenth of the
    games and leaves memory out.
    """,
    "selfplay": """Measure self-play: the pool alone, and with a network.

    The pool alone runs on one thread, with a network on every core.
    """,
    "training": """Measure training with a network: steps, and a run.

    On a GPU with the recipe rhombus-7x7-6, otherwise with quick. A quick measurement has no run.
    """,
    "cluster": """Measure self-play on a Ray cluster within this machine.

    With Ray and without, two nodes against one, and the games that a run takes in from 10, 100 and
    1,000 workers which send games played before. A quick run leaves out the last.
    """,
    "web": """Measure the server of the page: 50 people who play at once.

    They play against levels of several games for a minute, or for seconds in a quick run.
    """,
}


def _add_command(name: str, about: str) -> None:
    def measure(quick: Quick = False, seed: Seed = 0, json: JsonFlag = False) -> None:
        from halma.bench import peers
        from halma.bench.harness import FULL, QUICK, BenchReport, machine

        module = import_module(f"halma.bench.{name}")
        benchmark = getattr(module, f"measure_{name}")
        peer = getattr(module, "PEER", None) or peers.about()
        setting = {**machine(), "peer": peer}
        report = BenchReport.collect(benchmark(QUICK if quick else FULL, seed), note)
        print_answer(json, {**setting, **report.as_dict()}, lambda: report.print(setting))

    bench.command(name, help=about)(verb(measure))


for name, about in BENCHMARKS.items():
    _add_command(name, about)
