"""`halma play`: play one game in the terminal."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli import completion
from halma.cli.seats import seat_lines, seats_of
from halma.cli.verb import GameName, JsonFlag, check_seed, drawing, note, print_answer
from halma.errors import HalmaError
from halma.interrupt import exit_status
from halma.structure import whole

if TYPE_CHECKING:
    from halma.agents import Step
    from halma.cli.live_game import LiveGame
    from halma.games import Record

#: Seeds that are drawn are below this: short enough to be typed.
_SEEDS = 1_000_000


def play(
    game: GameName,
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            help="One agent for each player, in order. Seats left open after human play best; "
            "without agents you have the first.",
            autocompletion=completion.agents,
        ),
    ] = None,
    position: Annotated[str | None, typer.Option(help="Start from this position.")] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Save the game here after every move, or continue the one saved here."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(callback=check_seed, help="Seed of the random numbers; drawn unless given."),
    ] = None,
    plies: Annotated[int, typer.Option(min=1, help="Stop after this many plies.")] = 2000,
    quiet: Annotated[bool, typer.Option("--quiet", help="Draw the last position only.")] = False,
    json: JsonFlag = False,
) -> None:
    """Play a game between agents and draw it; the agent human is you."""
    from halma.agents import agent, check_seats
    from halma.agents.external import ExternalAgent
    from halma.cli.live_game import LiveGame

    record, seed = _begin(game, position, save, seed)
    named = agents or ["human"]
    if "human" in named:
        named = [*named, *["best"] * (record.game.players - len(named))]
    players = [agent(name) for name in named]
    check_seats(record.game, players)
    for player in players:
        if isinstance(player, ExternalAgent):
            player.check(record.game)
    live = LiveGame(record, players, seed, save)
    seats = zip(record.game.seat_names, live.names, strict=True)
    names = [f"{seat} ({name})" for seat, name in seats]
    person = any(live.persons)
    if person:
        begun = f", continued after {record.plies} plies" if record.plies else ""
        told = f"{record.game.title}, {record.game.name}, seed {seed}{begun}"
        if lines := seat_lines(record.game, live.names):
            note("\n".join([f"{told}:", *lines]))
        else:
            note(f"{told}: {', '.join(names)}.")

    def watch(step: Step) -> None:
        if not (json or quiet or person):
            draw_step(step, record.plies, names[step.before.mover])

    live.play(plies, watch)
    if live.result is not None:
        for line in live.last_moves:
            note(line)
    answer = {
        "variant": record.game.name,
        "agents": live.names,
        "seats": seats_of(record.game),
        "seed": seed,
        "start": record.start.text,
        "moves": record.texts,
        "plies": record.plies,
        "position": record.position.text,
        "end": live.end,
        "result": None if live.result is None else list(live.result),
    }
    print_answer(json, answer, lambda: _print_result(live, names))
    if live.result is None:
        note(live.continuation)
    if live.interrupted:
        raise SystemExit(exit_status())


def _begin(
    variant: str, position: str | None, save: Path | None, seed: int | None
) -> tuple[Record, int]:
    """Return the record of a new game or of the saved one, and the seed."""
    from halma.cli.live_game import load_saved
    from halma.games import Record
    from halma.games import game as find_game

    game = find_game(variant)
    start = None if position is None else game.position(position)
    drawn = random.SystemRandom().randrange(_SEEDS) if seed is None else seed
    saved = None if save is None else load_saved(save, game)
    if saved is None:
        return Record(game, start), drawn
    if start not in (None, saved.record.start):
        raise HalmaError(f"The game in '{save}' starts from another position.")
    first = saved.facts.get("seed", drawn)
    return saved.record, int(first) if seed is None and not whole()(first) else drawn


def _print_result(live: LiveGame, names: Sequence[str]) -> None:
    if live.result is not None:
        print_end(live.record, live.end, names, live.result)
    else:
        print(f"Stopped after {live.record.plies} plies, {live.end}.")
    print(f"seed {live.seed}")


def draw_step(step: Step, number: int, who: str) -> None:
    """Print a chance outcome as a line; draw a move on the position before it."""
    from halma.games import Move

    if isinstance(step.played, Move):
        print(f"{number}. {who}: {step.played}\n")
        print(drawing(step.before, step.played), end="\n\n")
    else:
        print(f"chance: {step.played}\n")


def print_end(
    record: Record, end: str, names: Sequence[str], scores: Sequence[float] | None = None
) -> None:
    """Draw the last position and print the result, the record's own unless `scores` are given."""
    print(drawing(record.position))
    print(f"\nOver after {record.plies} plies, {end}.")
    for name, score in zip(names, scores or record.result, strict=True):
        print(f"{name}: {score:g}")
