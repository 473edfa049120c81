"""Protocol-buffer wire format, the little of it that ONNX files need."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """Bytes that are no message, or end in the middle of one."""


def varint(number: int) -> bytes:
    """Write a whole number; a negative one as its 64-bit complement."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number_field(field: int, number: int) -> bytes:
    """Write a field that holds a whole number."""
    return varint(field << 3 | VARINT) + varint(number)


def bytes_field(field: int, data: bytes | str) -> bytes:
    """Write a field that holds text, bytes or another message."""
    octets = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | BYTES) + varint(len(octets)) + octets


def fixed32_field(field: int, octets: bytes) -> bytes:
    """Write a field that holds four bytes, such as a float."""
    return varint(field << 3 | FIXED32) + octets


def fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the number and the value of every field of a message."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _read_varint(data, at)
            yield key >> 3, value
            continue
        if kind == BYTES:
            length, at = _read_varint(data, at)
        elif kind in (FIXED32, FIXED64):
            length = 4 if kind == FIXED32 else 8
        else:
            raise WireError("an unknown kind of field")
        if length > len(data) - at:
            raise WireError("a field ends beyond the data")
        yield key >> 3, data[at : at + length]
        at += length


def messages(data: memoryview, wanted: int) -> Iterator[memoryview]:
    """Yield the values of one field, which must be messages, text or bytes."""
    for field, value in fields(data):
        if field == wanted:
            if isinstance(value, int):
                raise WireError("a number where a message belongs")
            yield value


def text(data: memoryview, wanted: int) -> str:
    """Return the text of one field; empty if there is none."""
    found = ""
    for value in messages(data, wanted):
        try:
            found = str(value, "utf-8")
        except UnicodeDecodeError:
            raise WireError("text that is no text") from None
    return found


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise WireError("a number ends beyond the data")
        octet = data[at]
        at += 1
        number |= (octet & 0x7F) << shift
        if octet < 0x80:
            return number, at
    raise WireError("a number without an end")
