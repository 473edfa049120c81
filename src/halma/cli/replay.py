"""`halma replay`: list and draw stored games."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli.play import draw_step, print_end
from halma.cli.verb import JsonFlag, print_json, write_file
from halma.errors import HalmaError

if TYPE_CHECKING:
    from halma.arena.store import GameStore, Replay

#: what a list shows of a game
_LISTED = ("number", "agents", "plies", "result", "end")


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
    from halma.arena.store import GameStore, replay_game

    if game is None and (ply is not None or svg is not None):
        raise HalmaError("--ply and --svg need the id of a game.")
    if game is not None and match is not None:
        raise HalmaError("Give a game or --match, not both.")
    with GameStore(db, read_only=True) as store:
        if game is None:
            _list(store, match, json)
            return
        replayed = replay_game(store, game)
    plies = replayed.played.plies
    if ply is not None and ply > plies:
        raise HalmaError(f"Game {game} has {plies} plies, so there is no ply {ply}.")
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
        {"id": identifier, **{name: getattr(played, name) for name in _LISTED}}
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
        "variant": replayed.record.game.name,
        **asdict(replayed.played),
        "ply": replayed.played.plies if ply is None else ply,
        "position": replayed.at_ply(ply).text,
    }


def _draw(replayed: Replay) -> None:
    played, game = replayed.played, replayed.record.game
    print(f"game {replayed.id}: {' - '.join(played.agents)}  ({game.name})\n")
    seats = list(zip(game.player_names, played.agents, strict=True))
    number = 0
    for event, step in enumerate(replayed.steps):
        number += not step.before.is_chance
        seat, name = seats[step.before.mover]
        opening = ", opening" if event < played.opening else ""
        draw_step(step, number, f"{seat} ({name}{opening})")
    print_end(replayed.record, played.end, [f"{seat} ({name})" for seat, name in seats])
