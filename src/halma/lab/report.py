"""A report that puts a paper's figures and ours side by side, as Markdown and as HTML."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halma.draw.page import page, paragraphs, table


@dataclass(frozen=True)
class Row:
    """One figure: what it is, what the paper says, what we measured, and what to make of it."""

    what: str
    paper: str
    ours: str
    remark: str = ""


@dataclass(frozen=True)
class Figure:
    """A picture in the report's folder."""

    file: str
    caption: str


@dataclass
class Section:
    """A part of a report: some prose, a table, pictures."""

    title: str
    text: str
    rows: list[Row] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    #: above the table, after the first column
    columns: tuple[str, str, str] = ("paper", "ours", "remark")


@dataclass
class Report:
    """What came of running a paper again."""

    title: str
    #: how to get this report
    command: str
    #: versions, machine, settings
    about: Mapping[str, Any]
    sections: list[Section]
    #: the numbers behind the tables, for programs
    data: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return all of it but the pictures as plain values."""
        return {
            "title": self.title,
            "about": dict(self.about),
            "sections": [
                {
                    "title": section.title,
                    "text": section.text,
                    "rows": [vars(row) for row in section.rows],
                    "figures": [figure.file for figure in section.figures],
                }
                for section in self.sections
            ],
            "data": dict(self.data),
        }

    def write(self, folder: Path, name: str = "report") -> None:
        """Write the report as Markdown and as HTML beside the pictures."""
        (folder / f"{name}.md").write_text(self.markdown(), encoding="utf-8")
        (folder / f"{name}.html").write_text(self.html(folder), encoding="utf-8")

    def markdown(self) -> str:
        """Return the report as Markdown; pictures are links."""
        parts = [f"# {self.title}", f"    {self.command}"]
        parts.append("\n".join(f"- {key}: {value}" for key, value in self.about.items()))
        for section in self.sections:
            parts += [f"## {section.title}", *([section.text] if section.text else [])]
            if section.rows:
                lines = [f"| | {' | '.join(section.columns)} |", "|---|---|---|---|"]
                for row in section.rows:
                    cells = (row.what, row.paper, row.ours, row.remark)
                    lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
                parts.append("\n".join(lines))
            parts += [f"![{figure.caption}]({figure.file})" for figure in section.figures]
        return "\n\n".join(parts) + "\n"

    def html(self, folder: Path) -> str:
        """Return the report as one HTML file with the pictures in it."""
        esc = html.escape
        body = [f"<h1>{esc(self.title)}</h1>", f"<pre>{esc(self.command)}</pre>", "<ul>"]
        body += [f"<li>{esc(str(k))}: {esc(str(v))}</li>" for k, v in self.about.items()]
        body.append("</ul>")
        for section in self.sections:
            body.append(f"<h2>{esc(section.title)}</h2>")
            body.append(paragraphs(section.text))
            if section.rows:
                cells = ((row.what, row.paper, row.ours, row.remark) for row in section.rows)
                body.append(table(["", *section.columns], cells))
            for figure in section.figures:
                picture = base64.b64encode((folder / figure.file).read_bytes()).decode("ascii")
                kind = "svg+xml" if figure.file.endswith(".svg") else "png"
                body.append(
                    f'<figure><img alt="" src="data:image/{kind};base64,{picture}">'
                    f"<figcaption>{esc(figure.caption)}</figcaption></figure>"
                )
        return page(self.title, "\n".join(body))
