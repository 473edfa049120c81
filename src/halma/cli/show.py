"""`halma show`: draw a position."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli.seats import seat_lines, seats_of
from halma.cli.verb import JsonFlag, Variant, drawing, print_json, write_file

if TYPE_CHECKING:
    from halma.games import Move, Outcome, Position

#: number of moves or outcomes listed under a drawing
_MOST = 100


def show(
    variant: Variant,
    position: Annotated[str | None, typer.Argument(help="By default the start.")] = None,
    move: Annotated[str | None, typer.Option(help="A legal move to draw.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw to this SVG file instead.")] = None,
    json: JsonFlag = False,
) -> None:
    """Draw a position and list its legal moves or chance outcomes."""
    from halma.games import game

    chosen = game(variant)
    shown = chosen.start() if position is None else chosen.position(position)
    found = None if move is None else shown.find(move)
    if svg is not None:
        write_file(svg, shown.svg(found))
    if json:
        print_json(_as_dict(shown, found))
    elif svg is None:
        _draw(shown, found)


def _draw(position: Position, move: Move | None) -> None:
    print(drawing(position, move))
    print(position.text)
    for line in seat_lines(position.game):
        print(line)
    if move is not None:
        print(f"after {move}: {position.play(move).text}")
    elif position.is_chance:
        print("outcomes:", *_some(position.outcomes))
    elif not position.is_terminal:
        print("moves:", *_some(position.legal_moves))


def _some(items: Sequence[Move | Outcome]) -> list[str]:
    """Return the texts, cut after `_MOST`: six pieces have 720 placements."""
    texts = [item.text for item in items]
    return texts if len(texts) <= _MOST else [*texts[:_MOST], f"... ({len(texts)} in all)"]


def _as_dict(position: Position, move: Move | None) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "variant": position.game.name,
        "position": position.text,
        "mover": position.mover,
        "seats": seats_of(position.game),
        "chance": position.is_chance,
        "terminal": position.is_terminal,
        "result": list(position.result),
        "moves": [legal.text for legal in position.legal_moves],
        "outcomes": {outcome.text: outcome.probability for outcome in position.outcomes},
    }
    if move is not None:
        answer |= {"move": move.text, "after": position.play(move).text}
    return answer
