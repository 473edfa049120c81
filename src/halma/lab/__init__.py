"""Papers reproduced: a package for each, with its experiments and what the paper says of them."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from importlib import import_module
from itertools import chain

from halma.errors import HalmaError, suggestion
from halma.lab.experiment import Paper
from halma.lab.report import PaperReport
from halma.lab.workspace import Workspace
from halma.machine import require

#: Where networks can be trained.
DEVICES = ("auto", "cpu", "cuda")

__all__ = ["Workspace", "find_paper", "paper_names", "reproduce"]


def reproduce(
    paper: str, workspace: Workspace, experiment: str = "all", variants: Sequence[str] = ()
) -> PaperReport:
    """Run a paper's experiments and write a page for each; return the report.

    Results are kept in the workspace: what an interrupted call has done is not done again. With
    several experiments, the report is the overview of all of them.
    """
    found = find_paper(paper)
    if workspace.device not in DEVICES:
        raise HalmaError(
            f"Networks are not trained on '{workspace.device[:40]}': it is {' or '.join(DEVICES)}."
        )
    experiments = found.choose(experiment, variants, workspace.full)
    needed = dict.fromkeys(chain.from_iterable(chosen.libraries for chosen in experiments))
    require(*(library for library in needed if library == "matplotlib" or not workspace.draw_only))
    failed = workspace.run_all(
        lambda: chain.from_iterable(chosen.jobs(workspace) for chosen in experiments)
    )
    reports = {}
    for chosen in experiments:
        report = reports[chosen.file] = found.report(chosen, workspace, failed)
        workspace.note(f"{chosen.title}: {workspace.pages / chosen.file}.html")
    if failed:
        workspace.note(f"{len(failed)} jobs failed; the same command runs them again.")
    return report if len(reports) == 1 else found.overview(reports, workspace, experiment)


def paper_names() -> list[str]:
    """Return the names of the papers."""
    return [module.name for module in pkgutil.iter_modules(__path__) if module.ispkg]


def find_paper(name: str) -> Paper:
    """Return a paper by its name, which is that of a package in this one."""
    names = paper_names()
    if name not in names:
        raise HalmaError(
            f"There is no paper '{name[:60]}' to reproduce.{suggestion(name, names)} "
            f"There are {', '.join(names)}."
        )
    paper: Paper = import_module(f"{__name__}.{name}").PAPER
    return paper
