"""Files of networks, and the digests by which measurements made with them are named."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from halma.files import read_file

#: Hexadecimal digits of a digest.
DIGITS = 8
_MOST_BYTES = 1 << 28
#: What parts of names that have a digest are called.
NETWORK, OPPONENT = "network", "opponent"
_PART = re.compile(rf"\b(?:{NETWORK}|{OPPONENT})=([0-9a-f]{{{DIGITS}}})\b")


class NetworkFile(NamedTuple):
    """A network; measurements made with it are found by its digest, without its file."""

    #: the first digits of the hash of its file
    digest: str
    #: not there where only summaries of runs are kept
    file: Path

    @classmethod
    def at(cls, file: Path) -> NetworkFile:
        """Return the network in a file."""
        about = file.stat()
        return cls(_hash(file, about.st_mtime_ns, about.st_size)[:DIGITS], file)

    def part(self, what: str = NETWORK) -> str:
        """Return a part of a name of measurements that changes with the network."""
        return f"{what}={self.digest}"


def digests_in(name: str) -> set[str]:
    """Return the digests of the networks that a measurement was made with, by its name."""
    return set(_PART.findall(name))


@cache
def _hash(file: Path, changed: int, size: int) -> str:
    """Return the hash of a file, once for each of its states."""
    return hashlib.sha256(read_file(file, _MOST_BYTES)).hexdigest()
