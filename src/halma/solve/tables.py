"""Tables and checkpoints on disk: written atomically, memory-mapped when read.

A file is a magic word, the length and checksum of a header, the header in JSON, and the
arrays, each at an offset that is a multiple of 64. The header names the variant, the
version of its rules, and every array with type, length, offset and checksum, so that a
truncated, damaged or foreign file is refused before use. An `ArrayLayout` declares the rest.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from halma.errors import TableError
from halma.files import atomic_write, open_file
from halma.games import Game
from halma.structure import (
    ArrayKind,
    Check,
    fields,
    header_fault,
    list_of,
    parse_json,
    text,
    values_fault,
    whole,
)

MAGIC = b"halmatbl"
FORMAT = 1
SUFFIX = ".table"
_PREAMBLE = struct.Struct("<8sI16s")
_ALIGN = 64
_DIGEST = 16
#: Longest header accepted, in bytes.
_MAX_HEADER = 1 << 20
#: Bytes read or written at a time.
_CHUNK = 1 << 24

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class LazyArray:
    """An array of bytes computed chunk by chunk, where memory does not hold it as a whole."""

    size: int
    #: (first, number) -> that many bytes from there on, shape (number,)
    compute: Callable[[int, int], npt.NDArray[np.uint8]]
    dtype = np.dtype(np.uint8)

    @property
    def nbytes(self) -> int:
        """Return the size of the array in bytes."""
        return self.size

    def array(self) -> npt.NDArray[np.uint8]:
        """Compute the array as a whole."""
        return self.compute(0, self.size)


Writable = Mapping[str, npt.NDArray[Any] | LazyArray]

_ENTRY = {"name": text(60), "dtype": text(20), "length": whole(), "offset": whole()}
_HEADER = fields(
    {
        "kind": text(60),
        "about": fields({}),
        "arrays": list_of(fields({**_ENTRY, "checksum": text(60)})),
        "bytes": whole(),
    }
)


@dataclass(frozen=True)
class ArrayLayout:
    """What a file of some kind must hold."""

    about: Check
    #: the arrays, given what `about` says and the names that the file has
    arrays: Callable[[dict[str, Any], list[str]], Mapping[str, ArrayKind]]


@dataclass(frozen=True)
class ArrayFile:
    """The contents of a file; its arrays are memory-mapped and read-only."""

    #: what the arrays are, e.g. "checkpoint"
    kind: str
    #: further information, as given to `save_arrays`
    about: dict[str, Any]
    #: by name, each of shape (length,)
    arrays: Arrays


def tables_folder() -> Path:
    """Return the folder of tables: `$HALMA_TABLES`, or `tables` in the current directory."""
    return Path(os.environ.get("HALMA_TABLES") or "tables")


def table_path(game: Game, folder: Path | None = None, pieces: int | None = None) -> Path:
    """Return the file of a variant's table, or of its endgame tables up to `pieces` pieces."""
    # Some systems forbid a colon in a file's name, and a game of the user may have any name.
    name = re.sub(r"[^\w.,=+-]", ",", game.identity)
    part = "" if pieces is None else f",pieces={pieces}"
    return (folder or tables_folder()) / f"{name}{part}{SUFFIX}"


def save_arrays(
    path: Path, game: Game, kind: str, about: Mapping[str, Any], arrays: Writable
) -> None:
    """Write a file atomically.

    Each array is read once. The header holds their checksums, so it is written last although
    it comes first.
    """
    entries: list[dict[str, Any]] = []
    offset = 0
    for name, array in arrays.items():
        offset = _aligned(offset)
        place = {"dtype": array.dtype.str, "length": array.size, "offset": offset}
        entries.append({"name": name, **place, "checksum": "0" * 2 * _DIGEST})
        offset += array.nbytes
    contents = {**_identity(game), "kind": kind, "about": dict(about), "arrays": entries}
    contents["bytes"] = offset
    header = json.dumps(contents).encode()
    with atomic_write(path) as file:
        file.write(b"\0" * _PREAMBLE.size)
        file.write(header)
        start = _aligned(file.tell())
        for entry, array in zip(entries, arrays.values(), strict=True):
            file.write(b"\0" * (start + entry["offset"] - file.tell()))
            digest = hashlib.blake2b(digest_size=_DIGEST)
            for chunk in _chunks(array):
                digest.update(chunk)
                file.write(chunk)
            entry["checksum"] = digest.hexdigest()
        header = json.dumps(contents).encode()
        file.seek(0)
        file.write(_PREAMBLE.pack(MAGIC, len(header), _digest(header)))
        file.write(header)


def load_arrays(path: Path, game: Game, layouts: Mapping[str, ArrayLayout]) -> ArrayFile:
    """Map a file after checking that it is complete, of this variant, and laid out as its kind.

    `layouts` has the kinds that are wanted.
    """
    with open_file(path, TableError) as file:
        header, start = _read_header(path, file)
        for key, expected in _identity(game).items():
            if header.get(key) != expected:
                raise TableError(
                    f"'{path}' is not used: its {key.replace('_', ' ')} is "
                    f"{repr(header.get(key))[:60]}, but {expected!r} is wanted."
                )
        if fault := _HEADER(header):
            raise TableError(f"'{path}' is not used: it {fault}.")
        kind, about, entries = header["kind"], header["about"], header["arrays"]
        if kind not in layouts:
            wanted = " or ".join(layouts) or "table"
            raise TableError(f"'{path}' is not used: it is of kind '{kind}', not {wanted}.")
        if os.fstat(file.fileno()).st_size != start + header["bytes"]:
            raise TableError(f"'{path}' is not used: its length is not the one in its header.")
        kinds, fault = _kinds(layouts[kind], about, entries, header["bytes"])
        for entry in () if fault else entries:
            name = entry["name"]
            checksum = hashlib.blake2b(digest_size=_DIGEST)
            # It is read, not mapped: mapped pages that were touched count as memory of this
            # process.
            file.seek(start + entry["offset"])
            for part in _parts(entry):
                portion = np.frombuffer(file.read(part), entry["dtype"])
                checksum.update(portion.data)
                fault = fault or values_fault(name, portion, kinds[name])
            if checksum.hexdigest() != entry["checksum"]:
                raise TableError(f"'{path}' is not used: '{name}' in it is damaged.")
        if fault:
            raise TableError(f"'{path}' is not used: it {fault}.")
        return ArrayFile(
            kind, about, {entry["name"]: _map(file, start, entry) for entry in entries}
        )


def _kinds(
    layout: ArrayLayout, about: dict[str, Any], entries: list[dict[str, Any]], size: int
) -> tuple[Mapping[str, ArrayKind], str]:
    """Return what the arrays must be, and what is wrong before any of them is read."""
    if fault := layout.about(about):
        return {}, f"has an 'about' that {fault}"
    names = {np.dtype(name).str: name for name in ("uint8", "uint64", "float64")}
    found = {e["name"]: (names.get(e["dtype"], e["dtype"]), (e["length"],)) for e in entries}
    kinds = layout.arrays(about, [*found])
    if len(found) < len(entries):
        return kinds, "has two arrays of one name"
    if fault := header_fault(found, kinds):
        return kinds, fault
    ends = [e["offset"] + e["length"] * np.dtype(e["dtype"]).itemsize for e in entries]
    if max(ends, default=0) > size or any(e["offset"] % _ALIGN for e in entries):
        return kinds, "has an array that is not where it should be"
    return kinds, ""


def _parts(entry: dict[str, Any]) -> Iterator[int]:
    """Yield how many bytes of an array are read at a time."""
    length = entry["length"] * np.dtype(entry["dtype"]).itemsize
    for start in range(0, length, _CHUNK):
        yield min(_CHUNK, length - start)


def _map(file: BinaryIO, start: int, entry: dict[str, Any]) -> npt.NDArray[Any]:
    length = entry["length"]
    if not length:  # nothing can be mapped
        return np.zeros(0, entry["dtype"])
    return np.memmap(file, entry["dtype"], "r", start + entry["offset"], (length,))


def _identity(game: Game) -> dict[str, Any]:
    """Return the header entries that must match the game."""
    return {
        "format": FORMAT,
        "variant": game.identity,
        "rules_version": game.core.version,
        "index_size": game.core.index_size,
    }


def _read_header(path: Path, file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Return the header and where the arrays start."""
    preamble = file.read(_PREAMBLE.size)
    if len(preamble) < _PREAMBLE.size or not preamble.startswith(MAGIC):
        raise TableError(f"'{path}' is not used: it is not an array file of halma.")
    _, length, digest = _PREAMBLE.unpack(preamble)
    header = file.read(length) if length <= _MAX_HEADER else b""
    try:
        found = parse_json(header) if _digest(header) == digest else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise TableError(f"'{path}' is not used: its header is damaged.")
    return found, _aligned(_PREAMBLE.size + length)


def _aligned(offset: int) -> int:
    return (offset + _ALIGN - 1) // _ALIGN * _ALIGN


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def _chunks(array: npt.NDArray[Any] | LazyArray) -> Iterator[memoryview]:
    if isinstance(array, LazyArray):
        for start in range(0, array.size, _CHUNK):
            yield array.compute(start, min(_CHUNK, array.size - start)).data
        return
    octets: npt.NDArray[Any] = np.ascontiguousarray(array).view(np.uint8)
    for start in range(0, len(octets), _CHUNK):
        yield octets[start : start + _CHUNK].data
