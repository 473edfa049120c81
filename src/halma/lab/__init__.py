"""One module per paper: what it claimed, and how we run it again."""

from __future__ import annotations

from halma.errors import HalmaError, suggestion
from halma.lab.report import Report
from halma.lab.request import Request

#: paper -> its module in this package, which has a `reproduce` like the one below
PAPERS = ("he2016", "hsueh2023")


def reproduce(paper: str, request: Request) -> Report:
    """Run a paper's experiments again and write the report into the request's folder.

    What was measured is kept there, so that a run that was interrupted goes on where it
    stopped.
    """
    if paper not in PAPERS:
        raise HalmaError(
            f"There is no paper '{paper[:60]}' to reproduce.{suggestion(paper, PAPERS)} "
            f"There are {', '.join(PAPERS)}."
        )
    if request.quick and request.full:
        raise HalmaError("It is either --quick or --full.")
    if paper == "he2016":
        from halma.lab import he2016

        return he2016.reproduce(request)
    from halma.lab import hsueh2023

    return hsueh2023.reproduce(request)
