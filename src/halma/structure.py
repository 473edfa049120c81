"""The structure of what a file contains, declared, and checked before anything uses it.

A checksum tells that a file is as it was written, and nothing about what was written. Readers
declare the keys, types and ranges of a JSON value, or the types, shapes and ranges of arrays. A
check returns what is wrong as a clause that follows the name of the file ("has no 'format'"), or
an empty string.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

#: Returns what is wrong with a value.
Check = Callable[[Any], str]

#: The largest whole number that the core and a database can hold.
LARGEST = 2**63 - 1
#: Levels of lists and objects in each other.
_DEEPEST = 32


def parse_json(data: bytes | str) -> Any:
    """Return the value of a JSON text, or raise a `ValueError`."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if fault := plain(value):
        raise ValueError(f"it {fault}")
    return value


def plain(value: Any) -> str:
    """Check any JSON value: not too deep, and numbers that other programs can hold."""
    return _plain(value, _DEEPEST)


def _plain(value: Any, levels: int) -> str:
    if isinstance(value, list | dict):
        if levels == 0:
            return "is nested too deeply"
        inner: Iterable[Any] = value if isinstance(value, list) else value.values()
        return next((fault for one in inner if (fault := _plain(one, levels - 1))), "")
    if isinstance(value, int) and not -LARGEST <= value <= 2 * LARGEST + 1:
        return "holds a number of more than 64 bits"
    if isinstance(value, str) and not _is_unicode(value):
        return "holds a text that is not Unicode"
    return ""


def _is_unicode(text: str) -> bool:
    """Whether a text is one: JSON can name half of a pair of surrogates.

    Those that stand for bytes of a path that are not characters are allowed.
    """
    return not any("\ud800" <= c <= "\udfff" and not "\udc80" <= c <= "\udcff" for c in text)


def whole(low: int = 0, high: int = LARGEST) -> Check:
    """Check a whole number."""
    allowed = f" from {low:,}" + ("" if high == LARGEST else f" to {high:,}")

    def check(value: Any) -> str:
        right = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return "" if right else f"is not a whole number{allowed}"

    return check


def real(low: float = -math.inf, high: float = math.inf) -> Check:
    """Check a finite number."""
    bounds = [f" from {low:g}"] if low > -math.inf else []
    bounds += [f" to {high:g}"] if high < math.inf else []

    def check(value: Any) -> str:
        right = isinstance(value, int | float) and not isinstance(value, bool)
        # A whole number may be too large for a float; comparing is exact.
        right = right and -_HUGE <= value <= _HUGE and low <= value <= high
        return "" if right else f"is not a number{''.join(bounds)}"

    return check


#: Larger numbers are no measurement, and their sums are not finite.
_HUGE = 1e300


def text(longest: int = 10_000) -> Check:
    """Check a text."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or not _is_unicode(value):
            return "is not a text"
        return "" if len(value) <= longest else f"is a text of more than {longest:,} characters"

    return check


def one_of(*values: Any) -> Check:
    """Check a value that is one of some."""
    wanted = " or ".join(map(repr, values))

    def check(value: Any) -> str:
        right = any(value == one and type(value) is type(one) for one in values)
        return "" if right else f"is not {wanted}"

    return check


def optional(check: Check) -> Check:
    """Check a value that may be null."""
    return lambda value: "" if value is None else check(value)


def list_of(check: Check, length: int | None = None) -> Check:
    """Check a list of equal things."""

    def check_list(value: Any) -> str:
        if not isinstance(value, list):
            return "is not a list"
        if length is not None and len(value) != length:
            return f"has {len(value):,} entries, not {length:,}"
        for number, entry in enumerate(value, start=1):
            if fault := check(entry):
                return f"has an entry {number} that {fault}"
        return ""

    return check_list


def tuple_of(*checks: Check) -> Check:
    """Check a list of things that differ."""

    def check_tuple(value: Any) -> str:
        if not isinstance(value, list) or len(value) != len(checks):
            return f"is not a list of {len(checks)} entries"
        for number, (check, entry) in enumerate(zip(checks, value, strict=True), start=1):
            if fault := check(entry):
                return f"has an entry {number} that {fault}"
        return ""

    return check_tuple


def map_of(check: Check) -> Check:
    """Check an object whose values are of one kind."""

    def check_map(value: Any) -> str:
        if not isinstance(value, dict):
            return "is not an object"
        return next((_within(key, f) for key, one in value.items() if (f := check(one))), "")

    return check_map


def fields(
    required: Mapping[str, Check],
    allowed: Mapping[str, Check] | None = None,
    others: Check = plain,
) -> Check:
    """Check an object by its keys; those in `allowed` may be missing."""
    known = {**required, **(allowed or {})}

    def check_fields(value: Any) -> str:
        if not isinstance(value, dict):
            return "is not an object"
        for key in required:
            if key not in value:
                return f"has no '{key}'"
        for key, one in value.items():
            if fault := known.get(key, others)(one):
                return _within(key, fault)
        return ""

    return check_fields


def _within(key: str, fault: str) -> str:
    return f"has a '{key[:60]}' that {fault}"


# Arrays.


@dataclass(frozen=True)
class ArrayKind:
    """What an array must be like."""

    #: numpy's name, such as "float32"
    dtype: str
    #: lengths; a name stands for any length, the same wherever it occurs
    shape: tuple[int | str, ...]
    #: range of the values
    low: float = -math.inf
    high: float = math.inf
    #: whether values may be not a number
    nan: bool = False


#: What a header says of each array: its type and shape.
Headers = Mapping[str, tuple[str, tuple[int, ...]]]


def header_fault(found: Headers, wanted: Mapping[str, ArrayKind]) -> str:
    """Return what is wrong with the arrays of a file, before any of them is read."""
    for name in found:
        if name not in wanted:
            return f"has an array '{name[:60]}' that does not belong there"
    lengths: dict[str, int] = {}
    for name, kind in wanted.items():
        if name not in found:
            return f"has no array '{name[:60]}'"
        dtype, shape = found[name]
        if dtype != kind.dtype:
            return f"has an array '{name[:60]}' of {dtype[:20]}, not of {kind.dtype}"
        fits = len(shape) == len(kind.shape) and all(
            length == (lengths.setdefault(axis, length) if isinstance(axis, str) else axis)
            for length, axis in zip(shape, kind.shape, strict=True)
        )
        if not fits:
            return f"has an array '{name[:60]}' of the wrong shape"
    return ""


def values_fault(name: str, array: Array, kind: ArrayKind) -> str:
    """Return what is wrong with the values of an array, or of a part of one."""
    import numpy as np

    unbounded = kind.low == -math.inf and kind.high == math.inf
    if not array.size or (unbounded and (kind.nan or array.dtype.kind != "f")):
        return ""
    # The extremes of an array with a NaN are NaN.
    lowest, highest = array.min(), array.max()
    if kind.nan and array.dtype.kind == "f" and np.isnan(lowest):
        lowest, highest = np.nanmin(array, initial=np.inf), np.nanmax(array, initial=-np.inf)
        if lowest > highest:  # nothing but NaN
            return ""
    if array.dtype.kind == "f" and not (np.isfinite(lowest) and np.isfinite(highest)):
        return f"has an array '{name[:60]}' with values that are not finite"
    if not (kind.low <= lowest and highest <= kind.high):
        return f"has an array '{name[:60]}' with values out of range"
    return ""
