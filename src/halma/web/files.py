"""Files of games: read from the text of a request, written as the text of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from starlette.responses import PlainTextResponse

from halma.errors import HalmaError
from halma.games import pdn
from halma.games.registry import variant as find_variant
from halma.games.saved import SavedGame, read_json_lines

#: Games of one text that are read.
_MOST_GAMES = 500


def attachment(saved: SavedGame, form: str) -> PlainTextResponse:
    """Return a game as a file to be saved, JSON lines or PDN."""
    text = saved.json_line() if form == "jsonl" else pdn.from_saved(saved).write()
    headers = {"Content-Disposition": f'attachment; filename="game.{form}"'}
    return PlainTextResponse(text.encode(errors="replace"), headers=headers)


def read_games(text: str, variant: str | None) -> dict[str, Any]:
    """Return the games of a text, and a sentence for each that cannot be read."""
    game = None if variant is None else find_variant(variant)
    read = read_json_lines if text.lstrip().startswith("{") else pdn.saved_games
    found: Iterator[SavedGame | HalmaError] = read(text, game)
    games: list[dict[str, Any]] = []
    errors: list[str] = []
    for one in islice(found, _MOST_GAMES):
        if isinstance(one, HalmaError):
            errors.append(str(one))
        else:
            games.append(saved_json(one))
            errors += one.warnings
    if next(found, None) is not None:
        errors.append(f"The text has more than {_MOST_GAMES} games: the others are left out.")
    return {"games": games, "errors": errors}


def saved_json(saved: SavedGame) -> dict[str, Any]:
    """Return a game of a file as plain values."""
    return {**saved.as_dict(), "title": saved.record.game.title}
