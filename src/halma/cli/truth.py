"""`halma truth`: statistics of a solved variant, and grades of agents by its exact values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.progress import progress
from halma.cli.verb import (
    ClusterAddress,
    JsonFlag,
    Seed,
    check_folder_of,
    chosen_device,
    executor_for,
    note,
    print_answer,
    write_file,
)
from halma.machine import core_count

if TYPE_CHECKING:
    from halma.learn.grading import AgentGrades, Grade
    from halma.learn.grading.grades import KeptShare
    from halma.solve.truth import Truth


def truth(
    variant: Annotated[str, typer.Argument(help="A variant with a table, or a small one.")],
    agents: Annotated[
        str, typer.Option(help="Agents to compare with perfect play, separated by spaces.")
    ] = "random greedy",
    sample: Annotated[
        int, typer.Option(min=1, max=10_000_000, help="Number of positions to sample.")
    ] = 2000,
    games: Annotated[
        int,
        typer.Option(min=0, max=1_000_000, help="Games of each agent against itself; 0 for none."),
    ] = 100,
    opening_plies: Annotated[
        int | None,
        typer.Option(
            min=0, help="Random plies at their start; by default three a side, none with chance."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Worker processes; by default one per core."),
    ] = None,
    cluster: ClusterAddress = None,
    device: Annotated[str, typer.Option(help="Device of networks: auto, cpu or cuda.")] = "cpu",
    page: Annotated[
        Path | None, typer.Option(help="Write a page with the errors of agents drawn.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Write SVG files into this folder.")] = None,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Report on a solved variant and grade agents by it.

    The distribution of values, the best and worst openings, the longest certain win, and the
    share of positions in which the moves of agents keep the exact value.
    """
    from halma.games import game
    from halma.learn.grading import grade_agents
    from halma.solve import solution_for
    from halma.solve.truth import examine

    if page is not None:
        check_folder_of(page)
    names = agents.split()
    chosen = chosen_device(device)
    if cluster is None:
        workers = workers or (core_count() if chosen == "cpu" else 1)
    with executor_for(cluster, workers, device=chosen) as executor:
        solution = solution_for(game(variant))
        found = examine(solution, sample, seed, note)
        with progress("grading") as update:
            grades = grade_agents(
                solution, names, games, sample, seed, opening_plies, executor, chosen, update
            )
    if svg is not None:
        _draw(found, svg)
    if page is not None:
        from halma.learn.reports.grading_page import grading_page

        write_file(page, grading_page(found.game, grades))
    answer = {
        **found.as_dict(),
        "seed": seed,
        "agents": [one.as_dict() for one in grades if not one.error],
        "notes": [f"{one.agent}: {one.error}" for one in grades if one.error],
    }
    print_answer(json, answer, lambda: _print(found, grades))


def _draw(found: Truth, folder: Path) -> None:
    from halma.draw.svg import draw_svg
    from halma.files import make_folder
    from halma.solve.truth import histogram, opening_scene

    make_folder(folder)
    title = f"{found.game.name}: {sum(found.distribution):,} positions"
    pictures = {"values": histogram(found.distribution, title)}
    names = ("opening", "worst-opening")
    for name, opening in zip(names, found.openings, strict=False):
        pictures[name] = draw_svg(opening_scene(opening))
    if found.longest_win is not None:
        pictures["longest-win"] = found.longest_win.start.svg()
    for name, picture in pictures.items():
        write_file(folder / f"{name}.svg", picture)


def _print(found: Truth, grades: list[AgentGrades]) -> None:
    about = found.about
    print(f"{found.game.name}: {about['positions']:,} positions")
    kinds = ("wins", "draws", "losses", "between", "illegal")
    print(", ".join(f"{about[kind]:,} {kind}" for kind in kinds if about.get(kind)))
    print(f"value of the start for the first player: {about['start_value']:.9g}\n")
    print("values for the player to move:")
    _print_distribution(found.distribution)
    print(f"\nA single best move in {found.unique_best:.1%} of {found.sample:,} positions.\n")
    for opening in found.openings:
        print(f"opening {opening.position.text}, value {opening.value:.9g}:\n")
        print(opening.position, end="\n\n")
        for m in sorted(opening.moves, key=lambda m: -m.value):
            print(f"  {m.move.text:<10} {m.value:.9f}")
        print()
    line = found.longest_win
    if line is not None:
        print(f"longest certain win, {line.plies} plies from {line.start.text}:\n")
        print(line.start)
        print(f"\n  {' '.join(line.steps)}\n")
    for one in grades:
        if one.error:
            print(f"{one.agent}: {one.error}\n")
            continue
        for grade in (one.games, one.table):
            if grade is not None:
                _print_grade(one.agent, grade)


def _print_grade(name: str, grade: Grade) -> None:
    from halma.learn.grading.grades import bin_title

    print(f"{name}: how often its moves keep the value,\nin {grade.title}\n")
    print(f"  {'':<22}{'positions':>10}{'kept':>8}  {'95% interval':<16}  random move")
    _print_shares(grade.shares)
    for title, bins in (
        ("by ply, without lost", grade.by_ply),
        ("wins, by plies to go", grade.by_distance),
    ):
        if bins:
            print(f"  {title}")
            _print_shares({f"  {bin_title(first)}": share for first, share in bins.items()})
    print(f"  A move gives away {grade.mean_loss:.4f} of the value on average.")
    if grade.errors:
        worst = grade.errors[0].as_dict()
        print(
            f"  The worst: {worst['move']} in {worst['position']}, from {worst['value']:.3g} "
            f"to {worst['value_after']:.3g}; {' '.join(worst['keeping'][:4])} would keep it."
        )
    print()


def _print_shares(shares: Mapping[str, KeptShare]) -> None:
    for title, one in shares.items():
        ends = "" if one.low is None else f"[{one.low:.1%}, {one.high:.1%}]"
        print(
            f"  {title:<22}{one.positions:>10,}{one.share:>8.1%}  {ends:<16}  {one.random:>11.1%}"
        )


def _print_distribution(counts: list[int]) -> None:
    total, most = max(1, sum(counts)), max([1, *counts])
    for i, count in enumerate(counts):
        low, high = i / len(counts), (i + 1) / len(counts)
        bar = "#" * round(40 * count / most)
        print(f"  {low:.2f} to {high:.2f} {count:>14,} {count / total:>6.1%} {bar}")
