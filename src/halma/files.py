"""Files that are either as they were or as they should be, whatever happens meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

#: Ends the name of a file that is still being written; before it is the writer's process.
UNFINISHED = ".tmp"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to that becomes `path` at the end.

    Whoever looks at `path` sees the old file or the whole new one; if writing fails, the old.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file; whoever looks at `path` sees the old one or the whole new one."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def remove_leftovers(path: Path) -> None:
    """Remove what writers of this file left behind when they were killed."""
    for leftover in path.parent.glob(f"{path.name}.*{UNFINISHED}"):
        writer = leftover.name.removeprefix(f"{path.name}.").removesuffix(UNFINISHED)
        if writer.isdigit() and not _is_running(int(writer)):
            leftover.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Make sure that a new name in a folder survives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
