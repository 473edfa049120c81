"""Messages of protocol buffers, as ONNX files are made of, parsed without a library."""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator

#: fields of all messages of a file: many times as many as any network here has
MOST_FIELDS = 1 << 18
#: bytes of a packed list of integers, or their number: a shape, a kernel, paddings
_LONGEST_LIST = 80

# Wire types; those of fixed length with their bytes.
_VARINT, _BYTES, _FIXED = 0, 2, {1: 8, 5: 4}


class OnnxError(ValueError):
    """A file is refused; the message is the end of a sentence."""


def damaged() -> OnnxError:
    """Return the error of a file that cannot be parsed."""
    return OnnxError("it is truncated or damaged")


def more_than_a_network() -> OnnxError:
    """Return the error of a file that has what no plain network has."""
    return OnnxError("it holds more than a plain network")


def same_name() -> OnnxError:
    """Return the error of a file with an ambiguous name."""
    return OnnxError("it has two things of the same name")


class Message:
    """The values of a message's fields, by field number.

    Fields other than the allowed ones raise an `OnnxError`. `left` has the number of fields that
    may still be parsed, and is shared by all messages of a file.
    """

    def __init__(
        self, data: memoryview, allowed: Container[int], left: list[int] | None = None
    ) -> None:
        self._left = [MOST_FIELDS] if left is None else left
        self._values: dict[int, list[int | memoryview]] = {}
        for number, value in self._parse(data):
            if number not in allowed:
                raise more_than_a_network()
            self._values.setdefault(number, []).append(value)

    def __contains__(self, number: int) -> bool:
        return number in self._values

    def all_bytes(self, number: int) -> list[memoryview]:
        """Return all values of a field of messages, strings or bytes."""
        found = self._values.get(number, [])
        if any(isinstance(value, int) for value in found):
            raise damaged()
        return found  # type: ignore[return-value]

    def bytes(self, number: int) -> memoryview:
        """Return the one value of a field of bytes or of a message; empty if there is none."""
        found = self.all_bytes(number)
        if len(found) > 1:
            raise more_than_a_network()
        return found[0] if found else memoryview(b"")

    def messages(self, number: int, allowed: Container[int]) -> Iterator[Message]:
        """Yield the messages of a field."""
        for value in self.all_bytes(number):
            yield Message(value, allowed, self._left)

    def message(self, number: int, allowed: Container[int]) -> Message:
        """Return the one message of a field; an empty one if there is none."""
        return Message(self.bytes(number), allowed, self._left)

    def strings(self, number: int) -> list[str]:
        """Return all strings of a field."""
        try:
            return [str(value, "utf-8") for value in self.all_bytes(number)]
        except UnicodeDecodeError:
            raise damaged() from None

    def string(self, number: int) -> str:
        """Return the string of a field; of several the last, as the libraries do."""
        return (self.strings(number) or [""])[-1]

    def integers(self, number: int) -> list[int]:
        """Return all integers of a field, packed or not, as signed numbers of 64 bits."""
        found: list[int] = []
        for value in self._values.get(number, []):
            if isinstance(value, int):
                found.append(value)
            elif len(value) > _LONGEST_LIST:
                raise damaged()
            else:
                at = 0
                while at < len(value):
                    integer, at = _varint(value, at)
                    found.append(integer)
        if len(found) > _LONGEST_LIST:
            raise damaged()
        return [(n & (1 << 64) - 1) - ((n >> 63 & 1) << 64) for n in found]

    def integer(self, number: int) -> int:
        """Return the integer of a field, 0 if there is none."""
        return (self.integers(number) or [0])[-1]

    def float(self, number: int) -> float:
        """Return the float of a field, 0 if there is none."""
        found = (self.all_bytes(number) or [memoryview(bytes(4))])[-1]
        if len(found) != 4:
            raise damaged()
        (value,) = struct.unpack("<f", found)
        return float(value)

    def _parse(self, data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
        """Yield the number and the value of every field."""
        at = 0
        while at < len(data):
            self._left[0] -= 1
            if self._left[0] < 0:
                raise OnnxError("it has too many parts")
            key, at = _varint(data, at)
            kind = key & 7
            if kind == _VARINT:
                value, at = _varint(data, at)
                yield key >> 3, value
                continue
            # A type that does not exist is taken to be longer than what is left.
            length, at = _varint(data, at) if kind == _BYTES else (_FIXED.get(kind, len(data)), at)
            if length > len(data) - at:
                raise damaged()
            yield key >> 3, data[at : at + length]
            at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return an integer and the position behind it."""
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise damaged()
        octet = data[at]
        at += 1
        number |= (octet & 0x7F) << shift
        if octet < 0x80:
            return number, at
    raise damaged()
