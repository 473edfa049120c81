"""A scene as a self-contained SVG document.

Elements have classes (`cell`, `piece`, `mark`, `trail`) and cells their numbers as
`data-cell`, for interactive pages.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from halma.draw.canvas import Attribute, Canvas, Point, outline, stroke
from halma.draw.layout import SLOT, Layout
from halma.draw.palette import DEFAULT, Theme, mix
from halma.draw.pieces import DISC, draw_disc, draw_heat, draw_marble, draw_ring, draw_trail
from halma.draw.scene import Die, Piece, Scene

#: Smaller drawings are laid out at this size and scaled down.
SMALLEST = 120
#: Pips of a die, in thirds of its side from its centre.
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def draw_svg(
    scene: Scene,
    size: int = 400,
    theme: Theme = DEFAULT,
    alternatives: Sequence[Sequence[int]] = (),
) -> str:
    """Draw a scene; the longer side of the drawing is `size` pixels.

    `alternatives` are the cells of other moves, first to last, drawn in a colour of their own
    beneath the scene's trail.
    """
    if size < 1:
        raise ValueError("A drawing is at least one pixel wide.")
    layout = Layout(scene, max(size, SMALLEST))
    canvas = Canvas(layout.unit, theme, f"h{zlib.crc32(repr(scene).encode()):08x}")
    draw_scene(canvas, scene, layout, alternatives)
    return canvas.finish(layout.width, layout.height, size, scene.caption or "A board")


def draw_scene(
    canvas: Canvas, scene: Scene, layout: Layout, alternatives: Sequence[Sequence[int]] = ()
) -> None:
    """Draw all parts of a scene on a canvas."""
    theme = canvas.theme
    panel: dict[str, Attribute] = {"fill": theme.paper, "stroke": theme.paper_edge}
    canvas.rect((0.5, 0.5), layout.width - 1, layout.height - 1, rx=layout.margin, **panel)
    if scene.board == "holes":
        _draw_wood(canvas, scene, layout)
    else:
        _draw_squares(canvas, scene, layout)
    for place, text in layout.labels:
        canvas.write(place, text, layout.label_font, theme.faint)
    for piece in scene.pieces:
        centre = layout.centres[piece.cell]
        with canvas.group(class_="piece", data_cell=str(piece.cell)):
            if scene.board == "holes" and piece.colour != "hidden":
                draw_marble(canvas, piece, centre)
            else:
                draw_disc(canvas, piece, centre, DISC * layout.unit)
    occupied = {piece.cell for piece in scene.pieces}
    for number, share in enumerate(scene.heat):
        if share > 0:
            draw_heat(canvas, layout.centres[number], share, number in occupied)
    for number in scene.marks:
        draw_ring(canvas, layout.centres[number], theme.mark, "mark")
    for cells, colour in (
        *((a, theme.alternative) for a in alternatives),
        (scene.trail, theme.trail),
    ):
        trail = [layout.centres[number] for number in cells]
        draw_trail(canvas, trail, not occupied.isdisjoint(cells[-1:]), colour)
    if scene.die is not None:
        _draw_die(canvas, scene.die, layout)
    _draw_reserve(canvas, layout)
    for row, line in enumerate(layout.caption):
        y = layout.caption_top + (row + 0.6) * 1.35 * layout.font
        canvas.write((layout.width / 2, y), line, layout.font, theme.text)


# Boards.


def _draw_squares(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    theme, unit = canvas.theme, canvas.unit
    (left, top), (right, bottom) = layout.board
    frame = 0.04 * unit
    width, height = right - left + 2 * frame, bottom - top + 2 * frame
    canvas.rect((left - frame, top - frame), width, height, rx=2 * frame, fill=theme.frame)
    grid: dict[str, Attribute] = {"stroke": theme.grid, "stroke_width": max(0.5, 0.02 * unit)}
    if any(cell.tint in ("dark", "light") for cell in scene.cells):
        grid = {}
    for number, (cell, (x, y)) in enumerate(zip(scene.cells, layout.centres, strict=True)):
        corner, fill = (x - unit / 2, y - unit / 2), theme.cell(cell.tint) or theme.plain
        canvas.rect(corner, unit, unit, class_="cell", data_cell=str(number), fill=fill, **grid)
        # Numbers too small to read are left out.
        if cell.tint == "dark" and cell.name and 0.18 * unit >= 6:
            corner = (x - 0.46 * unit, y - 0.38 * unit)
            canvas.write(corner, cell.name, 0.18 * unit, theme.number, anchor="start")


def _draw_wood(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw wood, homes, lines and holes.

    Thick round strokes along the lines between holes merge into one smooth area, so the same
    path draws the board, the homes and the thin lines.
    """
    theme, unit = canvas.theme, canvas.unit
    everything = _lines(scene, layout, set(range(len(scene.cells))))
    if not everything:
        return

    def draw(path: str, colour: str, width: float) -> None:
        pen = stroke(colour, width * unit)
        canvas.add("path", d=path, fill="none", stroke_linecap="round", **pen)

    draw(everything, theme.wood_edge, 1.56)
    draw(everything, theme.wood, 1.44)
    for tint in sorted({cell.tint for cell in scene.cells}):
        colour = theme.cell(tint)
        if colour is not None:
            home = {i for i, cell in enumerate(scene.cells) if cell.tint == tint}
            draw(_lines(scene, layout, home), mix(theme.wood, colour, 0.8), 0.96)
    draw(everything, theme.line, 0.05)
    for number, centre in enumerate(layout.centres):
        canvas.circle(
            centre,
            0.21 * unit,
            class_="cell",
            data_cell=str(number),
            fill=theme.hole,
            stroke=mix(theme.hole, "#000000", 0.25),
            stroke_width=0.05 * unit,
        )


def _lines(scene: Scene, layout: Layout, numbers: set[int]) -> str:
    """Return the path of all lines between neighbours among these holes."""
    places = {
        (round(2 * scene.cells[i].x), round(scene.cells[i].y)): layout.centres[i]
        for i in sorted(numbers)
    }
    lines: list[tuple[Point, Point]] = []
    joined: set[tuple[int, int]] = set()
    for dx, dy in ((2, 0), (1, 1), (-1, 1)):
        for start in places:
            if (start[0] - dx, start[1] - dy) in places:
                continue
            end = start
            while (after := (end[0] + dx, end[1] + dy)) in places:
                end = after
                joined.update((start, end))
            if end != start:
                lines.append((places[start], places[end]))
    lines += [(centre, centre) for place, centre in places.items() if place not in joined]
    return "".join(f"M{outline([start])}L{outline([stop])}" for start, stop in lines)


# Beside and below the board.


def _draw_die(canvas: Canvas, die: Die, layout: Layout) -> None:
    paint, side = canvas.theme.paint(die.colour), layout.die_side
    x, y = layout.die
    canvas.rect(
        (x - side / 2, y - side / 2),
        side,
        side,
        class_="die",
        rx=0.2 * side,
        fill=paint.fill,
        stroke=paint.edge,
        stroke_width=0.035 * side,
    )
    if die.value not in _PIPS:
        canvas.write((x, y), str(die.value or "?"), 0.6 * side, paint.ink, bold=True)
    for dx, dy in _PIPS.get(die.value, ()):
        pip = (x + dx * 0.26 * side, y + dy * 0.26 * side)
        canvas.circle(pip, 0.095 * side, class_="pip", fill=paint.ink)


def _draw_reserve(canvas: Canvas, layout: Layout) -> None:
    chip = layout.chip
    for row, kinds in enumerate(layout.reserve):
        y = layout.reserve_top + (row * 1.25 + 0.5) * chip
        x = layout.width / 2 - len(kinds) * SLOT * chip / 2
        for colour, label, number in kinds:
            with canvas.group(class_="reserve", opacity=None if number else 0.35):
                draw_disc(canvas, Piece(0, colour, "", label), (x + 0.6 * chip, y), chip / 2)
                place = (x + 1.2 * chip, y)
                canvas.write(place, f"×{number}", 0.6 * chip, canvas.theme.text, "start")
            x += SLOT * chip
