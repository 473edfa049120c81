"""`halma reproduce`: run a paper's experiments again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, note, print_json


def reproduce(
    paper: Annotated[str, typer.Argument(help="A paper, such as he2016.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the report; reports/PAPER if left out.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few games: to see that it runs.")] = False,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Run a paper's experiments again and write a report, figures side by side.

    The same command goes on where an interrupted one stopped.
    """
    from halma.lab import reproduce as run

    folder = out or Path("reports") / Path(paper).name
    report = run(paper, folder, quick=quick, seed=seed, note=note)
    if json:
        print_json(report.as_dict())
    else:
        print(report.markdown(), end="")
    note(f"The report is in {folder}.")
