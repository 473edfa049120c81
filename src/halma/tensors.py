"""Named arrays with a JSON description in one safetensors file, protected by a checksum.

Any program that reads safetensors reads these files; the description is in the metadata
under the key `halma`. Arrays are written from where they lie and read as a whole or row by
row, so that a file may be larger than what is left of the memory.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halma.errors import TensorFileError
from halma.files import atomic_write, open_file
from halma.structure import ArrayKind, Check, header_fault, parse_json, plain, values_fault

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Arrays = Mapping[str, Array]

SUFFIX = ".safetensors"
#: The key of the description in the file's metadata.
KEY = "halma"
_PREFIX = "iteration-"
#: Bytes that are read together.
_PORTION = 1 << 24
#: Longest header accepted, in bytes.
_MAX_HEADER = 1 << 24
#: The format's names of types, by numpy's.
_TYPES = {
    "bool": "BOOL",
    **{
        f"{kind}{bits}": f"{kind[0].upper()}{bits}"
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    **{f"float{bits}": f"F{bits}" for bits in (16, 32, 64)},
}


class TensorFile:
    """An open file, checked against its checksum."""

    def __init__(self, path: Path, description: dict[str, Any], tensors: Any) -> None:
        self.path = path
        #: what `write_tensors` was given
        self.description = description
        self._tensors = tensors
        # The library reads an array as a whole to return some of its rows.
        self._file = open_file(path, TensorFileError)
        (length,) = struct.unpack("<Q", self._file.read(8))
        self._header = json.loads(self._file.read(length))
        self._first_byte = 8 + length

    @property
    def names(self) -> list[str]:
        """Return the names of the arrays, in order."""
        return sorted(self._tensors.keys())

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array."""
        return tuple(self._tensors.get_slice(name).get_shape())

    def dtype(self, name: str) -> str:
        """Return the type of an array: numpy's name, or the format's where numpy has none."""
        found = self._tensors.get_slice(name).get_dtype()
        return next((name for name, theirs in _TYPES.items() if theirs == found), found)

    def __getitem__(self, name: str) -> Array:
        """Read an array."""
        array: Array = self._tensors.get_tensor(name)
        return array

    def rows(self, name: str, first: int, last: int) -> Array:
        """Read the rows from `first` to before `last` of an array."""
        import numpy as np

        about = self._header[name]
        number, *inner = about["shape"]
        array = np.empty((min(last, number) - first, *inner), dtype=self.dtype(name))
        row = array.dtype.itemsize * math.prod(inner)
        offset = self._first_byte + about["data_offsets"][0] + first * row
        if array.nbytes and os.preadv(self._file.fileno(), [array.data], offset) != array.nbytes:
            raise TensorFileError(f"'{self.path}' is cut short.")
        return array

    def arrays(self) -> dict[str, Array]:
        """Read all arrays."""
        return {name: self[name] for name in self.names}

    def copy_to(self, name: str, target: Array) -> None:
        """Read an array into one of the same shape, a portion at a time."""
        done = 0
        for portion in _portions(self, name):
            target[done : done + len(portion)] = portion
            done += len(portion)


def write_tensors(path: Path, arrays: Arrays, description: Mapping[str, Any]) -> None:
    """Write a file atomically. Arrays have to be contiguous.

    The library's own writer makes a second copy in memory, or replaces the file by itself
    without flushing it to the disk.
    """
    checksum = _checksum_of(description)
    for name, array in sorted(arrays.items()):
        checksum.update(_identity(name, array.dtype, array.shape))
        checksum.update(array.data)
    written = {**description, "checksum": checksum.hexdigest()}
    header: dict[str, Any] = {"__metadata__": {KEY: json.dumps(written)}}
    # Wide types first keep every array aligned.
    in_order = sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0]))
    offset = 0
    for name, array in in_order:
        header[name] = {
            "dtype": _TYPES[array.dtype.name],
            "shape": array.shape,
            "data_offsets": (offset, offset + array.nbytes),
        }
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with atomic_write(path) as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, array in in_order:
            file.write(array.data)


def open_tensors(
    path: Path,
    expected: Mapping[str, Any],
    structure: Check = plain,
    arrays: Callable[[TensorFile], Mapping[str, ArrayKind]] | None = None,
) -> TensorFile:
    """Open a file after checking that it is undamaged and has the contents that are wanted.

    `expected` has the values that parts of the description must have, `structure` checks the
    whole of it, and `arrays` returns what the arrays must be, by description and names.
    """
    file = _open(path)
    description = file.description
    for key, wanted in expected.items():
        if description.get(key) != wanted:
            raise TensorFileError(
                f"'{path}' is not used: its {key.replace('_', ' ')} is "
                f"{repr(description.get(key))[:60]}, but {wanted!r} is wanted."
            )
    written = description.pop("checksum", None)
    fault = structure(description)
    kinds: Mapping[str, ArrayKind] = {}
    if arrays is not None and not fault:
        kinds = arrays(file)
        fault = header_fault({n: (file.dtype(n), file.shape(n)) for n in file.names}, kinds)
    if fault:
        raise TensorFileError(f"'{path}' is not used: it {fault}.")
    checksum = _checksum_of(description)
    for name in file.names:
        if file.dtype(name) not in _TYPES:
            raise TensorFileError(f"'{path}' is not used: '{name[:60]}' has a type numpy lacks.")
        checksum.update(_identity(name, file.dtype(name), file.shape(name)))
        for portion in _portions(file, name):
            checksum.update(portion.data)
            if name in kinds:
                fault = fault or values_fault(name, portion, kinds[name])
    if checksum.hexdigest() != written:
        raise TensorFileError(f"'{path}' is not used: it is damaged, its checksum is wrong.")
    if fault:
        raise TensorFileError(f"'{path}' is not used: it {fault}.")
    return file


def _open(path: Path) -> TensorFile:
    """Open a file whose header is sound."""
    from safetensors import SafetensorError, safe_open

    damaged = TensorFileError(f"'{path}' is not used: it is cut short or damaged.")
    with open_file(path, TensorFileError) as start:
        # The library reads the header as a whole.
        if int.from_bytes(start.read(8), "little") > _MAX_HEADER:
            raise damaged
    try:
        tensors: Any = safe_open(path, framework="np", backend="pread")
        description = parse_json((tensors.metadata() or {}).get(KEY, "null"))
    except (SafetensorError, OSError, ValueError):
        raise damaged from None
    if not isinstance(description, dict):
        raise TensorFileError(f"'{path}' is not used: halma did not write it.")
    return TensorFile(path, description, tensors)


def iteration_file(folder: Path, iteration: int, suffix: str = SUFFIX) -> Path:
    """Return the file of an iteration in a folder that has one for each."""
    return folder / f"{_PREFIX}{iteration:06}{suffix}"


def list_iterations(folder: Path, suffix: str = SUFFIX) -> list[tuple[int, Path]]:
    """Return the iterations that have a file, with that file, newest first; none is opened."""
    found = []
    for path in folder.glob(f"{_PREFIX}*{suffix}"):
        digits = path.name.removeprefix(_PREFIX).removesuffix(suffix)
        if digits.isdecimal() and path == iteration_file(folder, int(digits), suffix):
            found.append((int(digits), path))
    return sorted(found, reverse=True)


def _checksum_of(description: Mapping[str, Any]) -> hashlib.blake2b:
    return hashlib.blake2b(json.dumps(description, sort_keys=True).encode(), digest_size=16)


def _identity(name: str, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> bytes:
    """Return what the checksum covers of an array besides its values."""
    return json.dumps([name, str(dtype), shape]).encode()


def _portions(file: TensorFile, name: str) -> Iterator[Array]:
    """Read an array in portions of a few megabytes, at least one."""
    shape = file.shape(name)
    if not math.prod(shape) or not shape:
        yield file[name]
        return
    step = max(1, _PORTION // file.rows(name, 0, 1).nbytes)
    for first in range(0, shape[0], step):
        yield file.rows(name, first, min(first + step, shape[0]))
