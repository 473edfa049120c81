"""`halma reproduce`: run a paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halma.cli import completion
from halma.cli.arena import Workers
from halma.cli.verb import ClusterAddress, JsonFlag, Seed, executor_for, note, print_answer


def reproduce(
    paper: Annotated[
        str, typer.Argument(help="A paper, such as hsueh2023.", autocompletion=completion.papers)
    ],
    experiment: Annotated[
        str, typer.Argument(help="One of its tables or figures, such as fig8, or a group of them.")
    ] = "all",
    variant: Annotated[
        list[str] | None,
        typer.Option(help="Only this variant; may be repeated. Those of the figure if left out."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A reduction that keeps the shape; the default.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="The paper's own settings.")] = False,
    workers: Workers = None,
    cluster: ClusterAddress = None,
    device: Annotated[
        str, typer.Option(help="Where networks are trained: cpu, cuda or auto.")
    ] = "cpu",
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Threads of each run.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder of runs and pages; reports/PAPER if left out.")
    ] = None,
    adopt: Annotated[
        list[Path] | None,
        typer.Option(help="Training runs made elsewhere, or bundles of them; only read."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only jobs whose names have this part, such as simulations=6; all of several."
        ),
    ] = None,
    no_train: Annotated[
        bool,
        typer.Option("--no-train", help="Train nothing; measure runs as far as they got."),
    ] = False,
    draw: Annotated[
        bool, typer.Option("--draw", help="Run nothing; make the pages of what there is.")
    ] = False,
    kept: Annotated[
        bool,
        typer.Option("--kept", help="Run nothing; make the pages of runs kept in the package."),
    ] = False,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Run a paper's experiments and compare its numbers with ours.

    Writes a page for each table or figure. The same command continues an interrupted one.
    """
    from halma.errors import HalmaError
    from halma.lab import Workspace, find_paper
    from halma.lab import reproduce as run

    if quick and full:
        raise HalmaError("It is either --quick or --full.")
    workspace = Workspace(
        folder=out or Path("reports") / Path(paper).name,
        note=note,
        full=full or (kept and not quick),
        seed=seed,
        device=device,
        threads=threads,
        adopt=tuple(adopt or ()),
        only=tuple(only or ()),
        train=not no_train,
        draw_only=draw or kept,
        kept=find_paper(paper).kept if kept else None,
    )
    libraries = ("torch", "onnx")
    with executor_for(cluster, workers, threads, device, libraries) as workspace.workers:
        report = run(paper, workspace, experiment, tuple(variant or ()))
    print_answer(json, report.as_dict(), lambda: print(report.markdown(), end=""))
    note(f"The pages are in {workspace.pages}.")
