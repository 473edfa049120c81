"""The inner loops take no memory from the heap: a small program counts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_legal_and_play_never_allocate(tmp_path: Path) -> None:
    program = tmp_path / "no_heap"
    source = Path(__file__).with_name("no_heap.cpp")
    compiler = os.environ.get("CXX", "g++")
    subprocess.run(
        [compiler, "-std=c++20", "-O1", f"-I{ROOT / 'core'}", str(source), "-o", str(program)],
        check=True,
        timeout=300,
    )
    done = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60)
    counts = dict(line.split() for line in done.stdout.splitlines())
    assert set(counts) == {"rhombus", "mirror", "star", "draughts", "einstein", "darkchess"}
    assert set(counts.values()) == {"0"}, counts
