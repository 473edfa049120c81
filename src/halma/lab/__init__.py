"""One module per paper: what it claimed, and how we run it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from halma.errors import HalmaError, suggestion
from halma.lab.report import Report

#: paper -> its module in this package, which has a `reproduce` like the one below
PAPERS = ("he2016",)


def reproduce(
    paper: str, folder: Path, *, quick: bool, seed: int, note: Callable[[str], None]
) -> Report:
    """Run a paper's experiments again and write the report into a folder.

    What was measured is kept there, so that a run that was interrupted goes on where it
    stopped.
    """
    if paper not in PAPERS:
        raise HalmaError(
            f"There is no paper '{paper[:60]}' to reproduce.{suggestion(paper, PAPERS)} "
            f"There is {', '.join(PAPERS)}."
        )
    from halma.lab import he2016

    return he2016.reproduce(folder, quick=quick, seed=seed, note=note)
