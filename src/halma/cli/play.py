"""`halma play`: play one game in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli import completion
from halma.cli.verb import GameName, JsonFlag, Seed, print_answer

if TYPE_CHECKING:
    from halma.agents import Step
    from halma.games import Record


def play(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="One agent for each player, in order.", autocompletion=completion.agents
        ),
    ],
    game: GameName,
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
    seats = zip(record.game.player_names, players, strict=False)
    names = [f"{seat} ({player.name})" for seat, player in seats]
    end = "by the ply limit"
    try:
        for step in play_game(record, players, seed, most_plies=plies):
            if not json and not quiet:
                draw_step(step, record.plies, names[step.before.mover])
    except LeftError:
        end = "because a player left"
    end = record.end or end
    answer = {
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
    print_answer(json, answer, lambda: print_end(record, end, names))


def draw_step(step: Step, number: int, who: str) -> None:
    """Print a chance outcome as a line; draw a move on the position before it."""
    from halma.draw.text import draw_text

    before = step.before
    if before.is_chance:
        print(f"chance: {step.played}\n")
    else:
        print(f"{number}. {who}: {step.played}\n")
        print(draw_text(before.game.scene(before.state, step.played.value)), end="\n\n")


def print_end(
    record: Record, end: str, names: Sequence[str], scores: Sequence[float] | None = None
) -> None:
    """Draw the last position and print the result, the record's own unless `scores` are given."""
    print(record.position)
    print(f"\nOver after {record.plies} plies, {end}.")
    for name, score in zip(names, scores or record.result, strict=True):
        print(f"{name}: {score:g}")
