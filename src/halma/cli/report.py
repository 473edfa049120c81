"""`halma report`: a training run as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, note, print_answer


def report(
    run: Annotated[Path, typer.Argument(help="The directory of a run, such as runs/NAME.")],
    out: Annotated[
        Path | None, typer.Option(help="The file; report.html in the run's directory if left out.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Write the report of a training run as one HTML file.

    It shows curves, settings and the largest errors. Training writes it too, now and then and at
    its end.
    """
    from halma.learn.reports.page import NAME, write_report

    path = out or run / NAME
    view = write_report(run, out=path)
    answer = {"report": str(path), **view.facts}
    print_answer(json, answer, lambda: note(f"Wrote {path}; open it in a browser."))
