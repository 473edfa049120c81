"""Options and progress display that `match` and `tournament` share."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
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
        help="Random plies at the start of a game; by default two for each player, or none "
        "with a book or in a game of chance.",
    ),
]
Book = Annotated[Path | None, typer.Option(help="A file of start positions, one per line.")]
Plies = Annotated[int, typer.Option(min=1, help="Stop a game after this many plies.")]
Workers = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="Processes that play; by default one per core."),
]
Database = Annotated[
    Path | None,
    typer.Option(help="Store games in this file, and continue a match found in it."),
]

#: seconds between lines of progress where standard error is no terminal
_PAUSE = 10


def worker_count(workers: int | None) -> int:
    """Return the number of processes to play with."""
    return workers or len(os.sched_getaffinity(0))


def book_positions(book: Path | None, game: str) -> list[str]:
    """Read a book, if one is given."""
    from halma.arena.openings import read_book
    from halma.games.load import load

    return [] if book is None else read_book(book, load(game))


def whole_sets(plan: Plan, games: int) -> int:
    """Return the number of games rounded up to whole sets, with a note if it differs."""
    whole = plan.games_for(games)
    if whole != games:
        note(f"Games come in sets of {plan.set_size}, so {whole} are played, not {games}.")
    return whole


def open_store(path: Path | None) -> GameStore | nullcontext[None]:
    """Open a file of games, if one is given."""
    from halma.arena import GameStore

    return nullcontext() if path is None else GameStore(path)


class Throughput:
    """Counts the games that were played in this run, without those found in a store."""

    def __init__(self) -> None:
        self.found: int | None = None
        self.games = 0
        self.began = time.perf_counter()

    def update(self, tallies: Sequence[Tally]) -> None:
        """Count the games; the first call counts those found."""
        self.games = sum(tally.games for tally in tallies)
        if self.found is None:
            self.found = self.games

    def as_dict(self) -> dict[str, float]:
        """Return games and seconds for JSON."""
        seconds = time.perf_counter() - self.began
        played = self.games - (self.found or 0)
        return {
            "games_played_now": played,
            "seconds": seconds,
            "games_per_second": played / seconds,
        }


@contextmanager
def progress(total: int, throughput: Throughput) -> Iterator[Watch]:
    """Show progress on standard error: a bar in a terminal, otherwise a line now and then."""
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
        yield _lines(total, throughput)
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
            throughput.update(tallies)
            bar.update(task, completed=throughput.games, description=_score(tallies))

        yield watch


def _lines(total: int, throughput: Throughput) -> Watch:
    last = time.monotonic()

    def watch(tallies: Sequence[Tally]) -> None:
        nonlocal last
        throughput.update(tallies)
        if time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            note(f"{throughput.games} of {total} games  {_score(tallies)}".rstrip())

    return watch


def _score(tallies: Sequence[Tally]) -> str:
    """Return the score of a single match so far, or an empty string."""
    if len(tallies) > 1 or not tallies[0].games:
        return ""
    games = tallies[0].all
    return f"+{games.wins} ={games.draws} -{games.losses}  {tallies[0].scores[0]:.1%}"
