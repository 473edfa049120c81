"""Standard input and output of an engine: lines in, lines out, from several threads."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

#: characters of a line; a longer one is an error
LONGEST_LINE = 1 << 20

_lock = threading.Lock()


def read_lines() -> Iterator[str | None]:
    """Yield the lines of standard input; None for one that is too long."""
    stream = sys.stdin.buffer
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(LONGEST_LINE)
            yield None
        elif text := line.decode(errors="replace").strip():
            yield text


def write_line(text: str) -> None:
    """Write a line at once, whole; where nobody reads any longer, the process ends."""
    try:
        with _lock:
            print(text, flush=True)
    except SystemExit as leaving:
        if threading.current_thread() is threading.main_thread():
            raise
        os._exit(leaving.code if isinstance(leaving.code, int) else 1)
