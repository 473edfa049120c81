"""Layout of a drawing: positions and sizes of its parts.

The board is measured in cells, its surroundings (captions, die, margins) in pixels, so
that text stays legible in small drawings.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from dataclasses import dataclass

from halma.draw.canvas import Point, clean
from halma.draw.scene import Label, Scene

#: Width of a piece of the reserve with its number, in diameters of the piece.
SLOT = 2.3
#: Distance of rows of holes at which all six neighbours are at distance one.
_ROW = math.sqrt(3) / 2
#: Mean width of a character at font size one.
_CHARACTER = 0.56


@dataclass(frozen=True)
class Layout:
    """Positions and sizes, in pixels."""

    width: float
    height: float
    unit: float
    margin: float
    font: float
    centres: list[Point]
    #: the rectangle of all cells: left, top, right, bottom
    board: tuple[float, float, float, float]
    labels: list[Label]
    label_font: float
    die: Point
    die_side: float
    reserve: list[list[tuple[str, str, int]]]
    reserve_top: float
    chip: float
    caption: list[str]
    caption_top: float


def lay_out(scene: Scene, size: int) -> Layout:
    """Lay out a drawing whose longer side is about `size` pixels."""
    row = _ROW if scene.board == "holes" else 1.0
    places = [(cell.x, cell.y * row) for cell in scene.cells]
    cells = places or [(0.0, 0.0)]
    # A board of holes has a rim of wood, one of squares a thin frame.
    rim = 0.85 if scene.board == "holes" else 0.55
    left, right = min(x for x, _ in cells) - rim, max(x for x, _ in cells) + rim
    top, bottom = min(y for _, y in cells) - rim, max(y for _, y in cells) + rim
    margin, font = 0.03 * size, max(11.0, 0.038 * size)
    inside = size - 2 * margin
    guess = min(inside / (right - left), inside / (bottom - top))
    label_font = min(max(0.26 * guess, 8.0), 0.85 * font)
    labels = [(x, y * row, text) for x, y, text in scene.labels]
    if scene.board == "squares":
        # Labels are moved close to the frame, wherever outside it the game put them.
        gap = 0.85 * label_font / guess
        labels = [
            (min(max(x, left - gap), right + gap), min(max(y, top - gap), bottom + gap), text)
            for x, y, text in labels
        ]
    else:
        labels = [(*_off_the_rim((x, y), cells), text) for x, y, text in labels]
    outer_left = min([left, *(x - 0.2 for x, _, _ in labels)])
    outer_right = max([right, *(x + 0.2 for x, _, _ in labels)])
    outer_top = min([top, *(y - 0.2 for _, y, _ in labels)])
    outer_bottom = max([bottom, *(y + 0.2 for _, y, _ in labels)])

    die_side = 0.12 * size
    caption = textwrap.wrap(clean(scene.caption), max(1, int(inside / (font * _CHARACTER))))
    kinds = max(Counter(colour for colour, _, _ in scene.reserve).values(), default=1)
    chip = max(9.0, min(0.055 * size, inside / (SLOT * kinds)))
    reserve = _rows_of_reserve(scene, max(1, int(inside / (SLOT * chip) + 1e-6)))
    caption_height = len(caption) * 1.35 * font + (0.35 * font if caption else 0)
    reserve_height = len(reserve) * 1.25 * chip + (0.4 * chip if reserve else 0)
    beside = die_side + margin if scene.die else 0.0

    across, down = outer_right - outer_left, outer_bottom - outer_top
    unit = min(
        (inside - beside) / across, (inside - caption_height - reserve_height) / down, 0.4 * size
    )
    unit = max(unit, 1.0)
    widest = max(
        across * unit + beside,
        max((len(line) for line in caption), default=0) * font * _CHARACTER,
        max((len(line) for line in reserve), default=0) * SLOT * chip,
    )
    width = widest + 2 * margin
    start_x = (width - across * unit - beside) / 2 - outer_left * unit
    start_y = margin - outer_top * unit
    below = start_y + outer_bottom * unit
    return Layout(
        width=width,
        height=below + reserve_height + caption_height + margin,
        unit=unit,
        margin=margin,
        font=font,
        centres=[(start_x + x * unit, start_y + y * unit) for x, y in places],
        board=(
            start_x + (left + rim - 0.5) * unit,
            start_y + (top + rim - 0.5) * unit,
            start_x + (right - rim + 0.5) * unit,
            start_y + (bottom - rim + 0.5) * unit,
        ),
        labels=[(start_x + x * unit, start_y + y * unit, text) for x, y, text in labels],
        label_font=label_font,
        die=(
            start_x + outer_right * unit + margin + die_side / 2,
            start_y + (top + bottom) / 2 * unit,
        ),
        die_side=die_side,
        reserve=reserve,
        reserve_top=below + 0.4 * chip,
        chip=chip,
        caption=caption,
        caption_top=below + reserve_height + 0.35 * font,
    )


def _off_the_rim(label: Point, holes: list[Point]) -> Point:
    """Move a label one step beside a hole, where the rim is, away from such holes."""
    near = [hole for hole in holes if 0.9 < math.dist(label, hole) < 1.1]
    away_x, away_y = sum(label[0] - x for x, _ in near), sum(label[1] - y for _, y in near)
    length = math.hypot(away_x, away_y)
    if length < 0.1:
        return label
    return label[0] + 0.25 * away_x / length, label[1] + 0.25 * away_y / length


def _rows_of_reserve(scene: Scene, most: int) -> list[list[tuple[str, str, int]]]:
    """Return the reserve in rows: one a colour, or more where it does not fit."""
    rows = []
    for colour in dict.fromkeys(colour for colour, _, _ in scene.reserve):
        kinds = [kind for kind in scene.reserve if kind[0] == colour]
        rows += [kinds[start : start + most] for start in range(0, len(kinds), most)]
    return rows
