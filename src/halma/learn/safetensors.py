"""The safetensors format: named arrays behind a header in JSON, and nothing to execute.

Eight bytes hold the length of the header, the header says of every array its type, shape
and place, and under `__metadata__` holds texts of our own.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]

#: what a header may take at most; a longer one is no header of ours
LONGEST_HEADER = 1 << 20
#: names of types -> numpy's; the only ones a network has
_TYPES = {"F32": "<f4", "I64": "<i8"}
_NAMES = {np.dtype(dtype): name for name, dtype in _TYPES.items()}
_LENGTH = struct.Struct("<Q")


class SafetensorsError(ValueError):
    """Bytes that are not of this format; the message is the end of a sentence."""


def data_of(arrays: Arrays) -> bytes:
    """Return what stands behind the header."""
    return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())


def pack(arrays: Arrays, metadata: Mapping[str, str]) -> bytes:
    """Return a whole file."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    offset = 0
    for name, array in arrays.items():
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    written = json.dumps(header).encode()
    written += b" " * (-len(written) % 8)  # arrays start at a multiple of eight
    return _LENGTH.pack(len(written)) + written + data_of(arrays)


def looks_like_it(data: bytes) -> bool:
    """Tell whether a file may be of this format, by its first bytes."""
    return data[8:9] == b"{"


def unpack(data: bytes) -> tuple[dict[str, str], dict[str, npt.NDArray[Any]], memoryview]:
    """Return metadata, arrays (read-only views) and what stands behind the header."""
    (length,) = _LENGTH.unpack_from(data)
    if length > LONGEST_HEADER:
        raise SafetensorsError("its header is too long")
    if 8 + length > len(data):
        raise SafetensorsError("it is cut short")
    try:
        header = json.loads(data[8 : 8 + length])
    except (ValueError, RecursionError):
        raise SafetensorsError("its header is damaged") from None
    metadata = header.pop("__metadata__", {}) if isinstance(header, dict) else None
    if not isinstance(metadata, dict):
        raise SafetensorsError("its header is damaged")
    body = memoryview(data)[8 + length :]
    arrays: dict[str, npt.NDArray[Any]] = {}
    end = 0
    for name, entry in header.items():
        end = _place(arrays, name, entry, body, end)
    if end != len(body):
        raise SafetensorsError("it is cut short or has something added")
    return metadata, arrays, body


def _place(
    arrays: dict[str, npt.NDArray[Any]], name: str, entry: object, body: memoryview, start: int
) -> int:
    """Add the array that must start where the last one ended; return where it ends."""
    try:
        dtype = np.dtype(_TYPES[entry["dtype"]])  # type: ignore[index]
        shape = [int(side) for side in entry["shape"]]  # type: ignore[index]
        first, last = map(int, entry["data_offsets"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise SafetensorsError("its header is damaged") from None
    sensible = len(shape) <= 8 and all(0 <= side < 1 << 31 for side in shape)
    if not sensible or first != start or last != start + math.prod(shape) * dtype.itemsize:
        raise SafetensorsError("its header is damaged")
    if last > len(body):
        raise SafetensorsError("it is cut short")
    arrays[name] = np.frombuffer(body[first:last], dtype).reshape(shape)
    return last
