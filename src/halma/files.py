"""Atomic file writes, and reading what may be anything."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from halma.errors import HalmaError

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


def open_file(path: Path, error: type[HalmaError] = HalmaError) -> BinaryIO:
    """Open a file for reading, or raise an `error`: also where it is a folder or a pipe.

    Opening a pipe does not wait for a writer.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise error(f"There is no file '{path}'.") from None
    except OSError as fault:
        raise error(f"'{path}' cannot be read: {fault.strerror}.") from None
    except ValueError:
        raise error(f"{str(path)!r} cannot be the name of a file.") from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "a folder" if stat.S_ISDIR(mode) else "not a file"
        raise error(f"'{path}' cannot be read: it is {what}.")
    return os.fdopen(descriptor, "rb")


def read_file(path: Path, most: int, error: type[HalmaError] = HalmaError) -> bytes:
    """Return the bytes of a file, or raise an `error`: also where it has more than `most`."""
    with open_file(path, error) as file:
        try:
            content = file.read(most + 1)
        except OSError as fault:
            raise error(f"'{path}' cannot be read: {fault.strerror}.") from None
    if len(content) > most:
        raise error(f"'{path}' is too large: it has more than {most:,} bytes.")
    return content


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
