"""`halma analyse`: evaluate the moves of a position with an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, Variant, print_answer
from halma.errors import ChanceError, GameOverError, UnknownAgentError

if TYPE_CHECKING:
    from halma.search.analysis import Analysis


def analyse(
    variant: Variant,
    position: Annotated[str, typer.Argument(help="A position as text, or 'start'.")],
    agent: Annotated[
        str,
        typer.Option(help="An agent that searches, such as mcts:sims=1000 or best:time=5."),
    ] = "best",
    moves: Annotated[int, typer.Option(min=1, help="Number of moves to show, the best first.")] = 8,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Show the best moves of a position with their values."""
    import random

    from halma.agents import Analyst, player_of
    from halma.agents import agent as find_agent
    from halma.games import Record, game

    chosen = game(variant)
    named = find_agent(agent)
    if not isinstance(named, Analyst):
        raise UnknownAgentError(f"'{named.name}' cannot analyse a position.")
    start = chosen.start() if position == "start" else chosen.position(position)
    if start.is_chance:
        raise ChanceError(f"No player is to move in '{start.text}': an outcome of chance is next.")
    if start.is_terminal:
        raise GameOverError(f"No player is to move in '{start.text}': the game is over.")
    record = Record(chosen, start)
    analyst = player_of(named, record)
    assert isinstance(analyst, Analyst)
    found = analyst.analyse(record, random.Random(seed))
    answer = {"variant": chosen.name, "agent": analyst.name, "seed": seed, **found.as_dict()}
    answer["moves"] = answer["moves"][:moves]
    print_answer(json, answer, lambda: _print(found, analyst.name, moves))


def _print(found: Analysis, name: str, most: int) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    print(found.position, end="\n\n")
    table = Table(title=escape(name), title_justify="left")
    for heading in ("move", "value", "visits", "prior"):
        table.add_column(heading, justify="left" if heading == "move" else "right", no_wrap=True)
    table.add_column("line")
    for report in found.moves[:most]:
        table.add_row(*map(escape, report.cells().values()))
    console = Console(highlight=False)
    console.print(table)
    if len(found.moves) > most:
        console.print(f"and {len(found.moves) - most} more moves")
    console.print(found.effort)
