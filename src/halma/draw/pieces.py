"""Pieces in SVG: discs, marbles, crowns and the backs of face-down pieces."""

from __future__ import annotations

import math

from halma.draw.canvas import Canvas, Point, outline
from halma.draw.palette import Paint, mix
from halma.draw.scene import Piece

#: Radii of pieces, in cells.
DISC, MARBLE = 0.39, 0.4


def draw_disc(canvas: Canvas, piece: Piece, centre: Point, radius: float) -> None:
    """Draw a piece as a flat disc with grooves."""
    paint = canvas.theme.paint(piece.colour)
    canvas.circle(centre, radius, fill=paint.fill, stroke=paint.edge, stroke_width=0.08 * radius)
    groove = mix(paint.fill, paint.ink, 0.45)
    canvas.circle(centre, 0.8 * radius, fill="none", stroke=groove, stroke_width=0.06 * radius)
    if piece.colour == "hidden":
        _draw_rosette(canvas, centre, 0.55 * radius, paint)
    elif not piece.label and not piece.crowned:
        canvas.circle(centre, 0.5 * radius, fill="none", stroke=groove, stroke_width=0.06 * radius)
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
    canvas.add(
        "polygon",
        class_="crown",
        points=outline((centre[0] + x * radius, centre[1] + y * radius) for x, y in corners),
        fill=paint.ink,
        stroke=paint.ink,
        stroke_width=0.1 * radius,
        stroke_linejoin="round",
    )


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
