"""`halma tune`: search for better settings of a recipe."""

from __future__ import annotations

import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli import completion
from halma.cli.verb import (
    ClusterAddress,
    JsonFlag,
    Seed,
    executor_for,
    note,
    print_answer,
    program,
)
from halma.errors import OptionError, suggestion

if TYPE_CHECKING:
    from halma.tune.plan import TuningPlan
    from halma.tune.result import TuningResult


def tune(
    recipe: Annotated[
        str,
        typer.Argument(
            help="A recipe, such as quick, or a file.toml.", autocompletion=completion.recipes
        ),
    ],
    metric: Annotated[
        str,
        typer.Option(help="strength, which is measured by matches, or a key of metrics.jsonl."),
    ],
    keys: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            help="A setting to tune, as often as you like: learning.rate, or with other values "
            "learning.rate=1e-4..1e-2. Left out: all that make sense.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another value of a setting in all trials: game=ewn-3x3-2."),
    ] = None,
    maximize: Annotated[bool, typer.Option("--maximize", help="More of it is better.")] = False,
    minimize: Annotated[bool, typer.Option("--minimize", help="Less of it is better.")] = False,
    trials: Annotated[
        int | None,
        typer.Option(min=1, max=100_000, help="Total number, 40 if left out; can be raised later."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Iterations of a trial; the recipe's if left out.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Time of a trial, the same for all.")
    ] = None,
    sampler: Annotated[
        str, typer.Option(help="tpe, random, or pbt: population-based training.")
    ] = "tpe",
    pruner: Annotated[
        str, typer.Option(help="What ends hopeless trials early: median, halving or none.")
    ] = "median",
    population: Annotated[
        int | None, typer.Option(min=2, max=1000, help="Runs of pbt; 8 if left out.")
    ] = None,
    stretch: Annotated[
        int | None,
        typer.Option(min=1, help="Iterations between exchanges of pbt; a tenth if left out."),
    ] = None,
    sprt: Annotated[
        str, typer.Option(help="The test of strength, as in halma match.")
    ] = "elo0=0,elo1=50",
    games: Annotated[
        int, typer.Option(min=2, max=1_000_000, help="Most games of a match of strength.")
    ] = 400,
    confirm: Annotated[
        int, typer.Option(min=0, max=1000, help="Seeds that the best is trained anew with.")
    ] = 3,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Trials side by side; default: all cores.")
    ] = None,
    cluster: ClusterAddress = None,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads of a trial.")] = 1,
    device: Annotated[
        str, typer.Option(help="Where networks are trained: auto, cpu or cuda.")
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Folder of the tuning; tuning/RECIPE if left out.")
    ] = None,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Search for better settings of a recipe. The same command again goes on after Ctrl-C.

    Every trial is a run directory. The best settings are confirmed with other seeds, and written
    as a recipe beside a report.
    """
    from halma.arena.sprt import parse_sprt
    from halma.cli.progress import progress
    from halma.learn.recipe import load, parse_changes
    from halma.tune.plan import PRUNERS, SAMPLERS, TuningPlan, find_direction
    from halma.tune.space import tuned_keys
    from halma.tune.tuning import tune as run

    _check_word("--sampler", sampler, SAMPLERS)
    _check_word("--pruner", pruner, PRUNERS)
    by_population = sampler == "pbt"
    if by_population and trials is not None:
        raise OptionError("The runs of pbt are counted by --population: leave out --trials.")
    if not by_population and (population, stretch) != (None, None):
        raise OptionError("--population and --stretch are for --sampler pbt.")
    chosen = load(recipe)
    chosen = chosen.changed(parse_changes(chosen, changes or []))
    direction = find_direction(chosen, metric, maximize, minimize)
    length = iterations or chosen.settings.iterations
    plan = TuningPlan(
        recipe=chosen,
        keys=tuned_keys(chosen, keys or (), minutes is not None, by_population),
        metric=metric,
        direction=direction,
        sampler=sampler,
        pruner=pruner,
        iterations=iterations,
        seconds=math.inf if minutes is None else 60 * minutes,
        seed=seed,
        population=population or 8,
        stretch=stretch or max(1, length // 10),
        sprt=parse_sprt(sprt),
        games=games,
    )
    folder = out or Path("tuning") / (Path(recipe).stem if recipe.endswith(".toml") else recipe)
    command = shlex.join([program(), *sys.argv[1:]])
    libraries: tuple[str, ...] = ("torch", "onnx")
    if chosen.method == "tabular":
        device, libraries = "cpu", ()
    try:
        with (
            executor_for(cluster, workers, threads, device, libraries) as place,
            progress("iterations" if by_population else "trials") as update,
        ):
            result = run(
                plan,
                folder,
                trials=trials or 40,
                confirm_seeds=confirm,
                workers=place,
                threads=threads,
                device=device,
                update=lambda done, total, text: update(int(done), total, text),
                note=note,
                command=command,
            )
    except KeyboardInterrupt:
        note(f"To go on: {command}")
        raise
    print_answer(json, result.as_dict(), lambda: _print(plan, result, folder))


def _check_word(option: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        near = suggestion(word, known)
        raise OptionError(f"'{option}' cannot be '{word}': it is one of {', '.join(known)}.{near}")


def _print(plan: TuningPlan, result: TuningResult, folder: Path) -> None:
    """Print the best settings, what confirmed them, and where the rest is."""
    from halma.learn.settings import write_value
    from halma.tune.folder import BEST, REPORT
    from halma.tune.strength import MATCH, match_text

    best = result.best
    if best is None:
        print("No trial ran to its end.")
        return
    what = "Elo above the recipe" if plan.by_matches else plan.metric
    print(f"{len(result.trials)} trials; best: trial {best.number}, {what} {best.value:.4g}")
    if best.number == 0:
        print("No trial was better than the recipe as it is.")
    for key, value in result.settings(best).items():
        print(f"  {key:<28} {write_value(value):<14} was {write_value(plan.recipe.flat[key])}")
    if MATCH in best.user_attrs:
        match = best.user_attrs[MATCH]
        print(f"Against trial {match['opponent']}: {match_text(match)}")
    if result.confirmation is not None:
        print(result.confirmation.text(plan))
    note(f"\nThe report: open {folder / REPORT} in a browser.")
    note(f"To train with the best settings: {program()} train {shlex.quote(str(folder / BEST))}")
