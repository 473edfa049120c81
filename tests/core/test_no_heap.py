"""The inner loops take no memory from the heap: a small program counts."""

from __future__ import annotations

from pathlib import Path

from programs import output_of


def test_legal_and_play_never_allocate(tmp_path: Path) -> None:
    counts = dict(line.split() for line in output_of("no_heap", tmp_path).splitlines())
    assert set(counts) == {"rhombus", "mirror", "star", "draughts", "einstein", "darkchess"}
    assert set(counts.values()) == {"0"}, counts
