"""HTML fragments that notebooks display: a drawing with text and tables beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_ROW = "display: flex; flex-wrap: wrap; gap: 1.5em; align-items: flex-start"
_COLUMN = "flex: 1; min-width: 18em; max-height: 30em; overflow: auto; text-align: left"


def beside(svg: str, *parts: str) -> str:
    """Return a drawing with HTML fragments at its right, one below the other."""
    column = "\n".join(part for part in parts if part)
    return f'<div style="{_ROW}">\n<div>{svg}</div>\n<div style="{_COLUMN}">{column}</div>\n</div>'


def heading(text: str) -> str:
    """Return a line in bold."""
    return f"<p><b>{escape(text)}</b></p>"


def line(text: str) -> str:
    """Return a paragraph; nothing for an empty text."""
    return f"<p>{escape(text)}</p>" if text else ""


def numbered(items: Iterable[tuple[str, str]]) -> str:
    """Return items one after the other: the number or note of each is pale."""
    spans = (
        f'<span style="white-space: nowrap"><small style="opacity: 0.6">{escape(number)}</small>'
        f" {escape(text)}</span>"
        for number, text in items
    )
    return f"<p>{' &ensp;'.join(spans)}</p>"


def share_table(headings: Sequence[str], rows: Iterable[tuple[Sequence[str], float]]) -> str:
    """Return a table whose rows end with a bar of a length from 0 to 1."""
    top = "".join(f'<th style="text-align: left">{escape(text)}</th>' for text in headings)
    lines = (
        "<tr>"
        + "".join(f'<td style="text-align: left">{escape(cell)}</td>' for cell in cells)
        + f'<td style="text-align: left">{_bar(share)}</td></tr>'
        for cells, share in rows
    )
    body = "\n".join(lines)
    return f"<table>\n<tr>{top}<th></th></tr>\n{body}\n</table>"


def _bar(share: float) -> str:
    width = 6 * min(1.0, max(0.0, share))
    style = "display: inline-block; height: 0.6em; background: #3d7fc4; border-radius: 2px"
    return f'<span style="{style}; width: {width:.2f}em"></span>'
