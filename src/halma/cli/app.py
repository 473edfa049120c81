"""The typer application with all verbs.

Each verb imports what it needs when it runs, so that `halma --help` is fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from halma import __version__
from halma.cli.bench import bench
from halma.cli.verb import verb
from halma.errors import brief

#: Wrong options and arguments. It is in typer or in click, as the version of typer has it.
_UsageError: Any = typer.BadParameter.__mro__[1]


class _Verbs(TyperGroup):
    """The verbs, with the errors of wrong options and arguments shortened."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _brief_usage_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _brief_usage_errors():
            return super().invoke(ctx)


@contextmanager
def _brief_usage_errors() -> Iterator[None]:
    try:
        yield
    except _UsageError as error:
        error.message = brief(error.message)
        raise


app = typer.Typer(
    cls=_Verbs,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    # Plain help and errors, the same in a pipe and in a terminal.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"halma {__version__}")
        raise typer.Exit


@app.callback(help="A laboratory for board games in which pieces hop, race and hide.")
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Take the options that stand before a verb."""


#: Each is a function in a module of its name, in the order of `halma --help`.
VERBS = (
    "games show perft check play analyse match tournament openings engine replay convert "
    "calibrate fit solve truth train tune report export reproduce serve"
)
for name in VERBS.split():
    function = getattr(import_module(f"halma.cli.{name}"), name)
    # A depth of -1 must reach perft, whose message is better than "no such option".
    settings = {"ignore_unknown_options": True} if name == "perft" else None
    app.command(context_settings=settings)(verb(function))
app.add_typer(bench, name="bench")
