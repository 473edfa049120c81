"""Atomic file writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

#: Suffix of the temporary files; the process id of the writer stands before it.
TEMPORARY = ".tmp"


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file for writing that replaces `path` on success.

    Readers of `path` see the old file or the complete new one. If the block raises, the old
    file stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    # A new name survives a power failure once its directory is flushed.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def replace_file(path: Path, content: str | bytes) -> None:
    """Write `content` to `path` atomically; bytes of paths that are not UTF-8 become `?`."""
    with atomic_write(path) as file:
        file.write(content.encode(errors="replace") if isinstance(content, str) else content)


def remove_temporary_files(path: Path) -> None:
    """Remove the temporary files of killed processes that were writing `path`."""
    for temporary in path.parent.glob(f"{path.name}.*{TEMPORARY}"):
        writer = temporary.name.removeprefix(f"{path.name}.").removesuffix(TEMPORARY)
        if writer.isdigit() and not _is_running(int(writer)):
            temporary.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
