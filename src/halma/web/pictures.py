"""Positions as PNG, by the library that draws pixels."""

from __future__ import annotations

import io

from halma.draw.raster import draw_pixels
from halma.games import Position
from halma.machine import is_installed, require


def has_png() -> bool:
    """Whether the library that writes PNG is installed."""
    return is_installed("PIL")


def png(position: Position, move: str | None, size: int) -> bytes:
    """Return a position as a PNG file; a legal move is shown as a trail."""
    require("PIL")
    from PIL import Image

    shown = None if move is None else position.find(move).value
    pixels = draw_pixels(position.game.scene(position.state, shown), size)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()
