"""Tables on disk: arrays with a header, checksummed, written atomically, mapped when read.

A file is a magic word, the length and checksum of a header, the header in JSON, and the
arrays, each at an offset that is a multiple of 64. The header names the variant, the
version of its rules, and every array with type, length, offset and checksum, so that a
file that is cut short, damaged or meant for something else is found out before use.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from halma.errors import TableError
from halma.files import atomic_write, remove_temporary_files
from halma.games import Game

MAGIC = b"halmatbl"
FORMAT = 1
SUFFIX = ".table"
_PREAMBLE = struct.Struct("<8sI16s")
_ALIGN = 64
_DIGEST = 16
#: What a header may take at most; a longer one is no header of ours.
_LONGEST_HEADER = 1 << 20
_PORTION = 1 << 24

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Parts:
    """An array of bytes that is made part by part, because there is no room for it twice."""

    size: int
    #: makes so many bytes from a place on
    make: Callable[[int, int], npt.NDArray[np.uint8]]
    dtype = np.dtype(np.uint8)

    @property
    def nbytes(self) -> int:
        """Return how large the array is."""
        return self.size

    def whole(self) -> npt.NDArray[np.uint8]:
        """Return the array in one part."""
        return self.make(0, self.size)


Writable = Mapping[str, npt.NDArray[Any] | Parts]


@dataclass(frozen=True)
class Table:
    """What a file holds: arrays, mapped and read-only, and what is known about them."""

    path: Path
    kind: str
    #: what `save` was given
    about: dict[str, Any]
    arrays: Arrays


def tables_folder() -> Path:
    """Return where tables are kept: `$HALMA_TABLES`, or `tables` where the person stands."""
    return Path(os.environ.get("HALMA_TABLES") or "tables")


def table_path(game: Game, folder: Path | None = None, pieces: int | None = None) -> Path:
    """Return where the table of a variant, or of its endings with few pieces, belongs."""
    # Some systems do not allow a colon in a file name.
    name = game.name.replace(":", ",")
    part = "" if pieces is None else f",pieces={pieces}"
    return (folder or tables_folder()) / f"{name}{part}{SUFFIX}"


def save(path: Path, game: Game, kind: str, about: Mapping[str, Any], arrays: Writable) -> None:
    """Write a table; whoever looks at `path` sees the old file or the whole new one.

    The arrays are gone through once. Their checksums are known only then, so the header,
    which comes first, is written last.
    """
    remove_temporary_files(path)
    entries: list[dict[str, Any]] = []
    offset = 0
    for name, array in arrays.items():
        offset = _aligned(offset)
        entries.append(
            {
                "name": name,
                "dtype": array.dtype.str,
                "length": array.size,
                "offset": offset,
                "checksum": "0" * 2 * _DIGEST,
            }
        )
        offset += array.nbytes
    whole = {**_identity(game), "kind": kind, "about": dict(about), "arrays": entries}
    whole["bytes"] = offset
    header = json.dumps(whole).encode()
    with atomic_write(path) as file:
        file.write(b"\0" * _PREAMBLE.size)
        file.write(header)
        start = _aligned(file.tell())
        for entry, array in zip(entries, arrays.values(), strict=True):
            file.write(b"\0" * (start + entry["offset"] - file.tell()))
            digest = hashlib.blake2b(digest_size=_DIGEST)
            for portion in _portions(array):
                digest.update(portion)
                file.write(portion)
            entry["checksum"] = digest.hexdigest()
        header = json.dumps(whole).encode()
        file.seek(0)
        file.write(_PREAMBLE.pack(MAGIC, len(header), _digest(header)))
        file.write(header)


def load(path: Path, game: Game, kind: str | None = None) -> Table:
    """Map a table after checking that it is whole and belongs to this variant."""
    header, start = _read_header(path)
    for key, expected in _identity(game).items():
        if header.get(key) != expected:
            raise TableError(
                f"'{path}' is not used: its {key.replace('_', ' ')} is {header.get(key)!r}, "
                f"but {expected!r} is wanted."
            )
    if kind is not None and header["kind"] != kind:
        raise TableError(f"'{path}' is not used: it is a {header['kind']}, not a {kind}.")
    if path.stat().st_size != start + header["bytes"]:
        raise TableError(f"'{path}' is not used: it is cut short or has something added.")
    arrays: dict[str, npt.NDArray[Any]] = {}
    for entry in header["arrays"]:
        offset, dtype = start + entry["offset"], np.dtype(entry["dtype"])
        # Read, not mapped: what is mapped and looked at counts as memory of this process.
        octets = _read_portions(path, offset, dtype.itemsize * entry["length"])
        if _checksum(octets) != entry["checksum"]:
            raise TableError(f"'{path}' is not used: '{entry['name']}' in it is damaged.")
        arrays[entry["name"]] = np.memmap(
            path, dtype=dtype, mode="r", offset=offset, shape=(entry["length"],)
        )
    return Table(path, header["kind"], header["about"], arrays)


def variant_of(path: Path) -> str:
    """Return the name of the variant that a table is of."""
    return str(_read_header(path)[0]["variant"])


def _identity(game: Game) -> dict[str, Any]:
    """What must agree between a file and a game."""
    return {
        "format": FORMAT,
        "variant": game.name,
        "rules_version": game.core.version,
        "index_size": game.core.index_size,
    }


def _read_header(path: Path) -> tuple[dict[str, Any], int]:
    """Return the header and where the arrays start."""
    with open(path, "rb") as file:
        preamble = file.read(_PREAMBLE.size)
        if len(preamble) < _PREAMBLE.size or not preamble.startswith(MAGIC):
            raise TableError(f"'{path}' is not used: it is not a table of halma.")
        _, length, digest = _PREAMBLE.unpack(preamble)
        header = file.read(length) if length <= _LONGEST_HEADER else b""
    if _digest(header) != digest:
        raise TableError(f"'{path}' is not used: its header is damaged.")
    found: dict[str, Any] = json.loads(header)
    return found, _aligned(_PREAMBLE.size + length)


def _aligned(offset: int) -> int:
    return (offset + _ALIGN - 1) // _ALIGN * _ALIGN


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def _portions(array: npt.NDArray[Any] | Parts) -> Iterator[memoryview]:
    if isinstance(array, Parts):
        for start in range(0, array.size, _PORTION):
            yield array.make(start, min(_PORTION, array.size - start)).data
        return
    octets: npt.NDArray[Any] = np.ascontiguousarray(array).view(np.uint8)
    for start in range(0, len(octets), _PORTION):
        yield octets[start : start + _PORTION].data


def _read_portions(path: Path, offset: int, length: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        file.seek(offset)
        for start in range(0, length, _PORTION):
            yield file.read(min(_PORTION, length - start))


def _checksum(portions: Iterable[memoryview | bytes]) -> str:
    digest = hashlib.blake2b(digest_size=_DIGEST)
    for portion in portions:
        digest.update(portion)
    return digest.hexdigest()
