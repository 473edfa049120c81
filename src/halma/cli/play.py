"""`halma play`: a game between agents, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, print_json

if TYPE_CHECKING:
    from halma.agents import Agent
    from halma.games import Record


def play(
    agents: Annotated[list[str], typer.Argument(help="One agent per player, first player first.")],
    game: Annotated[str, typer.Option(help="A variant, such as ewn-5x5-6.")],
    seed: Seed = 0,
    plies: Annotated[int, typer.Option(min=1, help="Stop after so many moves.")] = 2000,
    quiet: Annotated[bool, typer.Option("--quiet", help="Draw nothing but the end.")] = False,
    json: JsonFlag = False,
) -> None:
    """Play a game between agents and draw it."""
    from halma.agents import agent, play_game
    from halma.games import game as find_game

    players = [agent(name) for name in agents]
    for record in play_game(find_game(game), players, seed, most_plies=plies):
        if not json and not quiet:
            _draw_last(record, players)
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
                "end": record.end or "by the ply limit",
                "result": list(record.result),
            }
        )
    else:
        if quiet:
            print(record.position)
        _print_result(record, players)


def _draw_last(record: Record, players: list[Agent]) -> None:
    if len(record):
        before = record.positions[-2]
        who = "chance" if before.is_chance else _who(record, players, before.mover)
        print(f"\n{record.plies}. {who}: {record.texts[-1]}")
    print(record.position)


def _print_result(record: Record, players: list[Agent]) -> None:
    print(f"\nOver after {record.plies} plies, {record.end or 'by the ply limit'}.")
    for number, score in enumerate(record.result):
        print(f"{_who(record, players, number)}: {score:g}")


def _who(record: Record, players: list[Agent], number: int) -> str:
    return f"{record.game.player_names[number]} ({players[number].name})"
