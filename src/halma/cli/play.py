"""`halma play`: play one game in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, print_json

if TYPE_CHECKING:
    from halma.agents import Agent, Step
    from halma.games import Record


def play(
    agents: Annotated[list[str], typer.Argument(help="One agent for each player, in order.")],
    game: Annotated[str, typer.Option(help="A variant, such as ewn-5x5-6.")],
    seed: Seed = 0,
    plies: Annotated[int, typer.Option(min=1, help="Stop after this many plies.")] = 2000,
    quiet: Annotated[bool, typer.Option("--quiet", help="Draw the last position only.")] = False,
    json: JsonFlag = False,
) -> None:
    """Play a game between agents and draw it."""
    from halma.agents import LeftError, agent, play_game
    from halma.games import Record
    from halma.games import game as find_game

    players = [agent(name) for name in agents]
    record = Record(find_game(game))
    end = "by the ply limit"
    try:
        for step in play_game(record, players, seed, most_plies=plies):
            if not json and not quiet:
                _draw(step, record, players)
    except LeftError:
        end = "because a player left"
    end = record.end or end
    if json:
        print_json(
            {
                "variant": record.game.name,
                "agents": [player.name for player in players],
                "seed": seed,
                "start": record.start.text,
                "moves": record.texts,
                "plies": record.plies,
                "position": record.position.text,
                "end": end,
                "result": list(record.result),
            }
        )
        return
    print(record.position)
    print(f"\nOver after {record.plies} plies, {end}.")
    for number, score in enumerate(record.result):
        print(f"{_who(record, players, number)}: {score:g}")


def _draw(step: Step, record: Record, players: list[Agent]) -> None:
    """Print a chance outcome as a line; draw a move on the position before it."""
    from halma.draw.text import draw_text

    before = step.before
    if before.is_chance:
        print(f"chance: {step.played}\n")
    else:
        print(f"{record.plies}. {_who(record, players, before.mover)}: {step.played}\n")
        print(draw_text(before.game.scene(before.state, step.played.value)), end="\n\n")


def _who(record: Record, players: list[Agent], number: int) -> str:
    return f"{record.game.player_names[number]} ({players[number].name})"
