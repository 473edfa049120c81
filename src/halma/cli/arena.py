"""Options that `match` and `tournament` share, and playing with a progress display."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli.progress import progress
from halma.cli.verb import chosen_device, executor_for, note

if TYPE_CHECKING:
    from halma.arena import Plan, Sprt, Tally

OpeningPlies = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Random plies at the start of a game; by default two for each player, or none "
        "with a book or in a game of chance.",
    ),
]
Book = Annotated[Path | None, typer.Option(help="A file of start positions, one per line.")]
Plies = Annotated[int, typer.Option(min=1, help="Stop a game after this many plies.")]
Workers = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="Worker processes; by default one per core."),
]
Device = Annotated[
    str,
    typer.Option(
        help="Where networks are evaluated: cpu, cuda or auto. On a GPU a worker plays up to 256 "
        "games at the same time, and rounding differs with them."
    ),
]
Database = Annotated[
    Path | None,
    typer.Option(help="Store games in this file, and continue a match found in it."),
]


def book_positions(book: Path | None, game: str) -> list[str]:
    """Read a book, if one is given."""
    from halma.arena.openings import read_book
    from halma.games import game as find_game

    return [] if book is None else read_book(book, find_game(game))


def play(
    plans: Sequence[Plan],
    games: int,
    workers: int | None,
    db: Path | None,
    sprt: Sprt | None = None,
    device: str = "cpu",
    cluster: str | None = None,
) -> tuple[list[Tally], dict[str, Any]]:
    """Play matches; return their tallies, and the facts of this run for JSON."""
    from halma.arena import GameStore, play_matches

    device = chosen_device(device)
    each = plans[0].games_for(games)
    if each != games:
        note(f"Games come in {set_name(plans[0])}, so {each} are played, not {games}.")
    counts: list[int] = []
    began = time.perf_counter()
    libraries = () if device == "cpu" else ("torch",)
    with (
        executor_for(cluster, workers, device=device, libraries=libraries) as executor,
        nullcontext() if db is None else GameStore(db) as store,
        progress("games") as update,
    ):

        def watch(tallies: Sequence[Tally]) -> None:
            # The first call counts the games that were found in the store.
            counts.append(sum(tally.games for tally in tallies))
            update(counts[-1], each * len(plans), _score(tallies))

        tallies = play_matches(plans, games, executor, store, sprt, watch, device)
        number = executor if isinstance(executor, int) else executor.workers
        matches = [] if store is None else [store.match_of(plan) for plan in plans]
    seconds, played = time.perf_counter() - began, counts[-1] - counts[0]
    return tallies, {
        "games_played_now": played,
        "seconds": seconds,
        "games_per_second": played / seconds,
        "workers": number,
        "stored": None if db is None else {"db": str(db), "matches": matches},
    }


def set_name(plan: Plan, number: int = 2) -> str:
    """Return what this number of sets of a plan is called."""
    end = "" if number == 1 else "s"
    return f"pair{end}" if plan.set_size == 2 else f"set{end} of {plan.set_size}"


def _score(tallies: Sequence[Tally]) -> str:
    """Return the score of a single match so far, or an empty string."""
    if len(tallies) > 1 or not tallies[0].games:
        return ""
    games = tallies[0].all
    return f"+{games.wins} ={games.draws} -{games.losses}  {tallies[0].scores[0]:.1%}"
