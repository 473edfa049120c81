"""`halma train`: train a network or a table as a recipe says."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli import completion
from halma.cli.verb import ClusterAddress, JsonFlag, connected, note, print_answer, program
from halma.errors import HalmaError

if TYPE_CHECKING:
    from halma.learn import Recipe


def train(
    recipe: Annotated[
        str,
        typer.Argument(
            help="A recipe, such as hsueh2023/ewn-3x3-3, a file.toml, or a run to continue.",
            autocompletion=completion.recipes,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Directory of the run; runs/RECIPE if left out.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another value of a setting: search.simulations=400."),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(min=1, help="Total number; an existing run can get another one."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=256, help="Number of threads; default: one per core.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The same seed repeats a table; a network, on one thread."),
    ] = None,
    device: Annotated[
        str, typer.Option(help="Where a network is trained: auto, cpu or cuda.")
    ] = "auto",
    compiled: Annotated[
        bool,
        typer.Option("--compile", help="On a GPU: torch.compile; pays off after minutes."),
    ] = False,
    minutes: Annotated[
        float | None,
        typer.Option(min=0, help="Stop after this time, with a checkpoint."),
    ] = None,
    cluster: ClusterAddress = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="With --cluster: serve Prometheus metrics here."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Train as a recipe says. The same command again continues where the last one stopped."""
    import math
    import os

    from halma.learn import train as run
    from halma.learn.recipe import parse_changes
    from halma.learn.reports.console import Console
    from halma.learn.reports.page import HtmlReport
    from halma.learn.reports.tensorboard import TensorBoard
    from halma.learn.session import for_cluster, with_iterations

    chosen, folder = _find(recipe)
    wanted = parse_changes(chosen, changes or [])
    if seed is not None:
        wanted["seed"] = seed
    chosen = chosen.changed(wanted) if wanted else chosen
    folder = out or folder
    if iterations is not None:
        chosen = with_iterations(chosen, folder, iterations)
    console = Console()
    handlers = [console, TensorBoard(folder, note), HtmlReport(folder, note)]
    if metrics_port is not None and cluster is None:
        raise HalmaError("--metrics-port is for runs with --cluster.")
    if cluster is not None:
        for_cluster(chosen)  # refuses it before the cluster is asked
    try:
        with connected(cluster, ("torch", "onnx")) as connection:
            metrics = run(
                chosen,
                folder,
                handlers,
                threads=threads or os.cpu_count() or 1,
                device=device,
                seconds=math.inf if minutes is None else 60 * minutes,
                compiled=compiled,
                cluster=connection,
                metrics_port=metrics_port,
            )
    except KeyboardInterrupt:
        _print_how_to_continue()
        raise
    answer = {"run": str(folder), "recipe": chosen.name, "settings": chosen.flat, **metrics}
    finished = metrics["iteration"] == chosen.settings.iterations
    if not metrics["iteration"]:  # there was a warm start only
        finished &= metrics["epoch"] == chosen.settings.warm_start.epochs
    print_answer(json, answer, lambda: _print_next_steps(folder, chosen, finished))


def _print_how_to_continue() -> None:
    note(f"To go on: {shlex.join([program(), *sys.argv[1:]])}")


def _print_next_steps(folder: Path, recipe: Recipe, finished: bool) -> None:
    """Print where the report is, and commands to copy."""
    from halma.learn.reports.page import NAME
    from halma.learn.run import trained_agent

    name, against = trained_agent(folder, recipe)
    if not finished and not (folder / NAME).exists():
        _print_how_to_continue()
        return
    player, here, variant = shlex.quote(name), program(), shlex.quote(recipe.game.name)
    note(f"\nCurves and more: open {folder / NAME} in a browser.")
    note(f"To play against it, and for a match with {against}:")
    note(f"  {here} play human {player} --game {variant}")
    note(f"  {here} match {player} {against} --game {variant} --games 100")
    for command in _version_matches(folder, variant):
        note(f"  {here} {command}")
    if not finished:
        _print_how_to_continue()
        return
    more = 2 * recipe.settings.iterations or 10
    note(f"To train for longer: {here} train {shlex.quote(str(folder))} --iterations {more}")


def _version_matches(folder: Path, variant: str) -> list[str]:
    """Return a command for a match between the versions of an archive, if there are two."""
    from halma.networks.finding import list_versions

    if len(list_versions(folder)) < 2:
        return []
    last, first = (shlex.quote(f"net:{folder},version={which}") for which in ("last", "first"))
    return [f"match {last} {first} --game {variant}"]


def _find(name: str) -> tuple[Recipe, Path]:
    """Return the recipe of a name, a file or a run, and the directory of its run."""
    from halma.learn.recipe import load
    from halma.learn.run import RECIPE, run_recipe

    run = Path(name)
    if (run / RECIPE).is_file():
        return run_recipe(run), run
    file = run.suffix == ".toml"
    return load(name), Path("runs") / (run.stem if file else name)
