"""All verbs in one application.

Each verb imports what it needs when it runs, so that `halma --help` is quick.
"""

from __future__ import annotations

import typer

from halma.cli.analyse import analyse
from halma.cli.bench import bench
from halma.cli.check import check
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
    # Plain help and errors: one line each, the same in a pipe and in a terminal.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

app.command()(verb(games))
app.command()(verb(show))
# A depth of -1 must reach the verb, which has a better answer than "no such option".
app.command(context_settings={"ignore_unknown_options": True})(verb(perft))
app.command()(verb(check))
app.command()(verb(play))
app.command()(verb(analyse))
app.command()(verb(match))
app.command()(verb(tournament))
app.command()(verb(replay))
app.command()(verb(reproduce))
app.command()(verb(solve))
app.command()(verb(train))
app.command()(verb(report))
app.command()(verb(truth))
app.add_typer(bench, name="bench")
