"""`halma truth`: statistics of a solved variant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, note, print_answer, write_file

if TYPE_CHECKING:
    from halma.solve.truth import Truth


def truth(
    variant: Annotated[str, typer.Argument(help="A variant with a table, or a small one.")],
    agents: Annotated[
        str, typer.Option(help="Agents to compare with perfect play, separated by spaces.")
    ] = "random greedy",
    sample: Annotated[
        int, typer.Option(min=1, max=10_000_000, help="Number of positions to sample.")
    ] = 2000,
    svg: Annotated[Path | None, typer.Option(help="Write SVG files into this folder.")] = None,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Report what is known of a solved variant.

    The distribution of values, the best and worst openings, the longest certain win, and how
    often agents err.
    """
    from halma.agents import agent
    from halma.games import game
    from halma.solve import solution_for
    from halma.solve.truth import examine

    players = [agent(name) for name in agents.split()]
    found = examine(solution_for(game(variant)), players, sample, seed, note)
    if svg is not None:
        _draw(found, svg)
    print_answer(json, found.as_dict(), lambda: _print(found))


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


def _print(found: Truth) -> None:
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
    for errors in found.errors:
        worst = f", worst in {errors.worst}" if errors.worst else ""
        print(
            f"{errors.agent}: errs in {errors.rate:.1%} of positions, loses {errors.mean_loss:.4f} "
            f"per move, at most {errors.worst_loss:.4f}{worst}"
        )
    for text in found.notes:
        print(text)


def _print_distribution(counts: list[int]) -> None:
    total, most = max(1, sum(counts)), max([1, *counts])
    for i, count in enumerate(counts):
        low, high = i / len(counts), (i + 1) / len(counts)
        bar = "#" * round(40 * count / most)
        print(f"  {low:.2f} to {high:.2f} {count:>14,} {count / total:>6.1%} {bar}")
