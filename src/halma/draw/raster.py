"""A scene as an array of pixels, drawn by Pillow; needs the extra `envs`.

The same functions draw it as draw SVG; here their elements become shapes of an image that is
larger than wanted and then reduced, so that edges are smooth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from halma.draw.canvas import Attribute, Canvas, Point
from halma.draw.layout import Layout
from halma.draw.palette import DEFAULT, Paint, Theme, mix
from halma.draw.scene import Scene
from halma.draw.svg import SMALLEST, draw_scene
from halma.machine import require

if TYPE_CHECKING:
    import numpy as np

#: pixels of the large image for each pixel of the result, along an edge
_SMOOTH = 3
#: circles that make up a radial gradient
_SHADES = 12
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def draw_pixels(
    scene: Scene, size: int = 400, theme: Theme = DEFAULT
) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Draw a scene whose longer side is `size` pixels: uint8 (height, width, 3), RGB."""
    require("PIL")
    if size < 1:
        raise ValueError("A drawing is at least one pixel wide.")
    layout = Layout(scene, max(size, SMALLEST))
    canvas = _RasterCanvas(layout, theme, size)
    draw_scene(canvas, scene, layout)
    return canvas.pixels()


class _RasterCanvas(Canvas):
    """Draws elements at once, on an image in place of a document."""

    def __init__(self, layout: Layout, theme: Theme, size: int) -> None:
        from PIL import Image, ImageDraw

        super().__init__(layout.unit, theme, "")
        scale = size / max(layout.width, layout.height)
        self._size = max(1, round(layout.width * scale)), max(1, round(layout.height * scale))
        self._scale = _SMOOTH * scale
        large = self._size[0] * _SMOOTH, self._size[1] * _SMOOTH
        self._image = Image.new("RGB", large, theme.paper)
        # In this mode, colours with an opacity are blended with what is below them.
        self._draw = ImageDraw.Draw(self._image, "RGBA")
        self._opacity = 1.0
        self._glows: dict[str, Paint] = {}

    def pixels(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the image at its own size."""
        import numpy as np
        from PIL import Image

        return np.asarray(self._image.resize(self._size, Image.Resampling.LANCZOS))

    # What functions that draw call.

    def add(self, tag: str, inner: str = "", /, **attributes: Attribute) -> None:
        """Draw an element."""
        fill, pen = self._colour(attributes, "fill"), self._colour(attributes, "stroke")
        width = self._scale * float(attributes.get("stroke_width") or 1.0) if pen else 0.0
        number = {key: float(v) for key, v in attributes.items() if isinstance(v, int | float)}
        if tag == "circle":
            self._circle((number["cx"], number["cy"]), number["r"], attributes, pen, width)
        elif tag == "rect":
            x, y = self._scale * number["x"], self._scale * number["y"]
            far = x + self._scale * number["width"], y + self._scale * number["height"]
            radius = self._scale * number.get("rx", 0.0)
            for grow, colour in ((width / 2, pen), (-width / 2, fill)):
                box = (x - grow, y - grow, far[0] + grow, far[1] + grow)
                if colour and box[0] < box[2] and box[1] < box[3]:
                    self._draw.rounded_rectangle(box, max(0.0, radius + grow), fill=colour)
        elif tag == "path":
            for part in str(attributes["d"]).split("M")[1:]:
                self._line(self._points(part), pen, width, rounded=True)
        else:
            points = self._points(str(attributes["points"]))
            if tag == "polygon":
                self._draw.polygon(points, fill=fill)
                points = [*points, points[0]]
            self._line(points, pen, width, rounded=tag == "polygon")

    @contextmanager
    def group(self, **attributes: Attribute) -> Iterator[None]:
        """Apply the group's opacity to the elements added inside the `with` block."""
        before = self._opacity
        self._opacity *= float(attributes.get("opacity") or 1.0)
        yield
        self._opacity = before

    def write(
        self,
        at: Point,
        text: str,
        size: float,
        fill: str,
        anchor: str = "middle",
        bold: bool = False,
        opacity: float | None = None,
    ) -> None:
        """Draw a line of text, its capitals vertically centred at a point."""
        from PIL import ImageFont

        scaled = self._scale * size
        place = (self._scale * at[0], self._scale * (at[1] + 0.36 * size))
        colour = self._colour({"fill": fill, "opacity": opacity}, "fill")
        font, weight = ImageFont.load_default(max(1.0, scaled)), scaled / 30 if bold else 0
        anchors = _ANCHORS[anchor]
        # Pillow's own font has no multiplication sign.
        shown = text.replace("×", "x")
        self._draw.text(place, shown, colour, font, anchors, stroke_width=weight)

    def glow(self, paint: Paint) -> str:
        """Return a name for a radial gradient of a paint."""
        name = f"glow {paint.fill}"
        self._glows[name] = paint
        return name

    # Shapes in pixels of the large image.

    def _circle(
        self,
        centre: Point,
        radius: float,
        attributes: dict[str, Attribute],
        pen: str | None,
        width: float,
    ) -> None:
        x, y, r = (self._scale * number for number in (*centre, radius))
        paint = self._glows.get(str(attributes.get("fill")))
        if paint is not None:
            self._disc(x, y, r + width / 2, pen)
            for step in range(_SHADES):
                # The light comes from the upper left; the rim is darker than the middle.
                share = step / (_SHADES - 1)
                rim = mix(paint.fill, paint.edge, 0.65 * max(0.0, 1 - 3 * share))
                colour = mix(rim, "#ffffff", 0.62 * max(0.0, (share - 0.25) / 0.75) ** 1.5)
                shift = 0.36 * r * share
                self._disc(x - 0.8 * shift, y - shift, (r - width / 2) * (1 - share), colour)
            return
        fill = self._colour(attributes, "fill")
        if fill and pen:
            self._disc(x, y, r + width / 2, pen)
        if fill:
            self._disc(x, y, r - width / 2, fill)
        elif pen:
            box = (x - r - width / 2, y - r - width / 2, x + r + width / 2, y + r + width / 2)
            self._draw.ellipse(box, outline=pen, width=max(1, round(width)))

    def _disc(self, x: float, y: float, radius: float, colour: str | None) -> None:
        if colour and radius > 0:
            self._draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)

    def _line(self, points: list[Point], pen: str | None, width: float, rounded: bool) -> None:
        if pen is None:
            return
        self._draw.line(points, pen, max(1, round(width)), joint="curve")
        if rounded:
            for x, y in (points[0], points[-1]):
                self._disc(x, y, width / 2, pen)

    def _points(self, text: str) -> list[Point]:
        numbers = [self._scale * float(number) for number in re.findall(r"[-\d.]+", text)]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def _colour(self, attributes: dict[str, Attribute], kind: str) -> str | None:
        """Return `#rrggbbaa` of the fill or the stroke, None if there is none."""
        colour = attributes.get(kind)
        if not isinstance(colour, str) or not colour.startswith("#"):
            return None
        opacity = self._opacity
        for name in ("opacity", f"{kind}_opacity"):
            value = attributes.get(name)
            opacity *= 1.0 if value is None else float(value)
        return f"{colour}{round(255 * opacity):02x}"
