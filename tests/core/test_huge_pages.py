"""Blocks on huge pages: a small program takes and gives back at random."""

from __future__ import annotations

from pathlib import Path

from programs import output_of


def test_blocks_are_nobody_else_s_and_memory_is_used_again(tmp_path: Path) -> None:
    grown = float(output_of("huge_pages", tmp_path).split()[1])
    # Everything that trees grew out of would make it nearly 2.
    assert 0 <= grown < 1.7
