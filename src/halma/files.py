"""Atomic file writes, and opening what is to be an ordinary file."""

from __future__ import annotations

import errno
import os
import stat
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
    """Write `content` to `path` atomically."""
    with atomic_write(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def open_regular_file(path: Path) -> BinaryIO:
    """Open a regular file for reading; raise an `OSError` for a FIFO, a device and the like.

    Opening a FIFO or reading a terminal would wait for somebody who writes.
    """
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "It is not a regular file", str(path))
    return os.fdopen(number, "rb")


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
