"""Progress on standard error: a bar in a terminal, otherwise a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from halma.cli.verb import note

#: seconds between lines where standard error is no terminal
_PAUSE = 10


class Update(Protocol):
    """The function that a block calls to report its progress."""

    def __call__(self, done: int, total: int, text: str = "") -> None:
        """Show the work done, the total, and a text about it."""


@contextmanager
def progress(name: str) -> Iterator[Update]:
    """Show the progress of something while the block runs."""
    if sys.stderr.isatty():
        with _bar(name) as update:
            yield update
        return
    last = time.monotonic()

    def lines(done: int, total: int, text: str = "") -> None:
        nonlocal last
        if time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            note(f"{name}: {done:,} of {total:,}  {text}".rstrip())

    yield lines


@contextmanager
def _bar(name: str) -> Iterator[Update]:
    from rich import progress as parts
    from rich.console import Console
    from rich.markup import escape

    with parts.Progress(
        parts.TextColumn(escape(name)),
        parts.BarColumn(),
        parts.MofNCompleteColumn(),
        parts.TimeElapsedColumn(),
        parts.TimeRemainingColumn(),
        parts.TextColumn("{task.description}", markup=False),
        console=Console(stderr=True, highlight=False),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None)

        def update(done: int, total: int, text: str = "") -> None:
            bar.update(task, completed=done, total=total, description=text)

        yield update
