"""Layout of a drawing: positions and sizes of its parts.

The board is measured in cells, its surroundings (captions, die, margins) in pixels, so
that text stays legible in small drawings.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter

from halma.draw.canvas import Point, clean
from halma.draw.scene import Scene

#: Width of a piece of the reserve with its number, in diameters of the piece.
SLOT = 2.3
#: Distance of rows of holes at which all six neighbours are at distance one.
_ROW = math.sqrt(3) / 2
#: Mean width of a character at font size one.
_CHARACTER = 0.56


class Layout:
    """Positions and sizes in pixels; the longer side of the drawing is about `size`."""

    def __init__(self, scene: Scene, size: int) -> None:
        holes = scene.board == "holes"
        row = _ROW if holes else 1.0
        places = [(cell.x, cell.y * row) for cell in scene.cells]
        xs, ys = [x for x, _ in places] or [0.0], [y for _, y in places] or [0.0]
        first_x, first_y, last_x, last_y = min(xs), min(ys), max(xs), max(ys)
        # A board of holes has a rim of wood, one of squares a thin frame.
        rim = 0.85 if holes else 0.55
        left, top, right, bottom = first_x - rim, first_y - rim, last_x + rim, last_y + rim
        self.margin, self.font = 0.03 * size, max(11.0, 0.038 * size)
        inside = size - 2 * self.margin
        guess = min(inside / (right - left), inside / (bottom - top))
        self.label_font = min(max(0.26 * guess, 8.0), 0.85 * self.font)
        # Labels of squares are moved close to the frame, wherever outside it the game put them.
        gap = 0.85 * self.label_font / guess
        labels = []
        for x, y, text in scene.labels:
            if holes:
                x, y = _off_the_rim((x, y * row), places)
            else:
                x = min(max(x, left - gap), right + gap)
                y = min(max(y, top - gap), bottom + gap)
            labels.append((x, y, text))
        outer_left = min([left, *(x - 0.2 for x, _, _ in labels)])
        outer_right = max([right, *(x + 0.2 for x, _, _ in labels)])
        outer_top = min([top, *(y - 0.2 for _, y, _ in labels)])
        outer_bottom = max([bottom, *(y + 0.2 for _, y, _ in labels)])

        self.die_side = 0.12 * size
        self.caption = textwrap.wrap(
            clean(scene.caption), max(1, int(inside / (self.font * _CHARACTER)))
        )
        kinds = max(Counter(colour for colour, _, _ in scene.reserve).values(), default=1)
        #: diameter of a piece of the reserve
        self.chip = max(9.0, min(0.055 * size, inside / (SLOT * kinds)))
        self.reserve = _rows_of_reserve(scene, max(1, int(inside / (SLOT * self.chip) + 1e-6)))
        caption_height = (len(self.caption) * 1.35 + 0.35 * bool(self.caption)) * self.font
        reserve_height = (len(self.reserve) * 1.25 + 0.4 * bool(self.reserve)) * self.chip
        beside = self.die_side + self.margin if scene.die else 0.0

        across, down = outer_right - outer_left, outer_bottom - outer_top
        wide, high = inside - beside, inside - caption_height - reserve_height
        unit = self.unit = max(1.0, min(wide / across, high / down, 0.4 * size))
        widest = max(
            across * unit + beside,
            max(map(len, self.caption), default=0) * self.font * _CHARACTER,
            max(map(len, self.reserve), default=0) * SLOT * self.chip,
        )
        self.width = widest + 2 * self.margin
        start_x = (self.width - across * unit - beside) / 2 - outer_left * unit
        start_y = self.margin - outer_top * unit

        def place(x: float, y: float) -> Point:
            return start_x + x * unit, start_y + y * unit

        self.centres = [place(x, y) for x, y in places]
        self.labels = [(place(x, y), text) for x, y, text in labels]
        #: upper left and lower right corner of the rectangle of all cells
        self.board = place(first_x - 0.5, first_y - 0.5), place(last_x + 0.5, last_y + 0.5)
        die_x, die_y = place(outer_right, (top + bottom) / 2)
        self.die = (die_x + self.margin + self.die_side / 2, die_y)
        _, below = place(0.0, outer_bottom)
        self.reserve_top = below + 0.4 * self.chip
        self.caption_top = below + reserve_height + 0.35 * self.font
        self.height = below + reserve_height + caption_height + self.margin


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
