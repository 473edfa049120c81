"""A scene as a self-contained SVG picture.

`layout` measures, `picture` writes, and this module knows what things look like; colours
come from a theme of `palette`. Elements carry classes (`cell`, `piece`, `mark`, `trail`)
and cells their numbers as `data-cell`, for pages that want to do more than look.
"""

from __future__ import annotations

import math
import zlib

from halma.draw.layout import SLOT, Layout, lay_out
from halma.draw.palette import DEFAULT, Paint, Theme, mix
from halma.draw.picture import Picture, Point, outline
from halma.draw.scene import Die, Piece, Scene

#: Smaller pictures are laid out at this size and scaled down.
_SMALLEST = 120
#: Radii of pieces, in cells.
_DISC, _MARBLE = 0.39, 0.4
#: Pips of a die, in thirds of its side from its centre.
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def draw_svg(scene: Scene, size: int = 400, theme: Theme = DEFAULT) -> str:
    """Draw a scene; the longer side of the picture is `size` pixels."""
    if size < 1:
        raise ValueError("A picture is at least one pixel wide.")
    layout = lay_out(scene, max(size, _SMALLEST))
    picture = Picture(layout.unit, theme, f"h{zlib.crc32(repr(scene).encode()):08x}")
    _draw_panel(picture, layout)
    if scene.board == "holes":
        _draw_wood(picture, scene, layout)
    else:
        _draw_squares(picture, scene, layout)
    _draw_labels(picture, layout)
    taken = {piece.cell for piece in scene.pieces}
    warm = [(number, share) for number, share in enumerate(scene.heat) if share > 0]
    for number, share in warm:
        if number not in taken:
            _draw_heat(picture, layout.centres[number], share)
    for piece in scene.pieces:
        centre = layout.centres[piece.cell]
        with picture.group(class_="piece", data_cell=str(piece.cell)):
            if scene.board == "holes" and piece.colour != "hidden":
                _draw_marble(picture, piece, centre)
            else:
                _draw_disc(picture, piece, centre, _DISC * layout.unit)
    for number, share in warm:
        if number in taken:
            _draw_heat_ring(picture, layout.centres[number], share)
    for number in scene.marks:
        _draw_ring(picture, layout.centres[number], theme.mark, "mark")
    occupied = bool(scene.trail) and scene.trail[-1] in taken
    _draw_trail(picture, [layout.centres[number] for number in scene.trail], occupied)
    if scene.die is not None:
        _draw_die(picture, scene.die, layout)
    _draw_reserve(picture, layout)
    _draw_caption(picture, layout)
    return picture.finish(layout.width, layout.height, size, scene.caption or "A board")


# Boards.


def _draw_panel(picture: Picture, layout: Layout) -> None:
    theme = picture.theme
    picture.add(
        "rect",
        x=0.5,
        y=0.5,
        width=layout.width - 1,
        height=layout.height - 1,
        rx=layout.margin,
        fill=theme.paper,
        stroke=theme.paper_edge,
    )


def _draw_squares(picture: Picture, scene: Scene, layout: Layout) -> None:
    theme, unit = picture.theme, picture.unit
    left, top, right, bottom = layout.board
    frame = 0.04 * unit
    picture.add(
        "rect",
        x=left - frame,
        y=top - frame,
        width=right - left + 2 * frame,
        height=bottom - top + 2 * frame,
        rx=2 * frame,
        fill=theme.frame,
    )
    chequered = any(cell.tint in ("dark", "light") for cell in scene.cells)
    for number, (cell, (x, y)) in enumerate(zip(scene.cells, layout.centres, strict=True)):
        picture.add(
            "rect",
            class_="cell",
            data_cell=str(number),
            x=x - unit / 2,
            y=y - unit / 2,
            width=unit,
            height=unit,
            fill=theme.cell(cell.tint) or theme.plain,
            stroke=None if chequered else theme.grid,
            stroke_width=None if chequered else max(0.5, 0.02 * unit),
        )
        # Numbers too small to read would only be specks.
        if cell.tint == "dark" and cell.name and 0.18 * unit >= 6:
            corner = (x - 0.46 * unit, y - 0.38 * unit)
            picture.write(corner, cell.name, 0.18 * unit, theme.number, anchor="start")


def _draw_wood(picture: Picture, scene: Scene, layout: Layout) -> None:
    """Draw wood, homes, lines and holes.

    Thick round strokes along the lines between holes close up into one smooth area, so
    the same lines draw the board's shape, the homes and, thin, themselves.
    """
    theme, unit = picture.theme, picture.unit
    everything = _lines(scene, layout, set(range(len(scene.cells))))
    if not everything:
        return

    def stroke(path: str, colour: str, width: float) -> None:
        picture.add(
            "path",
            d=path,
            fill="none",
            stroke=colour,
            stroke_width=width * unit,
            stroke_linecap="round",
            stroke_linejoin="round",
        )

    stroke(everything, theme.wood_edge, 1.56)
    stroke(everything, theme.wood, 1.44)
    for tint in sorted({cell.tint for cell in scene.cells}):
        colour = theme.cell(tint)
        if colour is not None:
            home = {i for i, cell in enumerate(scene.cells) if cell.tint == tint}
            stroke(_lines(scene, layout, home), mix(theme.wood, colour, 0.8), 0.96)
    stroke(everything, theme.line, 0.05)
    for number, centre in enumerate(layout.centres):
        picture.circle(
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


def _draw_labels(picture: Picture, layout: Layout) -> None:
    for x, y, text in layout.labels:
        picture.write((x, y), text, layout.label_font, picture.theme.faint)


# Pieces.


def _draw_disc(picture: Picture, piece: Piece, centre: Point, radius: float) -> None:
    paint = picture.theme.paint(piece.colour)
    picture.circle(
        centre,
        radius,
        fill=paint.fill,
        stroke=paint.edge,
        stroke_width=0.08 * radius,
    )
    groove = mix(paint.fill, paint.ink, 0.45)
    picture.circle(centre, 0.8 * radius, fill="none", stroke=groove, stroke_width=0.06 * radius)
    if piece.colour == "hidden":
        _draw_rosette(picture, centre, 0.55 * radius, paint)
    elif not piece.label and not piece.crowned:
        picture.circle(centre, 0.5 * radius, fill="none", stroke=groove, stroke_width=0.06 * radius)
    _draw_label_and_crown(picture, piece, centre, radius, paint)


def _draw_marble(picture: Picture, piece: Piece, centre: Point) -> None:
    paint, unit = picture.theme.paint(piece.colour), picture.unit
    shadow = (centre[0] + 0.03 * unit, centre[1] + 0.06 * unit)
    picture.circle(shadow, _MARBLE * unit, fill="#000000", fill_opacity=0.22)
    picture.circle(
        centre,
        _MARBLE * unit,
        fill=picture.glow(paint),
        stroke=paint.edge,
        stroke_width=0.035 * unit,
    )
    _draw_label_and_crown(picture, piece, centre, _MARBLE * unit, paint)


def _draw_label_and_crown(
    picture: Picture, piece: Piece, centre: Point, radius: float, paint: Paint
) -> None:
    x, y = centre
    if piece.crowned:
        # A crown leaves room for a label below it.
        above, scale = (0.36 * radius, 0.5) if piece.label else (0.0, 1.0)
        _draw_crown(picture, (x, y - above), scale * radius, paint)
        y += 0.6 * above
    if piece.label:
        size = radius * min(0.75 if piece.crowned else 1.1, 1.8 / len(piece.label))
        picture.write((x, y), piece.label, size, paint.ink, bold=True)


def _draw_crown(picture: Picture, centre: Point, radius: float, paint: Paint) -> None:
    corners = (
        *((-0.5, -0.3), (-0.24, -0.02), (0, -0.45), (0.24, -0.02), (0.5, -0.3)),
        *((0.38, 0.38), (-0.38, 0.38)),
    )
    picture.add(
        "polygon",
        class_="crown",
        points=outline((centre[0] + x * radius, centre[1] + y * radius) for x, y in corners),
        fill=paint.ink,
        stroke=paint.ink,
        stroke_width=0.1 * radius,
        stroke_linejoin="round",
    )


def _draw_rosette(picture: Picture, centre: Point, radius: float, paint: Paint) -> None:
    """Draw the eight-pointed star on the back of a face-down piece."""
    points = []
    for corner in range(16):
        reach = radius * (0.62 if corner % 2 else 1)
        angle = math.pi * corner / 8
        points.append((centre[0] + reach * math.cos(angle), centre[1] + reach * math.sin(angle)))
    soft = mix(paint.fill, paint.ink, 0.45)
    picture.add("polygon", points=outline(points), fill=soft)
    picture.circle(centre, 0.3 * radius, fill=paint.fill)


# What may happen, and what happened.


def _draw_heat(picture: Picture, centre: Point, share: float) -> None:
    """Warm an empty cell."""
    picture.circle(
        centre,
        0.4 * picture.unit,
        class_="heat",
        fill=picture.theme.heat,
        fill_opacity=_warmth(share),
    )


def _draw_heat_ring(picture: Picture, centre: Point, share: float) -> None:
    """Warm the rim of a piece, which must still be recognised."""
    picture.circle(
        centre,
        0.44 * picture.unit,
        class_="heat",
        fill="none",
        stroke=picture.theme.heat,
        stroke_width=0.12 * picture.unit,
        stroke_opacity=_warmth(share),
    )


def _warmth(share: float) -> float:
    """Return how opaque a share is drawn: its root, so that small ones are seen too."""
    return math.sqrt(min(1.0, share))


def _draw_ring(picture: Picture, centre: Point, colour: str, kind: str) -> None:
    unit = picture.unit
    picture.circle(
        centre, 0.44 * unit, fill="none", stroke=picture.theme.halo, stroke_width=0.12 * unit
    )
    picture.circle(
        centre, 0.44 * unit, class_=kind, fill="none", stroke=colour, stroke_width=0.06 * unit
    )


def _draw_trail(picture: Picture, points: list[Point], occupied: bool) -> None:
    """Ring the first cell and draw an arrow from there through the others.

    On an occupied cell the arrow stops short, so that the piece can still be read.
    """
    if not points:
        return
    theme, unit = picture.theme, picture.unit
    _draw_ring(picture, points[0], theme.trail, "origin")
    path = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
    if len(path) < 2:
        return
    path[0] = _towards(path[0], path[1], 0.44 * unit)
    path[-1] = _towards(path[-1], path[-2], 0.28 * unit if occupied else 0.0)
    # On boards of many cells the pen is broader than the cells ask for.
    pen = max(unit, 18.0)
    tip = path[-1]
    base = _towards(tip, path[-2], 0.28 * pen)
    across = ((tip[1] - base[1]) * 0.6, (base[0] - tip[0]) * 0.6)
    head = [
        tip,
        (base[0] + across[0], base[1] + across[1]),
        (base[0] - across[0], base[1] - across[1]),
    ]
    # First everything broad and pale, then narrow and dark: a halo against any piece.
    for colour, line, edge, dot in (
        (theme.halo, 0.17, 0.1, 0.16),
        (theme.trail, 0.09, 0.02, 0.12),
    ):
        picture.add(
            "polyline",
            class_="trail",
            points=outline([*path[:-1], base]),
            fill="none",
            stroke=colour,
            stroke_width=line * pen,
            stroke_linejoin="round",
        )
        for landing in path[1:-1]:
            picture.circle(landing, dot * pen, fill=colour)
        picture.add(
            "polygon",
            points=outline(head),
            fill=colour,
            stroke=colour,
            stroke_width=edge * pen,
            stroke_linejoin="round",
        )


def _towards(start: Point, end: Point, distance: float) -> Point:
    length = math.dist(start, end)
    share = min(1.0, distance / length) if length else 0.0
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


# Beside and below the board.


def _draw_die(picture: Picture, die: Die, layout: Layout) -> None:
    paint, side = picture.theme.paint(die.colour), layout.die_side
    x, y = layout.die
    picture.add(
        "rect",
        class_="die",
        x=x - side / 2,
        y=y - side / 2,
        width=side,
        height=side,
        rx=0.2 * side,
        fill=paint.fill,
        stroke=paint.edge,
        stroke_width=0.035 * side,
    )
    if die.value not in _PIPS:
        picture.write((x, y), str(die.value or "?"), 0.6 * side, paint.ink, bold=True)
    for dx, dy in _PIPS.get(die.value, ()):
        picture.circle(
            (x + dx * 0.26 * side, y + dy * 0.26 * side), 0.095 * side, class_="pip", fill=paint.ink
        )


def _draw_reserve(picture: Picture, layout: Layout) -> None:
    chip = layout.chip
    for row, kinds in enumerate(layout.reserve):
        y = layout.reserve_top + (row * 1.25 + 0.5) * chip
        x = layout.width / 2 - len(kinds) * SLOT * chip / 2
        for colour, label, number in kinds:
            with picture.group(class_="reserve", opacity=None if number else 0.35):
                _draw_disc(picture, Piece(0, colour, "", label), (x + 0.6 * chip, y), chip / 2)
                place = (x + 1.2 * chip, y)
                picture.write(place, f"×{number}", 0.6 * chip, picture.theme.text, "start")
            x += SLOT * chip


def _draw_caption(picture: Picture, layout: Layout) -> None:
    for row, line in enumerate(layout.caption):
        y = layout.caption_top + (row + 0.6) * 1.35 * layout.font
        picture.write((layout.width / 2, y), line, layout.font, picture.theme.text)
