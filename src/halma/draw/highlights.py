"""Highlights in SVG: policy heat, marked cells and the trail of a move."""

from __future__ import annotations

import math

from halma.draw.canvas import Canvas, Point, outline


def draw_heat(canvas: Canvas, centre: Point, share: float) -> None:
    """Draw the heat of an empty cell as a disc."""
    canvas.circle(
        centre,
        0.4 * canvas.unit,
        class_="heat",
        fill=canvas.theme.heat,
        fill_opacity=_opacity(share),
    )


def draw_heat_ring(canvas: Canvas, centre: Point, share: float) -> None:
    """Draw the heat of an occupied cell as a ring, so that the piece stays visible."""
    canvas.circle(
        centre,
        0.44 * canvas.unit,
        class_="heat",
        fill="none",
        stroke=canvas.theme.heat,
        stroke_width=0.12 * canvas.unit,
        stroke_opacity=_opacity(share),
    )


def _opacity(share: float) -> float:
    """Return the opacity of a share: its square root, so that small shares are visible."""
    return math.sqrt(min(1.0, share))


def draw_ring(canvas: Canvas, centre: Point, colour: str, kind: str) -> None:
    """Draw a ring around a cell, with a halo; `kind` is its class."""
    unit = canvas.unit
    canvas.circle(
        centre, 0.44 * unit, fill="none", stroke=canvas.theme.halo, stroke_width=0.12 * unit
    )
    canvas.circle(
        centre, 0.44 * unit, class_=kind, fill="none", stroke=colour, stroke_width=0.06 * unit
    )


def draw_trail(canvas: Canvas, points: list[Point], occupied: bool) -> None:
    """Draw a ring around the first cell and an arrow from there through the others.

    On an occupied cell the arrow ends at the piece's rim.
    """
    if not points:
        return
    theme, unit = canvas.theme, canvas.unit
    draw_ring(canvas, points[0], theme.trail, "origin")
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
    # A broad pale stroke, then a narrow dark one: visible on any piece.
    for colour, line, edge, dot in ((theme.halo, 0.17, 0.1, 0.16), (theme.trail, 0.09, 0.02, 0.12)):
        canvas.add(
            "polyline",
            class_="trail",
            points=outline([*path[:-1], base]),
            fill="none",
            stroke=colour,
            stroke_width=line * pen,
            stroke_linejoin="round",
        )
        for landing in path[1:-1]:
            canvas.circle(landing, dot * pen, fill=colour)
        canvas.add(
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
