"""What lies on a board in SVG: pieces, policy heat, marks and the trail of a move."""

from __future__ import annotations

import math

from halma.draw.canvas import Canvas, Point, outline, stroke
from halma.draw.palette import Paint, mix
from halma.draw.scene import Piece

#: Radii of pieces, in cells.
DISC, MARBLE = 0.39, 0.4


def draw_disc(canvas: Canvas, piece: Piece, centre: Point, radius: float) -> None:
    """Draw a piece as a flat disc with grooves."""
    paint = canvas.theme.paint(piece.colour)
    canvas.circle(centre, radius, fill=paint.fill, stroke=paint.edge, stroke_width=0.08 * radius)
    groove = mix(paint.fill, paint.ink, 0.45)
    canvas.ring(centre, 0.8 * radius, groove, 0.06 * radius)
    if piece.colour == "hidden":
        _draw_rosette(canvas, centre, 0.55 * radius, paint)
    elif not piece.label and not piece.crowned:
        canvas.ring(centre, 0.5 * radius, groove, 0.06 * radius)
    _draw_label_and_crown(canvas, piece, centre, radius, paint)


def draw_marble(canvas: Canvas, piece: Piece, centre: Point) -> None:
    """Draw a piece as a marble with a shadow."""
    paint, unit = canvas.theme.paint(piece.colour), canvas.unit
    shadow = (centre[0] + 0.03 * unit, centre[1] + 0.06 * unit)
    canvas.circle(shadow, MARBLE * unit, fill="#000000", fill_opacity=0.22)
    canvas.circle(
        centre, MARBLE * unit, fill=canvas.glow(paint), stroke=paint.edge, stroke_width=0.035 * unit
    )
    _draw_label_and_crown(canvas, piece, centre, MARBLE * unit, paint)


def _draw_label_and_crown(
    canvas: Canvas, piece: Piece, centre: Point, radius: float, paint: Paint
) -> None:
    x, y = centre
    if piece.crowned:
        # With a label, the crown is smaller and above it.
        above, scale = (0.36 * radius, 0.5) if piece.label else (0.0, 1.0)
        _draw_crown(canvas, (x, y - above), scale * radius, paint)
        y += 0.6 * above
    if piece.label:
        size = radius * min(0.75 if piece.crowned else 1.1, 1.8 / len(piece.label))
        canvas.write((x, y), piece.label, size, paint.ink, bold=True)


def _draw_crown(canvas: Canvas, centre: Point, radius: float, paint: Paint) -> None:
    corners = (
        *((-0.5, -0.3), (-0.24, -0.02), (0, -0.45), (0.24, -0.02), (0.5, -0.3)),
        *((0.38, 0.38), (-0.38, 0.38)),
    )
    points = outline((centre[0] + x * radius, centre[1] + y * radius) for x, y in corners)
    edge = stroke(paint.ink, 0.1 * radius)
    canvas.add("polygon", class_="crown", points=points, fill=paint.ink, **edge)


def _draw_rosette(canvas: Canvas, centre: Point, radius: float, paint: Paint) -> None:
    """Draw the eight-pointed star on the back of a face-down piece."""
    points = []
    for corner in range(16):
        reach = radius * (0.62 if corner % 2 else 1)
        angle = math.pi * corner / 8
        points.append((centre[0] + reach * math.cos(angle), centre[1] + reach * math.sin(angle)))
    soft = mix(paint.fill, paint.ink, 0.45)
    canvas.add("polygon", points=outline(points), fill=soft)
    canvas.circle(centre, 0.3 * radius, fill=paint.fill)


# Highlights.


def draw_heat(canvas: Canvas, centre: Point, share: float, occupied: bool) -> None:
    """Draw the heat of a cell as a disc, or as a ring around its piece.

    The opacity is the square root of the share, so that small shares are visible.
    """
    unit, colour, opacity = canvas.unit, canvas.theme.heat, math.sqrt(min(1.0, share))
    if occupied:
        canvas.ring(centre, 0.44 * unit, colour, 0.12 * unit, class_="heat", stroke_opacity=opacity)
    else:
        canvas.circle(centre, 0.4 * unit, class_="heat", fill=colour, fill_opacity=opacity)


def draw_ring(canvas: Canvas, centre: Point, colour: str, kind: str) -> None:
    """Draw a ring around a cell, with a halo; `kind` is its class."""
    canvas.ring(centre, 0.44 * canvas.unit, canvas.theme.halo, 0.12 * canvas.unit)
    canvas.ring(centre, 0.44 * canvas.unit, colour, 0.06 * canvas.unit, class_=kind)


def draw_trail(canvas: Canvas, points: list[Point], occupied: bool, colour: str) -> None:
    """Draw a ring around the first cell and an arrow from there through the others.

    On an occupied cell the arrow ends at the piece's rim.
    """
    if not points:
        return
    theme, unit = canvas.theme, canvas.unit
    draw_ring(canvas, points[0], colour, "origin")
    path = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
    if len(path) < 2:
        return
    path[0] = _towards(path[0], path[1], 0.44 * unit)
    path[-1] = _towards(path[-1], path[-2], 0.28 * unit if occupied else 0.0)
    # On boards of many cells the pen has a minimum width.
    pen = max(unit, 18.0)
    tip = path[-1]
    base = _towards(tip, path[-2], 0.28 * pen)
    across = ((tip[1] - base[1]) * 0.6, (base[0] - tip[0]) * 0.6)
    head = [
        tip,
        (base[0] + across[0], base[1] + across[1]),
        (base[0] - across[0], base[1] - across[1]),
    ]
    shaft = outline([*path[:-1], base])
    # A broad pale stroke, then a narrow dark one: visible on any piece.
    for paint, line, edge, dot in ((theme.halo, 0.17, 0.1, 0.16), (colour, 0.09, 0.02, 0.12)):
        canvas.add(
            "polyline", class_="trail", points=shaft, fill="none", **stroke(paint, line * pen)
        )
        for landing in path[1:-1]:
            canvas.circle(landing, dot * pen, fill=paint)
        canvas.add("polygon", points=outline(head), fill=paint, **stroke(paint, edge * pen))


def _towards(start: Point, end: Point, distance: float) -> Point:
    length = math.dist(start, end)
    share = min(1.0, distance / length) if length else 0.0
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share
