"""`halma replay`: list and draw the games of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli.play import draw_step, print_end
from halma.cli.verb import JsonFlag, drawing, print_json, write_file
from halma.errors import HalmaError, brief

if TYPE_CHECKING:
    from halma.arena import GameStore
    from halma.games import Game, Position, Record
    from halma.games.saved import SavedGame

#: what a list shows of a stored game
_LISTED = ("number", "agents", "plies", "result", "end")


def replay(
    file: Annotated[Path, typer.Argument(help="A match database, or any other file of games.")],
    game: Annotated[int | None, typer.Argument(help="Id or number of a game in the file.")] = None,
    match: Annotated[int | None, typer.Option(help="List the games of this match.")] = None,
    rules: Annotated[
        str | None, typer.Option("--game", help="The variant, if the file does not tell it.")
    ] = None,
    ply: Annotated[
        int | None, typer.Option(min=0, help="Draw the position after this ply.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Draw that position, or the last one, to this SVG file.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """List matches and games of a file, or draw a game move by move."""
    from halma.arena import GameStore
    from halma.arena.saved import saved_game
    from halma.cli.game_files import find_game, is_database
    from halma.games import game as find_rules

    if game is None and (ply is not None or svg is not None):
        raise HalmaError("--ply and --svg need the id of a game.")
    if game is not None and match is not None:
        raise HalmaError("Give a game or --match, not both.")
    if not is_database(file):
        variant = None if rules is None else find_rules(rules)
        if game is None:
            _list_file(file, variant, match, json)
            return
        saved = find_game(file, variant, game)
    else:
        with GameStore(file, read_only=True) as store:
            if game is None:
                _list(store, match, json)
                return
            saved = saved_game(store, game)
    record = saved.record
    if ply is not None and ply > record.plies:
        raise HalmaError(f"Game {game} has {record.plies} plies, so there is no ply {ply}.")
    position = _at_ply(record, ply)
    if svg is not None:
        write_file(svg, position.svg())
    if json:
        at = {"ply": record.plies if ply is None else ply, "position": position.text}
        print_json({**saved.as_dict(), **at})
    elif ply is not None:
        print(drawing(position))
    elif svg is None:
        _draw(saved)


def _list_file(path: Path, game: Game | None, match: int | None, json: bool) -> None:
    """List the games of a file that is not a match database."""
    from halma.cli.game_files import read_games

    games: list[dict[str, Any]] = []
    for number, found in enumerate(read_games(path, game, match), 1):
        if isinstance(found, HalmaError):
            games.append({"id": number, "error": str(found)})
        else:
            row = found.as_dict()
            games.append({"id": number, **{key: row[key] for key in ("variant", *_LISTED[1:])}})
    if not any("variant" in row for row in games):
        why = f" {games[0]['error']}" if games else ""
        raise HalmaError(f"There are no games in '{path}'.{why}")
    if json:
        print_json({"matches": [], "games": games})
        return
    for row in games:
        if "error" in row:
            print(brief(f"{row['id']:>6}  cannot be read: {row['error']}"))
            continue
        names = f"{' - '.join(row['agents'])}: " if row["agents"] else ""
        scores = " ".join(f"{score:g}" for score in row["result"] or ()) or "no result"
        line = f"{row['id']:>6}  {names}{scores}, {row['plies']} plies  ({row['variant']})"
        print(brief(line))


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


def _at_ply(record: Record, ply: int | None) -> Position:
    """Return the decision position after this number of moves; the last position for None."""
    if ply is None or ply >= record.plies:
        return record.position
    return [before for before in record.positions[:-1] if not before.is_chance][ply]


def _draw(saved: SavedGame) -> None:
    from halma.agents import Step

    record, opening = saved.record, saved.facts.get("opening")
    agents = [brief(name) for name in saved.agents]
    title = f": {' - '.join(agents)}" if agents else ""
    print(f"game {saved.number}{title}  ({record.game.name})\n")
    names = agents or [""] * record.game.players
    seats = list(zip(record.game.seat_names, names, strict=True))
    number = 0
    for event, (before, text) in enumerate(zip(record.positions, record.texts, strict=False)):
        number += not before.is_chance
        played = before.find_outcome(text) if before.is_chance else before.find(text)
        is_opening = isinstance(opening, int) and event < opening
        who = _with_notes(*seats[before.mover], "opening" if is_opening else "")
        draw_step(Step(before, played), number, who)
    if saved.result is None:
        print(
            f"{drawing(record.position)}\n\nThe file has {record.plies} plies of it, and no result."
        )
    else:
        end = brief(saved.end) or "by resignation or agreement"
        print_end(record, end, [_with_notes(*seat) for seat in seats], saved.result)


def _with_notes(seat: str, *notes: str) -> str:
    """Return the name of a seat with notes in brackets, those that are not empty."""
    given = ", ".join(filter(None, notes))
    return f"{seat} ({given})" if given else seat
