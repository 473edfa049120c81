"""The seats of a game: who sits where, in which colour, and with whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from halma.games import Game


def seats_of(game: Game) -> list[dict[str, Any]]:
    """Return a game's seats for JSON; players are numbered from 1."""
    coloured = len(game.player_colours) == game.players
    return [
        {
            "player": player + 1,
            "name": game.player_names[player],
            "colour": game.player_colours[player] if coloured else None,
            "seat": game.player_seats[player] if game.player_seats else None,
            "partners": [other + 1 for other in _partners(game, player)],
        }
        for player in range(game.players)
    ]


def seat_lines(game: Game, agents: Sequence[str] = ()) -> list[str]:
    """Return a line for each seat of a game for more than two; none for other games."""
    if game.players <= 2:
        return []
    columns = [list(game.seat_names), list(game.player_seats), list(agents)]
    if game.teams:
        columns.append(
            [
                "partner: " + ", ".join(game.seat_names[other] for other in _partners(game, player))
                for player in range(game.players)
            ]
        )
    shown = [column for column in columns if column]
    widths = [max(map(len, column)) for column in shown]
    return [
        "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*shown, strict=True)
    ]


def _partners(game: Game, player: int) -> list[int]:
    """Return the other players of a player's team."""
    (side,) = (side for side in game.partners if player in side)
    return [other for other in side if other != player]
