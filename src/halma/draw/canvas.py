"""Writing SVG: elements, attributes, numbers and text. All SVG of the package is written here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from xml.sax.saxutils import escape, quoteattr

from halma.draw.palette import Paint, Theme, mix

Point = tuple[float, float]
Attribute = str | float | None

_FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def decimal(value: float) -> str:
    """Return a number with at most two decimals."""
    # Adding zero turns -0.0 into 0.0.
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def outline(points: Iterable[Point]) -> str:
    """Return the points of a polygon or polyline as an attribute."""
    return " ".join(f"{decimal(x)},{decimal(y)}" for x, y in points)


def stroke(colour: str, width: float) -> dict[str, Attribute]:
    """Return the attributes of a line with rounded corners."""
    return {"stroke": colour, "stroke_width": width, "stroke_linejoin": "round"}


def clean(text: str) -> str:
    """Replace characters that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text)


def _format(attributes: Mapping[str, Attribute]) -> str:
    return "".join(
        f" {name.rstrip('_').replace('_', '-')}="
        + quoteattr(value if isinstance(value, str) else decimal(value))
        for name, value in attributes.items()
        if value is not None
    )


class Canvas:
    """Collects SVG elements; attributes keep the order in which they are given."""

    def __init__(self, unit: float, theme: Theme, prefix: str) -> None:
        self.unit = unit
        self.theme = theme
        self._prefix = prefix
        self._definitions: dict[str, str] = {}
        self._elements: list[str] = []

    def add(self, tag: str, inner: str = "", /, **attributes: Attribute) -> None:
        """Add an element; `stroke_width` becomes `stroke-width`, None is left out."""
        end = f">{inner}</{tag}>" if inner else "/>"
        self._elements.append(f"<{tag}{_format(attributes)}{end}\n")

    @contextmanager
    def group(self, **attributes: Attribute) -> Iterator[None]:
        """Open a group for the elements added inside the `with` block."""
        self._elements.append(f"<g{_format(attributes)}>\n")
        yield
        self._elements.append("</g>\n")

    def circle(self, centre: Point, radius: float, **attributes: Attribute) -> None:
        """Add a circle."""
        self.add("circle", cx=centre[0], cy=centre[1], r=radius, **attributes)

    def ring(
        self, centre: Point, radius: float, colour: str, width: float, **attributes: Attribute
    ) -> None:
        """Add a circle that is not filled."""
        self.circle(centre, radius, fill="none", stroke=colour, stroke_width=width, **attributes)

    def rect(self, corner: Point, width: float, height: float, **attributes: Attribute) -> None:
        """Add a rectangle by its upper left corner."""
        self.add("rect", x=corner[0], y=corner[1], width=width, height=height, **attributes)

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
        """Add a line of text, its capitals vertically centred at a point."""
        self.add(
            "text",
            escape(clean(text)),
            x=at[0],
            y=at[1] + 0.36 * size,
            font_size=size,
            font_weight="bold" if bold else None,
            text_anchor=anchor,
            fill=fill,
            opacity=opacity,
        )

    def glow(self, paint: Paint) -> str:
        """Return a radial gradient of a paint, lit from the upper left."""
        # Ids are shared by all drawings of a page: hence the prefix.
        key = f"{self._prefix}-{paint.fill.removeprefix('#')}"
        stops = (
            (0, mix(paint.fill, "#ffffff", 0.62)),
            (0.35, mix(paint.fill, "#ffffff", 0.12)),
            (0.75, paint.fill),
            (1, mix(paint.fill, paint.edge, 0.65)),
        )
        self._definitions[key] = (
            f'<radialGradient id="{key}" cx="0.5" cy="0.5" r="0.5" fx="0.34" fy="0.3">'
            + "".join(f'<stop offset="{decimal(at)}" stop-color="{c}"/>' for at, c in stops)
            + "</radialGradient>\n"
        )
        return f"url(#{key})"

    def finish(self, width: float, height: float, size: float, title: str) -> str:
        """Return the SVG document; its longer side is displayed with `size` pixels."""
        scale = size / max(width, height)
        definitions = "".join(self._definitions.values())
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" role="img"'
            f' viewBox="0 0 {decimal(width)} {decimal(height)}"'
            f' width="{decimal(width * scale)}" height="{decimal(height * scale)}"'
            f' font-family="{_FONT}">\n<title>{escape(clean(title))}</title>\n'
            + (f"<defs>\n{definitions}</defs>\n" if definitions else "")
            + "".join(self._elements)
            + "</svg>\n"
        )
