"""`halma openings`: list the openings of a game, to be used as a book."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halma.cli.progress import progress
from halma.cli.verb import JsonFlag, Variant, check_folder_of, note, print_json, write_file


def openings(
    variant: Variant,
    plies: Annotated[int, typer.Option(min=0, max=20, help="Moves of all players.")] = 3,
    depth: Annotated[
        int, typer.Option(min=0, max=100, help="Plies of the search; 0: keep all openings.")
    ] = 7,
    margin: Annotated[
        float, typer.Option(min=0, max=0.5, help="Farthest value from 0.5, an even game.")
    ] = 0.2,
    out: Annotated[Path | None, typer.Option(help="Write a book for match --book.")] = None,
    json: JsonFlag = False,
) -> None:
    """List openings that a search finds even, as a book for matches.

    An opening is a distinct position after the first moves. Those after three plies are the ballots
    of draughts tournaments. A match between two agents plays both sides of each position of a book.
    """
    from halma.arena.ballots import ballots
    from halma.games import game

    if out is not None:
        check_folder_of(out)
    chosen = game(variant)
    with progress("openings") as update:
        found = ballots(chosen, plies, depth, margin, update)
    kept = len(found.openings)
    lines = "".join(f"{opening.book_line()}\n" for opening in found.openings)
    if out is not None:
        write_file(out, lines)
    elif not json:
        print(lines, end="")
    note(
        f"{chosen.name}, {plies} plies: {found.sequences} sequences, {found.positions} positions"
        + (f", {kept} within {margin:g} of an even game" if depth else "")
        + (f"; {2 * kept} games play both sides of each." if chosen.players == 2 else ".")
    )
    if json:
        print_json(
            {
                "variant": chosen.name,
                "plies": plies,
                "depth": depth,
                "margin": margin,
                "sequences": found.sequences,
                "positions": found.positions,
                "openings": [
                    {
                        "moves": list(opening.moves),
                        "position": opening.position.text,
                        "value": opening.value,
                    }
                    for opening in found.openings
                ],
            }
        )
