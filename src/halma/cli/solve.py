"""`halma solve`: compute the exact value of every position."""

from __future__ import annotations

import re
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from halma.cli.progress import progress
from halma.cli.verb import JsonFlag, Variant, note, print_answer
from halma.errors import HalmaError
from halma.machine import core_count, in_bytes, peak_bytes

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def solve(
    variant: Variant,
    out: Annotated[
        Path | None, typer.Option(help="Directory of tables; by default $HALMA_TABLES or ./tables.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check every entry against its successors.")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Also print the value of the start as a fraction.")
    ] = False,
    pieces: Annotated[
        int | None, typer.Option(min=2, max=6, help="Solve endgames with at most this many pieces.")
    ] = None,
    distances: Annotated[
        bool,
        typer.Option(
            "--distances/--no-distances",
            help="Store distances to the end, a byte per position, or values alone, two bits.",
        ),
    ] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Solve again even if there is a table.")
    ] = False,
    memory: Annotated[str, typer.Option(help="Memory limit, such as 500M.")] = "8G",
    threads: Annotated[
        int, typer.Option(min=1, max=256, help="Threads; by default one per core.")
    ] = core_count(),
    json: JsonFlag = False,
) -> None:
    """Solve a variant exactly and write a table of values.

    An existing table is reported, not computed again. An interrupted solve continues from its
    last checkpoint. Exit status 1 if --verify finds an inconsistent entry.
    """
    from halma.games import game
    from halma.solve import solver
    from halma.solve.exact import exact_start_value, no_fractions
    from halma.solve.tables import table_path

    chosen = game(variant)
    path = table_path(chosen, out, pieces)
    if path.exists() and not again:
        note(f"'{path}' exists already.")
        solution = solver.finished_table(path, chosen)
    else:
        limit = _bytes(memory)
        engine = solver.plan(chosen, limit, threads, pieces)
        if exact and not engine.exact:
            raise no_fractions(chosen)
        note(
            f"{chosen.name}: {engine.entries:,} entries, {in_bytes(engine.bytes_needed)} "
            f"of memory; the table will be '{path}'."
        )
        with progress(chosen.name) as update:
            solution = solver.solve(
                chosen, out, limit, threads, update, note, pieces=pieces, distances=distances
            )
    answer: dict[str, Any] = {**solution.about, "peak_bytes": peak_bytes(), "table": str(path)}
    if exact:
        answer["start_value_exact"] = str(exact_start_value(solution))
    if verify:
        started = perf_counter()
        with progress(f"checking {chosen.name}") as update:
            answer["inconsistent"] = solution.verify(update)
        answer["verify_seconds"] = perf_counter() - started
    print_answer(json, answer, lambda: _print(answer))
    if answer.get("inconsistent"):
        raise SystemExit(1)


def _bytes(text: str) -> int:
    form = r"(\d{1,12}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?"
    match = re.fullmatch(form, text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise HalmaError(f"'{text[:40]}' is not an amount of memory, such as 500M or 8G.")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def _print(answer: dict[str, Any]) -> None:
    rows = []
    for key, value in answer.items():
        form = ",d" if isinstance(value, int) else ".9g" if isinstance(value, float) else ""
        rows.append((key.replace("_", " "), format(value, form)))
    left, right = (max(map(len, column)) for column in zip(*rows, strict=True))
    for name, text in rows:
        print(f"{name:<{left}}  {text:>{right}}")
