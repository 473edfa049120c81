"""`halma perft`: count leaves of the game tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli.verb import JsonFlag, Variant, note, print_json
from halma.errors import HalmaError

if TYPE_CHECKING:
    from halma.games import Position


def perft(
    variant: Variant,
    depth: Annotated[int, typer.Argument(help="Number of plies.")],
    position: Annotated[str | None, typer.Option(help="By default the start.")] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also count below each move.")] = False,
    json: JsonFlag = False,
) -> None:
    """Count the leaves of the game tree at each depth.

    Every chance outcome is followed, but is not a ply.
    """
    from halma._core import MAX_PERFT
    from halma.games import game

    if not 0 <= depth <= MAX_PERFT:
        raise HalmaError(f"A depth is a whole number from 0 to {MAX_PERFT}, not {depth}.")
    chosen = game(variant)
    root = chosen.start() if position is None else chosen.position(position)
    nodes = []
    for d in range(1, depth + 1):
        nodes.append(_count(root, d))
        line = f"{d:>3} {nodes[-1]:>22,}"
        note(line) if json else print(line, flush=True)
    answer: dict[str, Any] = {"variant": chosen.name, "position": root.text, "nodes": nodes}
    if divide:
        answer["divide"] = _divide(root, depth)
    if json:
        print_json(answer)
    elif divide:
        for text, count in answer["divide"].items():
            print(f"{text:>12} {count:>22,}")


def _divide(root: Position, depth: int) -> dict[str, int]:
    """Count the leaves below each move, or below each outcome at a chance node."""
    if depth == 0:
        return {}
    if root.is_chance:
        return {o.text: _count(root.resolve(o), depth) for o in root.outcomes}
    return {m.text: _count(root.play(m), depth - 1) for m in root.legal_moves}


def _count(position: Position, depth: int) -> int:
    return position.perft(depth)
