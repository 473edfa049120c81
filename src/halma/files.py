"""Everything that the package changes on disk: atomic writes, appending, removal, locks; reading.

Before and after each operation stands a failpoint, a named place where a test injects a fault:
it kills the process there, or raises the error of a full disk. A test of the source tree refuses
files that are written in another way.
"""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO, cast

from halma.errors import HalmaError

#: Suffix of the temporary files; the process id of the writer stands before it.
TEMPORARY = ".tmp"

#: Called at every failpoint with the name of the place and the file, where a test sets it.
on_failpoint: Callable[[str, Path], None] | None = None


def failpoint(place: str, path: Path) -> None:
    """Mark a place where a test may inject a fault."""
    if on_failpoint is not None:
        on_failpoint(place, path)


@contextmanager
def failpoints(operation: str, path: Path) -> Iterator[None]:
    """Mark the places before and after an operation that succeeds."""
    failpoint(f"before {operation}", path)
    yield
    failpoint(f"after {operation}", path)


class _File(io.FileIO):
    """A file for writing, with failpoints around and inside what is written to it."""

    def __init__(self, path: Path, mode: str, shown: Path) -> None:
        super().__init__(path, mode)
        self._shown = shown

    def write(self, data: Any) -> int:
        """Write some or all of the data; return the number of bytes written."""
        if on_failpoint is None:
            return super().write(data)
        with failpoints("write", self._shown), memoryview(data).cast("B") as whole:
            done = super().write(whole[: len(whole) // 2])
            failpoint("during write", self._shown)
            return done + super().write(whole[done:])


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file for writing that replaces `path` on success.

    Readers of `path` see the old file or the complete new one. If the block raises, the old
    file stays. A link stays a link; a device or a pipe is written to as it is.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as device:
            yield device
        return
    path = Path(os.path.realpath(path))
    make_folder(path.parent)
    remove_temporary_files(path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        with io.BufferedWriter(_File(temporary, "wb", path)) as file:
            yield cast(BinaryIO, file)
            flush_to_disk(file, path)
        with failpoints("rename", path):
            temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            error.filename = str(path)
        raise
    _flush_folder(path)


def replace_file(path: Path, content: str | bytes) -> None:
    """Write `content` to `path` atomically; bytes of paths that are not UTF-8 become `?`."""
    with atomic_write(path) as file:
        file.write(content.encode(errors="replace") if isinstance(content, str) else content)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Make a temporary folder that becomes `path` on success; `path` is missing or empty."""
    path = Path(os.path.realpath(path))
    make_folder(path.parent)
    remove_temporary_files(path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        make_folder(temporary)
        yield temporary
        with failpoints("rename", path):
            temporary.replace(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _flush_folder(path)


def open_to_append(path: Path) -> BinaryIO:
    """Open a file to append to; call `flush_to_disk` after what must not be lost."""
    return cast(BinaryIO, io.BufferedWriter(_File(path, "ab", path)))


def flush_to_disk(file: io.BufferedWriter | BinaryIO, path: Path) -> None:
    """Flush what was written to a file, so that it survives a power failure."""
    with failpoints("flush", path):
        file.flush()
    with failpoints("fsync", path):
        os.fsync(file.fileno())


def make_folder(path: Path) -> None:
    """Make a folder and those above it, where they are missing."""
    if not path.is_dir():
        with failpoints("make folder", path):
            path.mkdir(parents=True, exist_ok=True)


def remove_file(path: Path) -> None:
    """Remove a file; it may be gone already."""
    with failpoints("remove", path):
        path.unlink(missing_ok=True)


def remove_folder(path: Path) -> None:
    """Remove a folder with all that is in it; it may be gone already."""
    with failpoints("remove", path):
        shutil.rmtree(path, ignore_errors=True)


def copy_file(path: Path, to: Path) -> None:
    """Copy a file into a folder that nobody else uses."""
    shutil.copyfile(path, to)


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
    """Remove the temporary files and folders of killed processes that were writing `path`."""
    for temporary in path.parent.glob(f"{escape(path.name)}.*{TEMPORARY}"):
        writer = temporary.name.removeprefix(f"{path.name}.").removesuffix(TEMPORARY)
        if writer.isdecimal() and not is_running(int(writer)):
            (remove_folder if temporary.is_dir() else remove_file)(temporary)


def take_lock(path: Path) -> BinaryIO:
    """Lock a file that holds our process id, until it is closed or this process ends.

    Raise a `BlockingIOError` if another process has it.
    """
    with failpoints("lock", path):
        lock = path.open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n".encode())
        lock.flush()
    return lock


def _flush_folder(path: Path) -> None:
    """Flush the folder of a file: its new name then survives a power failure."""
    with failpoints("folder fsync", path):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def is_running(process: int) -> bool:
    """Whether there is a process with this id."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
