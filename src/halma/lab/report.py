"""A report that shows a paper's numbers beside ours, as Markdown and as HTML."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from halma.draw.page import page, paragraphs, table
from halma.files import replace_file

AGREES, DIFFERS = "agrees", "differs"


class Claim(NamedTuple):
    """A row of a comparison: a quantity, what the paper says, what we measured, a remark.

    The remark of a claim that was decided begins with "agrees" or "differs".
    """

    what: str
    paper: str
    ours: str
    remark: str = ""

    @property
    def verdict(self) -> str:
        """Whether our numbers agree with the paper's: "agrees", "differs" or, undecided, ""."""
        return next((word for word in (AGREES, DIFFERS) if self.remark.startswith(word)), "")


@dataclass(frozen=True)
class ReportFigure:
    """An image file in the report's folder."""

    file: str
    caption: str


@dataclass(frozen=True)
class ReportSection:
    """A part of a report: text, a table, figures."""

    title: str
    text: str = ""
    rows: Sequence[Sequence[str]] = ()
    figures: Sequence[ReportFigure] = ()
    #: headings of the table
    columns: Sequence[str] = ("", "paper", "ours", "remark")


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(columns)} |".replace("|  |", "| |", 1), "|---" * len(columns) + "|"]
    lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]
    return "\n".join(lines).replace("|  |", "| |")


@dataclass(frozen=True)
class PaperReport:
    """The outcome of reproducing a paper, or one experiment of it."""

    title: str
    #: the command that makes this report
    command: str
    #: versions, machine, settings
    about: Mapping[str, Any]
    sections: Sequence[ReportSection]
    #: the numbers behind the tables, for programs
    data: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the images as plain values."""
        sections = []
        for section in self.sections:
            keys = [column or "what" for column in section.columns]
            rows = [dict(zip(keys, row, strict=True)) for row in section.rows]
            files = [figure.file for figure in section.figures]
            part = {"title": section.title, "text": section.text, "rows": rows, "figures": files}
            sections.append(part)
        common = {"title": self.title, "about": dict(self.about)}
        return {**common, "sections": sections, "data": dict(self.data)}

    def write(self, folder: Path, name: str) -> PaperReport:
        """Write the report as Markdown and as HTML into the folder of its images; return it."""
        replace_file(folder / f"{name}.md", self.markdown())
        replace_file(folder / f"{name}.html", self.html(folder))
        return self

    def markdown(self) -> str:
        """Return the report as Markdown that refers to the images."""
        parts = [f"# {self.title}", f"    {self.command}"]
        parts.append("\n".join(f"- {key}: {value}" for key, value in self.about.items()))
        for section in self.sections:
            parts += [f"## {section.title}", *([section.text] if section.text else [])]
            if section.rows:
                parts.append(markdown_table(section.columns, section.rows))
            parts += [f"![{figure.caption}]({figure.file})" for figure in section.figures]
        return "\n\n".join(parts) + "\n"

    def html(self, folder: Path) -> str:
        """Return the report as one HTML file that contains the images."""
        esc = html.escape
        body = [f"<h1>{esc(self.title)}</h1>", f"<pre>{esc(self.command)}</pre>", "<ul>"]
        body += [f"<li>{esc(str(k))}: {esc(str(v))}</li>" for k, v in self.about.items()]
        body.append("</ul>")
        for section in self.sections:
            body += [f"<h2>{esc(section.title)}</h2>", paragraphs(section.text)]
            if section.rows:
                body.append(table(section.columns, section.rows))
            for figure in section.figures:
                image = base64.b64encode((folder / figure.file).read_bytes()).decode("ascii")
                kind = "svg+xml" if figure.file.endswith(".svg") else "png"
                body.append(
                    f'<figure><img alt="" src="data:image/{kind};base64,{image}">'
                    f"<figcaption>{esc(figure.caption)}</figcaption></figure>"
                )
        return page(self.title, "\n".join(body))
