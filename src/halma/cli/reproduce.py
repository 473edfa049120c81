"""`halma reproduce`: run a paper's experiments again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, note, print_json


def reproduce(
    paper: Annotated[str, typer.Argument(help="A paper: he2016 or hsueh2023.")],
    experiment: Annotated[
        str | None,
        typer.Argument(help="One of its experiments, such as fig8; all if left out."),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(help="Only this variant; may be repeated. Those of the figure if left out."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Much less of everything: to see the shape.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="hsueh2023: the paper's settings instead of --quick.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", "--threads", min=1, max=256, help="Processes; one a core if left out."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the report; reports/PAPER if left out.")
    ] = None,
    adopt: Annotated[
        list[Path] | None,
        typer.Option(help="Directory of finished runs that need not be run again; is only read."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Train only runs with this in their names, such as simulations=6."),
    ] = None,
    draw: Annotated[
        bool, typer.Option("--draw", help="Run nothing; draw what there is, unfinished or not.")
    ] = False,
    runs: Annotated[
        list[Path] | None,
        typer.Option(help="With the experiment 'default': a directory of runs to put in a table."),
    ] = None,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Run a paper's experiments again and write a report, figures side by side.

    The same command goes on where an interrupted one stopped. hsueh2023 is run with --quick
    unless --full is given, he2016 in full unless --quick is.
    """
    from halma.errors import HalmaError
    from halma.lab import reproduce as run
    from halma.lab.request import Request

    if (experiment == "default") != bool(runs):
        raise HalmaError("'default' makes a table of the runs in a directory: --runs DIR.")
    if runs:
        _print_table(runs, json)
        return
    folder = out or Path("reports") / Path(paper).name
    request = Request(
        folder,
        note,
        experiment=experiment,
        quick=quick,
        full=full,
        seed=seed,
        variants=tuple(variant or ()),
        workers=workers,
        adopt=tuple(adopt or ()),
        only=tuple(only or ()),
        draw_only=draw,
    )
    report = run(paper, request)
    if json:
        print_json(report.as_dict())
    else:
        print(report.markdown(), end="")
    note(f"The report is in {folder}.")


def _print_table(runs: list[Path], json: bool) -> None:
    """Print how training runs ended."""
    from halma.lab.run_table import markdown, run_rows

    rows = run_rows(runs)
    if json:
        print_json({"runs": rows})
    else:
        print(markdown(rows))
