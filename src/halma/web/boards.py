"""Positions as JSON: everything that a page needs to draw one and to play on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from halma.draw.palette import DEFAULT, PAINTS, PLAYERS
from halma.draw.scene import Scene
from halma.errors import HalmaError
from halma.games import Game, Position, Record
from halma.games.registry import variant as find_variant
from halma.games.saved import replay

#: Outcomes of chance that are listed; a random set-up may have hundreds.
_MOST_OUTCOMES = 64
#: why a game ended that a player gave up, as a clause
RESIGNED = "by resignation"


def find_record(variant: str, start: str | None, moves: Sequence[str]) -> Record:
    """Return the record of a game by its variant, start and moves, outcomes among them."""
    return replay(find_variant(variant), start, moves)


def board(record: Record) -> dict[str, Any]:
    """Return the current position of a record."""
    position, game = record.position, record.game
    return {
        "variant": game.name,
        "title": game.title,
        "position": position.text,
        "start": record.start.text,
        "moves": record.texts,
        "length": len(record),
        "plies": record.plies,
        "mover": position.mover,
        "chance": position.is_chance and not record.is_over,
        "over": record.is_over,
        "end": record.end,
        "result": list(record.result) if record.is_over else None,
        "max_score": game.core.max_score,
        "scene": scene_of(record),
        "legal": [] if record.is_over else legal_moves(position),
        "outcomes": [
            {"outcome": outcome.text, "probability": outcome.probability}
            for outcome in position.outcomes[:_MOST_OUTCOMES]
        ],
        "outcome_count": len(position.outcomes),
        "seats": seats(position),
        "repetitions": record.repetitions,
        "halfmove_clock": record.halfmove_clock,
    }


def legal_moves(position: Position) -> list[dict[str, Any]]:
    """Return the legal moves with their cells, first to last."""
    return [
        {"move": move.text, "cells": list(position.path(move))} for move in position.legal_moves
    ]


def scene_of(record: Record) -> dict[str, Any]:
    """Return the drawing of a record's position, with the cells of the last move as its trail."""
    scene = record.game.scene(record.core.state())
    last = next((step for step in reversed(steps(record)) if step["kind"] == "move"), None)
    return scene_json(replace(scene, trail=tuple(last["cells"]) if last else ()))


def scene_json(scene: Scene) -> dict[str, Any]:
    """Return a scene as plain values."""
    return asdict(scene)


def steps(record: Record, first: int = 0) -> list[dict[str, Any]]:
    """Return the moves and outcomes of a record from an index on, with their cells."""
    found: list[dict[str, Any]] = []
    game, core = record.game, record.core
    events = record.events
    ply = sum(not chance for chance, _ in events[:first])
    for index in range(first, len(events)):
        chance, value = events[index]
        before = Position(game, core.state_at(index))
        step: dict[str, Any] = {"kind": "chance" if chance else "move", "player": before.mover}
        if chance:
            step |= {"text": game.format_outcome(before.state, value), "cells": []}
        else:
            ply += 1
            (move,) = (move for move in before.legal_moves if move.value == value)
            step |= {"text": move.text, "cells": list(before.path(move))}
        found.append({**step, "ply": ply})
    return found


def seats(position: Position) -> list[dict[str, Any]]:
    """Return the seats: names, colours in a position, places, partners; numbered from 0."""
    game = position.game
    given = game.colours_of(position.state)
    colours = given if len(given) == game.players else game.player_names
    return [
        {
            "player": player,
            "name": game.player_names[player],
            "colour": colours[player] if colours[player] in PAINTS else None,
            "seat": game.player_seats[player] if game.player_seats else None,
            "partners": [
                other
                for side in game.partners
                if player in side
                for other in side
                if other != player
            ],
        }
        for player in range(game.players)
    ]


def outcome(game: Game, result: Sequence[float], end: str) -> str:
    """Return how a game ended, as a sentence: `end` is the reason as a clause."""
    best, least = max(result), min(result)
    if best == least:
        return f"A draw {end}."
    winners = [name for name, score in zip(game.player_names, result, strict=True) if score == best]
    if end == RESIGNED and game.sides > 2:
        # The others share what the players who gave up have lost: nobody has won.
        losers = [name for name, score in zip(game.player_names, result, strict=True) if not score]
        return f"{_listed(losers)} resigned."
    return f"{_listed(winners)} won {end}."


def _listed(names: Sequence[str]) -> str:
    """Return names as the beginning of a sentence."""
    *most, last = names
    text = f"{', '.join(most)} and {last}" if most else last
    return text[0].upper() + text[1:]


def editor(position: Position) -> dict[str, Any]:
    """Return a position in the parts that an editor changes; no pieces: it is edited as text."""
    game = position.game
    glyphs, values = game.split_position(position.text) if game.piece_kinds else ([], [])
    fields = game.position_fields
    return {
        "variant": game.name,
        "position": position.text,
        "pieces": [asdict(piece) for piece in game.piece_kinds],
        "empty": ".",
        "cells": glyphs,
        "fields": [
            {
                "name": field.name,
                "choices": list(field.choices),
                "value": values[number] if number < len(values) else "",
            }
            for number, field in enumerate(fields)
        ],
    }


def palette() -> dict[str, Any]:
    """Return the colours of drawings by name."""
    theme = {key: value for key, value in vars(DEFAULT).items() if key != "paints"}
    return {
        "paints": {name: asdict(paint) for name, paint in PAINTS.items()},
        "players": list(PLAYERS),
        "theme": {**theme, "back": asdict(DEFAULT.back)},
    }


def sentence(error: HalmaError | str) -> str:
    """Return an error as a sentence that ends."""
    text = str(error)
    return text if text.endswith((".", "!", "?")) else f"{text}."
