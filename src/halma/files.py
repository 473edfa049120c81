"""Files that are either as they were or as they should be, whatever happens meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

#: Ends the name of a file that is still being written.
UNFINISHED = ".tmp"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file; whoever looks at `path` sees the old one or the whole new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        with beside.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make sure that a new name in a folder survives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
