"""The files of the page, read into memory: a request is looked up by its path, never opened."""

from __future__ import annotations

import hashlib
import mimetypes
import time
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

STATIC = Path(__file__).parent / "static"
_INDEX = "index.html"
#: Seconds after which files are compared with those in memory.
_FRESH = 1.0


@dataclass(frozen=True)
class _PageFile:
    content: bytes
    kind: str
    tag: str
    #: time of change and size on disk
    stamp: tuple[int, int]


@dataclass
class PageFiles:
    """The files of a folder by their paths in it."""

    folder: Path = STATIC
    _files: dict[str, _PageFile] = field(default_factory=dict, repr=False)
    _read_at: float = field(default=-_FRESH, repr=False)

    def respond(self, request: Request) -> Response | None:
        """Return a file of the page, or None; addresses within the page give its start."""
        self._refresh()
        path = request.url.path.strip("/")
        name = path or _INDEX
        found = self._files.get(name)
        if found is None and "." not in path.rpartition("/")[2]:
            found = self._files.get(_INDEX)
        if found is None:
            return None
        headers = {"ETag": found.tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, media_type=found.kind, headers=headers)

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._read_at < _FRESH:
            return
        self._read_at = now
        files: dict[str, _PageFile] = {}
        for path in sorted(self.folder.rglob("*")):
            if not path.is_file():
                continue
            name, about = path.relative_to(self.folder).as_posix(), path.stat()
            stamp = about.st_mtime_ns, about.st_size
            known = self._files.get(name)
            files[name] = (
                known if known is not None and known.stamp == stamp else _read(path, stamp)
            )
        self._files = files


def _read(path: Path, stamp: tuple[int, int]) -> _PageFile:
    content = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if path.suffix in (".js", ".mjs"):
        kind = "text/javascript"
    tag = f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'
    return _PageFile(content, kind, tag, stamp)
