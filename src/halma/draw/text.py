"""A scene as text, for terminals and diffs.

    1   1 4 6 . .
    2   .(3). . .
    3   2 .[a]c .

        a b c d e

One character a cell, two columns a unit, more on a board of numbered squares. The first cell of
a move is in round brackets, the others in square ones; marked cells are in `< >`. On a terminal
pieces have the colours of the palette.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import groupby, pairwise

from halma.draw.palette import DEFAULT, Theme
from halma.draw.scene import Cell, Scene
from halma.draw.terminal import BOLD, FAINT, dot, styled, tile

#: a character and its style, the parameters of an ANSI escape sequence
_Character = tuple[str, str]
_SPACE: _Character = (" ", "")


def draw_text(scene: Scene, colour: bool = False, theme: Theme = DEFAULT) -> str:
    """Draw a scene with one character a cell; lines have no trailing spaces.

    With `colour` the text has ANSI escape sequences, for terminals.
    """
    lines = _Board(scene, theme).lines(colour)
    below = _below(scene)
    return "\n".join([*lines, "", *below] if lines and below else lines or below)


class _Board:
    """The characters of a board by column and row."""

    def __init__(self, scene: Scene, theme: Theme) -> None:
        self._scene = scene
        self._pitch = _pitch(scene)
        self._characters: dict[tuple[int, int], _Character] = {}
        for cell in scene.cells:
            home = cell.tint.startswith("home ")
            style = dot(theme.paint(f"player {cell.tint[5:]}")) if home else ""
            shown = "." if cell.name and cell.tint != "light" else " "
            self._characters[self._place(cell)] = (shown, style)
        for piece in scene.pieces:
            place = self._place(scene.cells[piece.cell])
            self._characters[place] = (piece.glyph, tile(theme.paint(piece.colour)))
        self._write_labels()
        for cell in filter(_is_numbered, scene.cells):
            column, row = self._place(cell)
            self._write(column - 1 - len(cell.name), row, cell.name)
        for number in sorted(set(scene.marks) - set(scene.trail)):
            self._bracket(scene.cells[number], "<>")
        for step, number in enumerate(scene.trail):
            self._bracket(scene.cells[number], "[]" if step else "()")

    def lines(self, colour: bool) -> list[str]:
        """Return the rows of the board, from the top."""
        if not self._characters:
            return []
        left = min(column for column, _ in self._characters)
        rows = [row for _, row in self._characters]
        ends: defaultdict[int, int] = defaultdict(lambda: left)
        for (column, row), (character, _) in self._characters.items():
            if character != " ":
                ends[row] = max(ends[row], column + 1)
        lines = []
        for row in range(min(rows), max(rows) + 1):
            found = [self._characters.get((x, row), _SPACE) for x in range(left, ends[row])]
            runs = groupby(found, key=lambda character: character[1] if colour else "")
            texts = ((style, "".join(character for character, _ in run)) for style, run in runs)
            lines.append("".join(styled(text, style) for style, text in texts))
        return lines

    def _place(self, cell: Cell) -> tuple[int, int]:
        return round(self._pitch * cell.x), round(cell.y)

    def _write(self, column: int, row: int, text: str) -> None:
        for offset, character in enumerate(text):
            self._characters[column + offset, row] = (character, FAINT)

    def _write_labels(self) -> None:
        columns = [column for column, _ in self._characters] or [0]
        rows = [row for _, row in self._characters] or [0]
        left, right, top, bottom = min(columns), max(columns), min(rows), max(rows)
        for x, y, text in self._scene.labels:
            column, row = round(self._pitch * x), round(y)
            # Pieces are letters and digits too: a gap separates labels from them.
            if self._scene.board == "squares":
                row += (row > bottom) - (row < top)
                column += 2 * ((column > right) - (column < left))
            else:
                column += 1 if 2 * column >= left + right else -1
            # Long labels extend away from the board.
            if column < left:
                column -= len(text) - 1
            elif column <= right:
                column -= len(text) // 2
            self._write(column, row, text)

    def _bracket(self, cell: Cell, signs: str) -> None:
        x, y = self._place(cell)
        for place, sign in (((x - 1, y), signs[0]), ((x + 1, y), signs[1])):
            # Neighbours share the column between them.
            shared = self._characters.get(place, _SPACE)[0] not in (" ", sign)
            self._characters[place] = ("|" if shared else sign, BOLD)


def _is_numbered(cell: Cell) -> bool:
    """Whether a cell shows its name beside its piece, as in SVG."""
    return cell.tint == "dark" and bool(cell.name)


def _pitch(scene: Scene) -> int:
    """Return the columns of a unit: room for numbers, brackets and a space between squares."""
    numbered = sorted((cell.y, cell.x) for cell in scene.cells if _is_numbered(cell))
    gaps = [b[1] - a[1] for a, b in pairwise(numbered) if a[0] == b[0] and b[1] > a[1]]
    if not numbered:
        return 2
    longest = max(len(cell.name) for cell in scene.cells if _is_numbered(cell))
    return max(2, math.ceil((longest + 4) / max(1, min(gaps, default=1))))


def _below(scene: Scene) -> list[str]:
    lines = []
    if scene.trail:
        names = [scene.cells[number].name or "?" for number in scene.trail]
        lines.append(" > ".join(names))
    if scene.die is not None:
        lines.append(f"{scene.die.colour}'s die: {scene.die.value or '?'}")
    colours = list(dict.fromkeys(colour for colour, _, _ in scene.reserve))
    width = max(map(len, colours), default=0)
    for colour in colours:
        kinds = [f"{number}{label}" for name, label, number in scene.reserve if name == colour]
        lines.append(f"{colour:<{width}}  {' '.join(kinds)}")
    if scene.caption:
        lines.append(scene.caption)
    return lines
