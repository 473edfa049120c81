"""Standard streams that withstand any terminal: closed, broken, full, or without Unicode.

- A closed stream becomes `/dev/null`, so that no file opened later takes its place.
- Standard output that is broken ends the program with status 141, as in programs that SIGPIPE
  ends; one that cannot be written for another reason (a full disk) with a sentence and status 2.
- Standard error never fails: what cannot be written is dropped, and the work goes on.
- Characters that the encoding lacks are replaced (`1/2` for `½`).
- Control characters are replaced, so that a text cannot send commands to the terminal. Escape
  sequences of colours stay on a terminal, and on standard error those that move the cursor.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import sys
import unicodedata
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_FAILED, _BROKEN_PIPE = 2, 141
#: The name of our error handler for encodings.
_REPLACE = "halma.plain"
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
_NOT_COLOUR = re.compile(rf"{_CONTROL}|\r|\x1b(?!\[[\d;]*m)")
_NOT_DISPLAY = re.compile(rf"{_CONTROL}|\x1b(?!\[\??[\d;]*[A-KJhlm])")
#: What stands for characters that have no ASCII letters in their decomposition.
_PLAIN = {
    "±": "+-", "×": "x", "→": "->", "←": "<-", "↑": "^", "↓": "v", "≥": ">=", "≤": "<=",
    "≠": "!=", "∞": "inf", "…": "...", "⁄": "/", "−": "-", "‐": "-", "‒": "-", "–": "-", "—": "-",
    "α": "alpha", "β": "beta", "γ": "gamma", "ε": "epsilon", "σ": "sigma",
    "▁": "_", "▂": ".", "▃": ",", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "█": "#",
}  # fmt: skip


def protect_streams() -> None:
    """Replace the standard streams of this process by such ones."""
    for number in range(3):
        _fill(number)
    codecs.register_error(_REPLACE, _replace_characters)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = _open(_Results(1, "w", closefd=False), sys.stdout, _NOT_COLOUR)
    sys.stderr = _open(_Notes(2, "w", closefd=False), sys.stderr, _NOT_DISPLAY)


def plain(text: str) -> str:
    """Return a text in ASCII, with replacements such as `1/2` for `½`."""
    shown = []
    for character in unicodedata.normalize("NFKD", text):
        if not unicodedata.combining(character):
            known = _PLAIN.get(character, "?")
            shown.append(character if character.isascii() else known)
    return "".join(shown)


class _Results(io.FileIO):
    """Standard output: the first error ends the program."""

    _failed = False

    def write(self, data: ReadableBuffer, /) -> int:
        if not self._failed:
            try:
                return super().write(data)
            except OSError as error:
                self._failed = True  # what is still buffered is written at exit
                if error.errno == errno.EPIPE:
                    raise SystemExit(_BROKEN_PIPE) from None
                print(f"halma: Standard output: {error.strerror}.", file=sys.stderr)
                raise SystemExit(_FAILED) from None
        return memoryview(data).nbytes


class _Notes(io.FileIO):
    """Standard error: what cannot be written is dropped."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Text(io.TextIOWrapper):
    """A stream of text without control characters."""

    unwanted = _NOT_COLOUR

    def write(self, text: str, /) -> int:
        super().write(self.unwanted.sub("?", text))
        return len(text)


def _open(raw: io.FileIO, before: TextIO | None, unwanted: re.Pattern[str]) -> TextIO:
    """Return a stream on a file, buffered and encoded like the one before."""
    at_once = raw.isatty() if before is None else before.line_buffering
    if isinstance(before, io.TextIOWrapper):
        at_once = at_once or before.write_through
        before.flush()
    opened = _Text(
        io.BufferedWriter(raw),
        encoding="utf-8" if before is None else before.encoding,
        errors=_REPLACE,
        line_buffering=bool(at_once),
    )
    opened.unwanted = unwanted
    return opened


def _fill(number: int) -> None:
    """Open `/dev/null` as a standard stream that is closed."""
    try:
        os.fstat(number)
    except OSError:
        opened = os.open(os.devnull, os.O_RDWR)
        os.dup2(opened, number)
        if opened == number:
            os.set_inheritable(number, True)
        else:
            os.close(opened)


def _replace_characters(error: UnicodeError) -> tuple[str, int]:
    """Replace the characters that cannot be encoded; a fraction keeps apart from a number."""
    assert isinstance(error, UnicodeEncodeError)
    before, found = error.object[: error.start][-1:], plain(error.object[error.start : error.end])
    apart = " " if before.isdigit() and found[:1].isdigit() else ""
    return apart + found, error.end
