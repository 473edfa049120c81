"""Solve variants and print rows for docs/results/solved.md.

    .venv/bin/python scripts/solved.py ewn-3x3-3 cdc-2x4-PPPP ...

Each is solved in a process of its own, verified, and its table thrown away.
"""

from __future__ import annotations

import json
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any


def solved(variant: str) -> dict[str, Any]:
    """Return what `halma solve --verify` reports, with fractions where there are any."""
    command = [sys.executable, "-m", "halma.cli", "solve", variant, "--json", "--verify"]
    for extra in (["--exact"], []):
        with TemporaryDirectory() as folder:
            ran = subprocess.run([*command, *extra, "--out", folder], stdout=subprocess.PIPE)
        if ran.returncode == 0:
            answer: dict[str, Any] = json.loads(ran.stdout)
            return answer
    raise SystemExit(ran.returncode)


def row(answer: dict[str, Any]) -> str:
    """Return a line of the table."""
    numbers = [answer.get(key, 0) for key in ("positions", "wins", "draws", "losses", "between")]
    exact = answer.get("start_value_exact", "")
    value = f"{answer['start_value']:.9f}".rstrip("0").rstrip(".")
    cells = [
        f"`{answer['variant']}`",
        *(f"{number:,}" for number in numbers),
        value,
        exact if len(exact) < 12 else "",
        str(answer["longest_win"]),
        f"{answer['seconds']:.3g}",
        f"{answer['bytes'] / 2**20:,.1f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(row(solved(name)), flush=True)
