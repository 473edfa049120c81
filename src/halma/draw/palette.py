"""The colours of all drawings.

The six colours of players are distinct for colour-blind readers too; a test measures it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Paint:
    """The colours of a piece, written `#rrggbb`, and its number among a terminal's 256 colours."""

    fill: str
    edge: str
    # labels on the piece
    ink: str
    # home cells of its player
    pale: str
    # the fill in terminals: the nearest of 256 colours may have another hue
    code: int = 244


#: Colours by name.
PAINTS: Mapping[str, Paint] = {
    "red": Paint("#c0392f", "#7e1f19", "#fff6ee", "#efc1b4", 160),
    "blue": Paint("#2b62a8", "#173b6b", "#f3f7ff", "#b7cce6", 25),
    "yellow": Paint("#f2c63c", "#a67c10", "#4a3604", "#f8e7ab", 221),
    "green": Paint("#3fa58c", "#1c6553", "#f2fffb", "#bfe0d3", 36),
    "white": Paint("#faf6ec", "#8d8371", "#4a4237", "#f8f4ea", 255),
    "black": Paint("#35312e", "#131110", "#f6f0e4", "#b9b2a9", 236),
    "grey": Paint("#8c8a86", "#55534f", "#1c1a18", "#d5d3ce", 245),
}

#: Colours of players 1 to 6 in games without colours of their own.
PLAYERS = ("red", "blue", "yellow", "green", "white", "black")


@dataclass(frozen=True)
class Theme:
    """Colours of boards and pieces; `dataclasses.replace` makes another one."""

    paints: Mapping[str, Paint] = field(default_factory=lambda: PAINTS)
    # background panel and captions
    paper: str = "#f8f4ec"
    paper_edge: str = "#ddd3c1"
    text: str = "#3b352d"
    faint: str = "#8b8173"
    # boards of squares
    light: str = "#f3e8d3"
    dark: str = "#ad8a66"
    plain: str = "#efe2c8"
    grid: str = "#cbb68f"
    frame: str = "#7d6245"
    number: str = "#f3e8d3"
    # boards of holes
    wood: str = "#e3c594"
    wood_edge: str = "#a97f4a"
    line: str = "#b48c58"
    hole: str = "#8f6a3c"
    # a face-down piece
    back: Paint = Paint("#8a6a4b", "#523c27", "#e6d2b3", "#d9c8ae", 95)
    # highlights
    trail: str = "#5b2a86"
    # trails of other moves, beside that of one
    alternative: str = "#15803d"
    halo: str = "#ffffff"
    mark: str = "#5b2a86"
    heat: str = "#d6109a"

    def paint(self, colour: str) -> Paint:
        """Return the paint of a colour's name; an unknown name is grey."""
        if colour == "hidden":
            return self.back
        kind, _, number = colour.partition(" ")
        if kind == "player" and number in ("1", "2", "3", "4", "5", "6"):
            colour = PLAYERS[int(number) - 1]
        return self.paints.get(colour, PAINTS["grey"])

    def cell(self, tint: str) -> str | None:
        """Return the colour of a tinted cell, or None for a plain one."""
        if tint.startswith("home "):
            return self.paint(f"player {tint.removeprefix('home ')}").pale
        return {"light": self.light, "dark": self.dark}.get(tint)


#: The default theme.
DEFAULT = Theme()


def mix(colour: str, other: str, share: float) -> str:
    """Return the mean of two colours, `share` being the weight of the other."""
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
