"""The core's generator, number by number."""

from __future__ import annotations

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix64(x: int) -> int:
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def rotl(x: int, by: int) -> int:
    return (x << by | x >> 64 - by) & MASK


class Random:
    def __init__(self, seed: int, stream: int = 0) -> None:
        self.a = mix64(seed + GOLDEN & MASK)
        self.b = mix64(self.a + GOLDEN * (stream + 1) & MASK)

    def next(self) -> int:
        a, b = self.a, self.b
        out = a + b & MASK
        b ^= a
        self.a = (rotl(a, 24) ^ b ^ b << 16) & MASK
        self.b = rotl(b, 37)
        return out

    def uniform(self) -> float:
        return (self.next() >> 11) * 2.0**-53
