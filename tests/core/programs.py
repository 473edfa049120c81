"""Small programs beside the tests, compiled and run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


def output_of(name: str, folder: Path) -> str:
    """Return what `name.cpp` prints; it must end well."""
    program = folder / name
    compiler, core = os.environ.get("CXX", "g++"), HERE.parent.parent / "core"
    command = [compiler, "-std=c++20", "-O1", f"-I{core}", str(HERE / f"{name}.cpp")]
    subprocess.run([*command, "-o", str(program)], check=True, timeout=300)
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout
