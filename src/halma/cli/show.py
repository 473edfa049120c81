"""`halma show`: draw a position."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli.verb import JsonFlag, note, print_json

if TYPE_CHECKING:
    from halma.games import Move, Outcome, Position

#: how many moves or outcomes are listed under a drawing
_MOST = 100


def show(
    variant: Annotated[str, typer.Argument(help="A variant, such as ewn-5x5-6.")],
    position: Annotated[str | None, typer.Argument(help="The start, if left out.")] = None,
    move: Annotated[str | None, typer.Option(help="A legal move to show.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file.")] = None,
    json: JsonFlag = False,
) -> None:
    """Draw a position as text or as SVG, and list what can be played there."""
    from halma.games import game

    chosen = game(variant)
    shown = chosen.start() if position is None else chosen.position(position)
    found = None if move is None else shown.find(move)
    if svg is not None:
        svg.write_text(shown.svg(found), encoding="utf-8")
        note(f"Wrote {svg}.")
    if json:
        print_json(_describe(shown, found))
    elif svg is None:
        _draw(shown, found)


def _draw(position: Position, move: Move | None) -> None:
    from halma.draw.text import draw_text

    value = None if move is None else move.value
    print(draw_text(position.game.scene(position.state, value)))
    print(position.text)
    if move is not None:
        print(f"after {move}: {position.play(move).text}")
    elif position.is_chance:
        print("outcomes:", *_some(position.outcomes))
    elif not position.is_terminal:
        print("moves:", *_some(position.legal_moves))


def _some(items: Sequence[Move | Outcome]) -> list[str]:
    """Return the first of many texts; dice and moves fit, the placements of six pieces do not."""
    texts = [item.text for item in items]
    return texts if len(texts) <= _MOST else [*texts[:_MOST], f"... ({len(texts)} in all)"]


def _describe(position: Position, move: Move | None) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "variant": position.game.name,
        "position": position.text,
        "mover": position.mover,
        "chance": position.is_chance,
        "terminal": position.is_terminal,
        "result": list(position.result),
        "moves": [legal.text for legal in position.legal_moves],
        "outcomes": {outcome.text: outcome.probability for outcome in position.outcomes},
    }
    if move is not None:
        answer |= {"move": move.text, "after": position.play(move).text}
    return answer
