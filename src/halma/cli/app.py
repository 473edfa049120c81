"""The typer application with all verbs.

Each verb imports what it needs when it runs, so that `halma --help` is fast.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

from halma.cli.analyse import analyse
from halma.cli.bench import bench
from halma.cli.check import check
from halma.cli.convert import convert
from halma.cli.games import games
from halma.cli.match import match
from halma.cli.perft import perft
from halma.cli.play import play
from halma.cli.replay import replay
from halma.cli.report import report
from halma.cli.reproduce import reproduce
from halma.cli.show import show
from halma.cli.solve import solve
from halma.cli.tournament import tournament
from halma.cli.train import train
from halma.cli.truth import truth
from halma.cli.verb import verb

app = typer.Typer(
    help="A laboratory for board games in which pieces hop, race and hide.",
    no_args_is_help=True,
    add_completion=False,
    # Plain help and errors, the same in a pipe and in a terminal.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

#: in the order of `halma --help`
VERBS: tuple[Callable[..., None], ...] = (
    games,
    show,
    perft,
    check,
    play,
    analyse,
    match,
    tournament,
    replay,
    convert,
    solve,
    truth,
    train,
    report,
    reproduce,
)
for function in VERBS:
    # A depth of -1 must reach perft, whose message is better than "no such option".
    settings = {"ignore_unknown_options": True} if function is perft else None
    app.command(context_settings=settings)(verb(function))
app.add_typer(bench, name="bench")
