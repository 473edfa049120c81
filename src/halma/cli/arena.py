"""What `match` and `tournament` share: options, and how they tell of their progress."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import note

if TYPE_CHECKING:
    from halma.arena import GameStore, Plan, Tally
    from halma.arena.matches import Watch

GameName = Annotated[str, typer.Option(help="A variant, such as ewn-5x5-6.")]
OpeningPlies = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Random moves before agents take over; two for each player if left out, or "
        "none where chance or a book makes games differ.",
    ),
]
Book = Annotated[
    Path | None, typer.Option(help="Start from the positions of this file, one a line.")
]
Plies = Annotated[int, typer.Option(min=1, help="Stop a game after so many moves.")]
Workers = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Processes that play; one a core if left out.")
]
Database = Annotated[
    Path | None,
    typer.Option(help="Store games in this file, and go on where it stopped."),
]

#: seconds between lines about progress where there is no terminal to draw a bar in
_PAUSE = 10


def processes(workers: int | None) -> int:
    """Return how many processes to play with."""
    return workers or len(os.sched_getaffinity(0))


def book_positions(book: Path | None, game: str) -> list[str]:
    """Read a book, if there is one."""
    from halma.arena.openings import read_book
    from halma.games.load import load

    return [] if book is None else read_book(book, load(game))


def whole_sets(plan: Plan, games: int) -> int:
    """Return the number of games of whole sets, and say so where it is another."""
    whole = plan.games_for(games)
    if whole != games:
        note(f"Games come in sets of {plan.set_size}, so {whole} are played, not {games}.")
    return whole


@contextmanager
def maybe_store(path: Path | None) -> Iterator[GameStore | None]:
    """Open a file of games, if one is wanted."""
    from halma.arena import GameStore

    if path is None:
        yield None
        return
    with GameStore(path) as store:
        yield store


class Clock:
    """Counts the games of this run, as opposed to those it found, and the time they took."""

    def __init__(self) -> None:
        self.found: int | None = None
        self.games = 0
        self.began = time.perf_counter()

    def watch(self, tallies: Sequence[Tally]) -> None:
        """Look at how many games there are; the first look is at what was found."""
        self.games = sum(tally.games for tally in tallies)
        if self.found is None:
            self.found = self.games

    def as_dict(self) -> dict[str, float]:
        """Return the figures for JSON."""
        seconds = time.perf_counter() - self.began
        played = self.games - (self.found or 0)
        return {
            "games_played_now": played,
            "seconds": seconds,
            "games_per_second": played / seconds,
        }


@contextmanager
def progress(total: int, clock: Clock) -> Iterator[Watch]:
    """Show on standard error how far it is: a bar in a terminal, else a line now and then."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _lines(total, clock)
        return
    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task("", total=total)

        def watch(tallies: Sequence[Tally]) -> None:
            clock.watch(tallies)
            bar.update(task, completed=clock.games, description=_standing(tallies))

        yield watch


def _lines(total: int, clock: Clock) -> Watch:
    last = time.monotonic()

    def watch(tallies: Sequence[Tally]) -> None:
        nonlocal last
        clock.watch(tallies)
        if time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            note(f"{clock.games} of {total} games  {_standing(tallies)}".rstrip())

    return watch


def _standing(tallies: Sequence[Tally]) -> str:
    """Return the score of a match so far; a tournament has too many."""
    if len(tallies) > 1 or not tallies[0].games:
        return ""
    games = tallies[0].all
    return f"+{games.wins} ={games.draws} -{games.losses}  {tallies[0].scores[0]:.1%}"
