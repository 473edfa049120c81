"""`halma analyse`: evaluate the moves of a position with an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, Variant, print_answer
from halma.errors import ChanceError, GameOverError, UnknownAgentError
from halma.interrupt import interruptible

if TYPE_CHECKING:
    from halma.games import Game
    from halma.search.analysis import Analysis


def analyse(
    variant: Variant,
    position: Annotated[str, typer.Argument(help="A position as text, or 'start'.")],
    agent: Annotated[
        str | None,
        typer.Option(
            help="An agent that searches, such as mcts:sims=1000. By default optimal where a "
            "solution is available, otherwise mcts:sims=10000."
        ),
    ] = None,
    moves: Annotated[int, typer.Option(min=1, help="Number of moves to show, the best first.")] = 8,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Show the best moves of a position with their values."""
    import random

    from halma.agents import Analyst
    from halma.agents import agent as find_agent
    from halma.games import Record, game

    chosen = game(variant)
    analyst = find_agent(agent or _default_agent(chosen))
    if not isinstance(analyst, Analyst):
        raise UnknownAgentError(f"'{analyst.name}' cannot analyse a position.")
    start = chosen.start() if position == "start" else chosen.position(position)
    if start.is_chance:
        raise ChanceError(f"No player is to move in '{start.text}': an outcome of chance is next.")
    if start.is_terminal:
        raise GameOverError(f"No player is to move in '{start.text}': the game is over.")
    record = Record(chosen, start)
    found = interruptible(lambda: analyst.analyse(record, random.Random(seed)))
    answer = {"variant": chosen.name, "agent": analyst.name, "seed": seed, **found.as_dict()}
    answer["moves"] = answer["moves"][:moves]
    print_answer(json, answer, lambda: _print(found, analyst.name, moves))


def _default_agent(game: Game) -> str:
    from halma.solve.solver import is_at_hand

    return "optimal" if is_at_hand(game) else "mcts:sims=10000"


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
