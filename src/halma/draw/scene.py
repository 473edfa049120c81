"""A position as an abstract drawing.

A game describes a position as a `Scene`; `text` and `svg` draw scenes of any game.
Coordinates: x to the right, y down, neighbouring cells of a row one unit apart, and rows
one unit apart too. On a board of holes every other row is shifted by half a unit of x, so
that a hole at (x, y) has neighbours at (x ± 1, y), (x ± 1/2, y - 1) and (x ± 1/2, y + 1);
`svg` moves rows closer together, so that all six are equally far away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

#: x, y, text
Label = tuple[float, float, str]


@dataclass(frozen=True)
class Cell:
    """A cell of the board."""

    x: float
    y: float
    name: str
    # plain, dark, light, or "home 1" to "home 6" in the pale colour of that player;
    # a dark cell shows its name in its corner, a cell without a name is not playable
    tint: str = "plain"


@dataclass(frozen=True)
class Piece:
    """A piece on the cell of that number."""

    cell: int
    # a colour name of draw.palette ("player 1" to "player 6" are names too),
    # or "hidden" for a face-down piece
    colour: str
    # its character in text
    glyph: str
    # its label in SVG, possibly empty
    label: str = ""
    crowned: bool = False


@dataclass(frozen=True)
class Die:
    """A die beside the board; value 0 before it is rolled."""

    value: int
    colour: str


@dataclass(frozen=True)
class Scene:
    """A board with its pieces, captions and highlights."""

    # squares in a grid, or round holes joined by lines
    board: Literal["squares", "holes"]
    cells: tuple[Cell, ...]
    pieces: tuple[Piece, ...] = ()
    # a line under the board: the player to move, or the winner
    caption: str = ""
    # cells of a move, first to last
    trail: tuple[int, ...] = ()
    # highlighted cells
    marks: tuple[int, ...] = ()
    # a share between 0 and 1 for each cell, such as the probability of moves, or empty
    heat: tuple[float, ...] = ()
    die: Die | None = None
    # names of columns and rows around the board
    labels: tuple[Label, ...] = ()
    # pieces not on the board or face-down: (colour, label, number)
    reserve: tuple[tuple[str, str, int], ...] = ()


def edge_labels(columns: Sequence[str], rows: Sequence[str]) -> tuple[Label, ...]:
    """Return the labels of a grid: column names below it, row names at its left."""
    return (
        *((x, len(rows), name) for x, name in enumerate(columns)),
        *((-1, y, name) for y, name in enumerate(rows)),
    )
