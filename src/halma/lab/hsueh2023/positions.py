"""How many positions a variant has: those that can be reached, and those where nobody can move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from halma.executors import ReportProgress
from halma.games import game

#: Dark chess: the name of a variant is this and its pieces.
_DARK_CHESS = "cdc-2x4-"
_ROWS, _COLUMNS = 2, 4


def count_positions(variant: str, report: ReportProgress) -> tuple[int, int]:
    """Return how many non-terminal positions can be reached, and in how many the mover is stuck."""
    stuck = count_stuck(variant) if variant.startswith(_DARK_CHESS) else 0
    return game(variant).core.reachable()[0], stuck


def count_stuck(variant: str) -> int:
    """Count positions of dark chess on 2x4 squares in which the mover has pieces but no move."""
    chosen = game(variant)
    found = 0
    for cells in _crowded(variant.removeprefix(_DARK_CHESS)):
        board = f"{cells[:_COLUMNS]}/{cells[_COLUMNS:]}"
        found += not chosen.position(f"{board} r - 1").legal_moves
    # The colours are alike: in as many positions the other is to move.
    return 2 * found


def _crowded(pieces: str) -> Iterator[str]:
    """Yield boards on which no red piece has an empty neighbour, the only ones to look at.

    All pieces are face-up: one that is not could be turned over.
    """
    most = Counter(pieces) + Counter(pieces.lower())
    for cells in product([".", *sorted(most)], repeat=_ROWS * _COLUMNS):
        red = [i for i, piece in enumerate(cells) if piece.isupper()]
        counts = Counter(piece for piece in cells if piece != ".")
        both = 0 < len(red) < counts.total()
        if both and counts <= most and all(cells[j] != "." for i in red for j in _neighbours(i)):
            yield "".join(cells)


def _neighbours(cell: int) -> Iterator[int]:
    row, column = divmod(cell, _COLUMNS)
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        if 0 <= row + down < _ROWS and 0 <= column + right < _COLUMNS:
            yield cell + down * _COLUMNS + right
