"""Colours of a terminal: ANSI escape sequences for its 256 colours.

Colour is used on terminals only, and not where `NO_COLOR` is set (https://no-color.org).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TextIO

from halma.draw.palette import Paint

if TYPE_CHECKING:
    from rich.console import Console

BOLD, FAINT = "1", "2"
_BLACK, _WHITE = 16, 231
#: Tables are made for this width at least; narrower terminals break their lines.
_COLUMNS = 80


def has_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and the user wants them."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()


def table_console() -> Console:
    """Return a console for tables of results on standard output, wide enough to cut nothing."""
    from rich.console import Console

    console = Console(highlight=False)
    console.width = max(_COLUMNS, console.width)
    return console


def styled(text: str, style: str) -> str:
    """Return a text between the escape sequences of a style; plain without one."""
    return f"\x1b[{style}m{text}\x1b[0m" if style else text


def dot(paint: Paint) -> str:
    """Return the style of an empty cell in the home of a player."""
    return f"38;5;{paint.code}"


def tile(paint: Paint) -> str:
    """Return the style of a piece: white or black on its colour, legible on any background."""
    ink = _WHITE if int(paint.ink[1:3], 16) > 128 else _BLACK
    return f"1;38;5;{ink};48;5;{paint.code}"
