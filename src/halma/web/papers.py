"""Routes of texts: the rules of games, and the results of the papers with their figures.

They are the pages of docs/, installed with the package, or those of the folder that the package
is used from. Markdown is rendered without HTML of its own, so what a page can contain is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, Query
from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.responses import Response

from halma.games import families
from halma.games.registry import variant as find_variant
from halma.web.games import NotFoundError
from halma.web.requests import VariantName

_PACKAGE = Path(__file__).parents[1]
#: where an installed package has its pages, and where a checkout has them
_PLACES = (_PACKAGE / "docs", _PACKAGE.parents[1] / "docs")
#: folders of docs/ that are served
_RESULTS, _RULES = "results", "rules"
_FOLDERS = (_RESULTS, _RULES, "models")
_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}
_HEADING = re.compile(r"^# (.+)$", re.M)
#: marks of generated parts, which a page without HTML would show
_COMMENT = re.compile(r"^<!--.*?-->$", re.M)
PageName = Annotated[str, Query(min_length=1, max_length=200)]


@dataclass
class DocumentFolder:
    """The pages and figures of docs/, by their names without suffix and by their paths."""

    pages: dict[str, Path] = field(default_factory=dict)
    figures: dict[str, Path] = field(default_factory=dict)

    @classmethod
    @cache
    def find(cls) -> DocumentFolder:
        """Return the documents that are there; none if neither place has them."""
        found = cls()
        root = next((place for place in _PLACES if (place / _RULES).is_dir()), None)
        paths = root.rglob("*") if root is not None else ()
        # Without suffixes a page stands before those whose names go on after its own.
        for path in sorted(paths, key=lambda path: path.with_suffix("")):
            assert root is not None
            name = path.relative_to(root)
            if name.parts[0] not in _FOLDERS:
                continue
            if path.suffix == ".md":
                found.pages[str(name.with_suffix(""))] = path
            elif path.suffix in _TYPES:
                found.figures[str(name)] = path
        return found

    def page(self, name: str) -> dict[str, Any]:
        """Return a page as HTML."""
        path = self.pages.get(name)
        if path is None:
            raise NotFoundError(f"There is no page '{name[:60]}'.")
        text = path.read_text(encoding="utf-8")
        return {"id": name, "title": _title(text, name), "html": self._render(text, name)}

    def figure(self, name: str) -> Response:
        """Return a figure."""
        path = self.figures.get(name)
        if path is None:
            raise NotFoundError(f"There is no figure '{name[:60]}'.")
        return Response(path.read_bytes(), media_type=_TYPES[path.suffix])

    def _render(self, text: str, name: str) -> str:
        markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        tokens = markdown.parse(_COMMENT.sub("", text))
        for token in tokens:
            _align_by_class(token)
            if token.children:
                self._redirect(token.children, PurePosixPath(name).parent)
        _number_headings(tokens)
        rendered: str = markdown.renderer.render(tokens, markdown.options, {})
        return rendered

    def _redirect(self, tokens: list[Token], folder: PurePosixPath) -> None:
        """Let figures and links to pages lead to this server; of other links the text remains."""
        for token in tokens:
            if token.type == "image":
                target = _resolved(folder, str(token.attrs.get("src", "")))
                found = f"/api/figure?name={target}" if target in self.figures else ""
                token.attrs["src"] = found
            elif token.type == "link_open":
                token.attrs = self._link(str(token.attrs.get("href", "")), folder)
        tokens[:] = _without_dead_links(tokens)

    def _link(self, href: str, folder: PurePosixPath) -> dict[str, str | int | float]:
        """Return the attributes of a link as it leads from this server; none if nowhere."""
        path, _, anchor = href.partition("#")
        target = _resolved(folder, path).removesuffix(".md")
        if path and target in self.pages:
            address = f"/papers/{target}" + (f"#{anchor}" if anchor else "")
            return {"href": address, "data-page": target}
        return {"href": href} if not path or href.startswith("https://") else {}


def routes() -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["papers"])

    @router.get("/papers")
    def papers() -> dict[str, Any]:
        """Return the pages there are."""
        documents = DocumentFolder.find()
        return {
            "papers": [
                {"id": name, "title": _title(path.read_text(encoding="utf-8"), name)}
                for name, path in documents.pages.items()
                if not name.startswith(f"{_RULES}/")
            ]
        }

    @router.get("/paper")
    def paper(name: PageName) -> dict[str, Any]:
        """Return a page as HTML."""
        return DocumentFolder.find().page(name)

    @router.get("/figure", response_class=Response)
    def figure(name: PageName) -> Response:
        """Return a figure of a page."""
        return DocumentFolder.find().figure(name)

    @router.get("/rules")
    def rules(variant: VariantName) -> dict[str, Any]:
        """Return the rules of a variant's family as HTML."""
        game = find_variant(variant)
        page = next(family.page for family in families() if family.title == game.title)
        if not page:
            raise NotFoundError(f"There is no page of rules of '{game.title}'.")
        return DocumentFolder.find().page(f"{_RULES}/{page}")

    return router


def _title(text: str, name: str) -> str:
    found = _HEADING.search(text)
    return found[1].replace("`", "") if found else name


def _resolved(folder: PurePosixPath, target: str) -> str:
    """Return a relative link as a path in docs/; nothing for what leads out of it."""
    parts: list[str] = []
    for part in (folder / target).parts:
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _without_dead_links(tokens: list[Token]) -> list[Token]:
    """Return tokens without the marks of links that lead nowhere; links do not nest."""
    found, inside_dead = [], False
    for token in tokens:
        if token.type == "link_open":
            inside_dead = "href" not in token.attrs
        if not (inside_dead and token.type in ("link_open", "link_close")):
            found.append(token)
    return found


def _align_by_class(token: Token) -> None:
    """Name the alignment of a table's cell by a class: the page allows no styles of elements."""
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrs["class"] = f"align-{style.removeprefix('text-align:')}"


def _number_headings(tokens: list[Token]) -> None:
    """Give headings the ids that links of Markdown use."""
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            words = re.sub(r"[^\w\- ]", "", inline.content.lower())
            token.attrs["id"] = words.replace(" ", "-")
