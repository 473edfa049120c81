"""A scene as text, for terminals and diffs.

    1   1 4 6 . .
    2   .(3). . .
    3   2 .[a]c .

        a b c d e

One character a cell, two columns a unit. The first cell of a move is in round brackets, the
others in square ones; marked cells are in `< >`.
"""

from __future__ import annotations

from halma.draw.scene import Cell, Scene


def draw_text(scene: Scene) -> str:
    """Draw a scene with one character a cell; lines have no trailing spaces."""
    lines = _board(scene)
    below = _below(scene)
    return "\n".join([*lines, "", *below] if lines and below else lines or below)


def _board(scene: Scene) -> list[str]:
    canvas: dict[tuple[int, int], str] = {}
    for cell in scene.cells:
        canvas[_place(cell)] = "." if cell.name and cell.tint != "light" else " "
    for piece in scene.pieces:
        canvas[_place(scene.cells[piece.cell])] = piece.glyph
    _write_labels(canvas, scene)
    for number in sorted(set(scene.marks) - set(scene.trail)):
        _bracket(canvas, scene.cells[number], "<>")
    for step, number in enumerate(scene.trail):
        _bracket(canvas, scene.cells[number], "[]" if step else "()")
    if not canvas:
        return []
    left, right = min(x for x, _ in canvas), max(x for x, _ in canvas)
    top, bottom = min(y for _, y in canvas), max(y for _, y in canvas)
    return [
        "".join(canvas.get((x, y), " ") for x in range(left, right + 1)).rstrip()
        for y in range(top, bottom + 1)
    ]


def _place(cell: Cell) -> tuple[int, int]:
    return round(2 * cell.x), round(cell.y)


def _write_labels(canvas: dict[tuple[int, int], str], scene: Scene) -> None:
    columns, rows = [x for x, _ in canvas] or [0], [y for _, y in canvas] or [0]
    left, right, top, bottom = min(columns), max(columns), min(rows), max(rows)
    for x, y, text in scene.labels:
        column, row = round(2 * x), round(y)
        # Pieces are letters and digits too: a gap separates labels from them.
        if scene.board == "squares":
            row += (row > bottom) - (row < top)
            column += 2 * ((column > right) - (column < left))
        else:
            column += 1 if 2 * column >= left + right else -1
        # Long labels extend away from the board.
        if column < left:
            column -= len(text) - 1
        elif column <= right:
            column -= len(text) // 2
        for offset, character in enumerate(text):
            canvas[column + offset, row] = character


def _bracket(canvas: dict[tuple[int, int], str], cell: Cell, signs: str) -> None:
    x, y = _place(cell)
    for place, sign in (((x - 1, y), signs[0]), ((x + 1, y), signs[1])):
        # Neighbours share the column between them.
        shared = canvas.get(place, " ") not in (" ", sign)
        canvas[place] = "|" if shared else sign


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
