"""`halma solve`: exact values of every position."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli.verb import JsonFlag, note, print_json
from halma.errors import HalmaError
from halma.machine import peak_bytes

if TYPE_CHECKING:
    from halma.solve.solution import Progress

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def solve(
    variant: Annotated[str, typer.Argument(help="A variant, such as ewn-3x3-3.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of tables; $HALMA_TABLES or ./tables if left out.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check every entry against its successors.")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Also give the value of the start as a fraction.")
    ] = False,
    pieces: Annotated[
        int | None, typer.Option(min=2, max=6, help="Solve endings with so many pieces only.")
    ] = None,
    distances: Annotated[
        bool,
        typer.Option(
            "--distances/--no-distances",
            help="Keep how far the end is, a byte a position, or values alone, two bits.",
        ),
    ] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Solve even if there is a table already.")
    ] = False,
    memory: Annotated[str, typer.Option(help="Memory it may take, such as 500M.")] = "8G",
    threads: Annotated[
        int, typer.Option(min=1, max=256, help="Threads to work with; one a core if left out.")
    ] = os.cpu_count() or 1,
    json: JsonFlag = False,
) -> None:
    """Solve a variant exactly and keep the table; exit status 1 if --verify finds fault.

    A table that is there already is reported, not made again. A solve that was stopped
    goes on where it was.
    """
    from halma.games import game
    from halma.solve import solver
    from halma.solve.exact import exact_start_value, no_fractions
    from halma.solve.tables import open_table, table_path

    chosen = game(variant)
    path = table_path(chosen, out, pieces)
    if path.exists() and not again:
        note(f"'{path}' is there already.")
        solution = open_table(path, chosen)
    else:
        limit = _bytes(memory)
        plan = solver.plan(chosen, limit, threads, pieces)
        if exact and not plan.engine.exact:
            raise no_fractions(chosen)
        note(
            f"{chosen.name}: {plan.positions:,} entries, {solver.in_bytes(plan.bytes_needed)} "
            f"of memory; the table goes to '{path}'."
        )
        with _progress_bar(chosen.name) as progress:
            solution = solver.solve(
                chosen, out, limit, threads, progress, note, pieces=pieces, distances=distances
            )
    answer: dict[str, Any] = {**solution.about, "peak_bytes": peak_bytes(), "table": str(path)}
    if exact:
        fraction = str(exact_start_value(solution))
        answer |= {"start_value_exact": fraction, "mean_start_value_exact": fraction}
    if verify:
        started = perf_counter()
        with _progress_bar(f"checking {chosen.name}") as progress:
            answer["inconsistent"] = solution.verify(progress)
        answer["verify_seconds"] = perf_counter() - started
    if json:
        print_json(answer)
    else:
        _print(answer)
    if answer.get("inconsistent"):
        raise SystemExit(1)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise HalmaError(f"'{text[:40]}' is no amount of memory; write 500M or 8G.")
    return int(float(match[1]) * _UNITS[match[2].upper()])


@contextmanager
def _progress_bar(name: str) -> Iterator[Progress]:
    """Show how far it is, on standard error, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Remaining

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        Remaining(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print(answer: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    for key, value in answer.items():
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        shown = f"{value:.9g}" if isinstance(value, float) else shown
        table.add_row(key.replace("_", " "), shown)
    Console(highlight=False).print(table)
