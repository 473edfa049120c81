"""Blocks on huge pages: a small program takes and gives back at random."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_blocks_are_nobody_else_s_and_memory_is_used_again(tmp_path: Path) -> None:
    program = tmp_path / "huge_pages"
    source = Path(__file__).with_name("huge_pages.cpp")
    compiler = os.environ.get("CXX", "g++")
    subprocess.run(
        [compiler, "-std=c++20", "-O1", f"-I{ROOT / 'core'}", str(source), "-o", str(program)],
        check=True,
        timeout=300,
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
    # Everything that trees grew out of would make it nearly 2.
    assert 0 <= float(done.stdout.split()[1]) < 1.7
