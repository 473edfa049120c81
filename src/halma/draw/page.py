"""Self-contained HTML pages: no scripts, no network, light or dark as the reader's system is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def page(title: str, body: str) -> str:
    """Return an HTML document with this body."""
    return _PAGE.format(title=escape(title), style=_STYLE, body=body)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: bool = False) -> str:
    """Return a table of texts; with `numbers`, all columns but the first are right-aligned."""
    kind = ' class="numbers"' if numbers else ""
    top = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = ("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    head = f"<tr>{top}</tr>\n" if headings else ""
    return f"<table{kind}>\n{head}" + "\n".join(lines) + "\n</table>"


def paragraphs(text: str) -> str:
    """Return a text, its paragraphs separated by empty lines, as HTML."""
    return "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in text.split("\n\n"))


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""

_STYLE = """\
:root { --paper: #fdfcf9; --card: #ffffff; --ink: #26231f; --faint: #6d665c; --line: #ded8cc;
  --good: #2c7a4b; --bar: #3d7fc4; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #191817; --card: #232120; --ink: #e9e5de; --faint: #a39b8f; --line: #3d3935;
    --good: #79c795; --bar: #5b97d6; }
}
body { max-width: 68rem; margin: 2rem auto; padding: 0 1.25rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin-bottom: .2rem; font-size: 1.7rem; line-height: 1.2; }
h2 { margin: 2.4rem 0 .4rem; font-size: 1.25rem; }
h3 { margin: 1.4rem 0 .3rem; font-size: 1.05rem; }
p { max-width: 46rem; margin: .4rem 0 .8rem; }
.faint, figcaption { color: var(--faint); }
table { border-collapse: collapse; }
th, td { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th { font-weight: 600; }
.numbers td:not(:first-child), .numbers th:not(:first-child) { text-align: right;
  padding-left: .7rem; font-variant-numeric: tabular-nums; }
pre, code { font: .875em/1.45 ui-monospace, monospace; }
pre { padding: .7rem 1rem; overflow-x: auto; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem; }
img, svg { max-width: 100%; height: auto; }
figure { margin: 1rem 0; }
figcaption { font-size: .875rem; line-height: 1.4; }
summary { cursor: pointer; }
.grid { display: grid; gap: 1rem; margin: 1rem 0; }
.two { grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); }
.three { grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
.tiles { grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); }
.card { margin: 0; padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem; }
.card > svg { display: block; margin: 0 auto .5rem; }
.tile b { display: block; font-size: 1.5rem; line-height: 1.25; font-weight: 650; }
.tile span { display: block; font-size: .825rem; color: var(--faint); }
.moves { width: 100%; margin-top: .4rem; font-size: .875rem; }
.moves td { padding: .1rem .5rem .1rem 0; }
.moves .best { color: var(--good); font-weight: 650; }
.share { width: 42%; white-space: nowrap; }
.share i { display: inline-block; height: .55em; margin-right: .35em; background: var(--bar);
  border-radius: 2px; }
"""
