"""`halma replay`: list and draw stored games."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli.verb import JsonFlag, print_json, write_file
from halma.errors import HalmaError

if TYPE_CHECKING:
    from halma.arena.replay import Replay
    from halma.arena.store import GameStore


def replay(
    db: Annotated[Path, typer.Argument(help="A file of games, written with --db.")],
    game: Annotated[int | None, typer.Argument(help="The id of a game in the file.")] = None,
    match: Annotated[int | None, typer.Option(help="List the games of this match.")] = None,
    ply: Annotated[
        int | None, typer.Option(min=0, help="Draw the position after this ply.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Draw that position, or the last one, to this SVG file.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """List stored matches and games, or draw a game move by move."""
    from halma.arena.replay import replay_game
    from halma.arena.store import GameStore

    if game is None and (ply is not None or svg is not None):
        raise HalmaError("--ply and --svg need the id of a game.")
    if game is not None and match is not None:
        raise HalmaError("Give a game or --match, not both.")
    with GameStore(db, read_only=True) as store:
        if game is None:
            _list(store, match, json)
            return
        replayed = replay_game(store, game)
    if ply is not None and ply > replayed.plies:
        raise HalmaError(f"Game {game} has {replayed.plies} plies, so there is no ply {ply}.")
    if svg is not None:
        write_file(svg, replayed.at_ply(ply).svg())
    if json:
        print_json(_as_dict(replayed, ply))
    elif ply is not None:
        print(replayed.at_ply(ply))
    elif svg is None:
        _draw(replayed)


def _list(store: GameStore, match: int | None, json: bool) -> None:
    matches = store.matches()
    if match is not None:
        matches = [stored for stored in matches if stored.id == match]
        if not matches:
            raise HalmaError(f"There is no match {match} in '{store.path}'.")
    listed: list[dict[str, Any]] = [
        {"match": stored.id, "begun": stored.begun, "games": stored.games, "plan": stored.plan}
        for stored in matches
    ]
    games: list[dict[str, Any]] = [
        {
            "id": identifier,
            "number": played.number,
            "agents": list(played.agents),
            "plies": played.plies,
            "result": list(played.result),
            "end": played.end,
        }
        for stored in (matches if match is not None else [])
        for identifier, played in store.games(stored.id)
    ]
    if json:
        print_json({"matches": listed, "games": games})
        return
    if not listed:
        print("The file has no matches.")
    for entry in listed:
        plan = entry["plan"]
        print(
            f"match {entry['match']}: {' - '.join(plan['agents'])}  ({plan['game']}, "
            f"seed {plan['seed']})  {entry['games']} games, started {entry['begun']}"
        )
    for row in games:
        scores = " ".join(f"{score:g}" for score in row["result"])
        print(f"{row['id']:>6}  {' - '.join(row['agents'])}: {scores}, {row['plies']} plies")


def _as_dict(replayed: Replay, ply: int | None) -> dict[str, Any]:
    return {
        "id": replayed.id,
        "match": replayed.match,
        "variant": replayed.game.name,
        **asdict(replayed.played),
        "ply": replayed.plies if ply is None else ply,
        "position": replayed.at_ply(ply).text,
    }


def _draw(replayed: Replay) -> None:
    from halma.draw.text import draw_text

    played, names = replayed.played, replayed.game.player_names
    print(f"game {replayed.id}: {' - '.join(played.agents)}  ({replayed.game.name})\n")
    number = 0
    for event, (before, step) in enumerate(replayed.steps):
        opening = ", opening" if event < played.opening else ""
        if before.is_chance:
            print(f"chance: {step.text}\n")
            continue
        number += 1
        who = f"{names[before.mover]} ({played.agents[before.mover]}{opening})"
        print(f"{number}. {who}: {step.text}\n")
        print(draw_text(before.game.scene(before.state, step.value)), end="\n\n")
    print(replayed.at_ply(None))
    print(f"\nOver after {played.plies} plies, {played.end}.")
    for name, who, score in zip(names, played.agents, played.result, strict=True):
        print(f"{name} ({who}): {score:g}")
