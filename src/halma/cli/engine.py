"""`halma engine`: answer other programs over standard input and output."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from halma.cli import completion
from halma.cli.verb import Seed


def engine(
    protocol: Annotated[
        Literal["json", "hub"],
        typer.Option(help="json: analysis of any game; hub: moves for Hub."),
    ] = "json",
    agent: Annotated[
        str, typer.Option(help="The agent that answers.", autocompletion=completion.agents)
    ] = "best",
    game: Annotated[
        str | None,
        typer.Option(help="A variant, or FILE.py.", autocompletion=completion.variants),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="json: analyses at a time; by default one per core."),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Be an engine of another program: a line in, a line out.

    json analyses positions of any game, several at a time; hub plays in programs that speak the
    Hub protocol of draughts.
    """
    from halma.games import game as find_game
    from halma.games import variant_names
    from halma.machine import core_count

    if protocol == "json":
        from halma.engine.analysis import AnalysisServer

        chosen = None if game is None else find_game(game)
        AnalysisServer(chosen, agent, seed, workers or core_count()).run()
    else:
        from halma.engine.hub import HubServer

        games = map(find_game, [game] if game is not None else variant_names())
        served = next(one for one in games if game is not None or one.hub is not None)
        HubServer(served, agent, seed).run()
