"""The typer application with all verbs.

Each verb imports what it needs when it runs, so that `halma --help` is fast.
"""

from __future__ import annotations

from importlib import import_module

import typer

from halma.cli.bench import bench
from halma.cli.verb import verb

app = typer.Typer(
    help="A laboratory for board games in which pieces hop, race and hide.",
    no_args_is_help=True,
    add_completion=False,
    # Plain help and errors, the same in a pipe and in a terminal.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

#: Each is a function in a module of its name, in the order of `halma --help`.
VERBS = (
    "games show perft check play analyse match tournament replay convert "
    "calibrate solve truth train report reproduce"
)
for name in VERBS.split():
    function = getattr(import_module(f"halma.cli.{name}"), name)
    # A depth of -1 must reach perft, whose message is better than "no such option".
    settings = {"ignore_unknown_options": True} if name == "perft" else None
    app.command(context_settings=settings)(verb(function))
app.add_typer(bench, name="bench")
