"""Solve variants and print rows for docs/results/solved.md.

    .venv/bin/python scripts/solved.py ewn-3x3-3 rhombus-7x7-3 ...
    .venv/bin/python scripts/solved.py --rules rhombus-5x5-3
    .venv/bin/python scripts/solved.py --pieces 5 draughts-8x8

Each is solved in a process of its own, verified, and its table thrown away. With --rules
both winning rules and both hop rules of a rhombus are gone through.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any

RULES = ("", ":win=fill", ":hops=mirror", ":hops=mirror,win=fill")
COUNTS = ("positions", "wins", "draws", "losses")


def solved(variant: str, pieces: int | None) -> dict[str, Any]:
    """Return what `halma solve --verify` reports, with fractions where there are any."""
    command = [sys.executable, "-m", "halma.cli", "solve", variant, "--json", "--verify"]
    if pieces is not None:
        command += ["--pieces", str(pieces)]
    for extra in (["--exact"], []) if pieces is None else ([],):
        with TemporaryDirectory() as folder:
            ran = subprocess.run([*command, *extra, "--out", folder], stdout=subprocess.PIPE)
        if ran.returncode == 0:
            answer: dict[str, Any] = json.loads(ran.stdout)
            return answer
    raise SystemExit(ran.returncode)


def row(answer: dict[str, Any]) -> str:
    """Return a line of the table of its kind."""
    took = [f"{answer['seconds']:.3g}"]
    if "between" in answer:
        exact = answer.get("start_value_exact", "")
        cells = [f"`{answer['variant']}`", *_numbers(answer, *COUNTS, "between")]
        cells += [_start(answer), exact if len(exact) < 12 else ""]
    else:
        took.append(f"{answer['verify_seconds']:.3g}")
        if "pieces" in answer:
            cells = [str(answer["pieces"]), *_numbers(answer, *COUNTS)]
        else:
            cells = [f"`{answer['variant']}`", *_numbers(answer, *COUNTS, "illegal")]
            cells += [_start(answer), str(answer["start_plies"] or "")]
    cells += [str(answer["longest_win"]), *took, f"{answer['bytes'] / 2**20:,.1f}"]
    return f"| {' | '.join(cells)} |"


def _numbers(answer: dict[str, Any], *keys: str) -> list[str]:
    return [f"{answer[key]:,}" for key in keys]


def _start(answer: dict[str, Any]) -> str:
    return f"{answer['start_value']:.9f}".rstrip("0").rstrip(".")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("variants", nargs="+")
    parser.add_argument("--pieces", type=int)
    parser.add_argument("--rules", action="store_true")
    asked = parser.parse_args()
    for name in asked.variants:
        for rules in RULES if asked.rules else ("",):
            print(row(solved(name + rules, asked.pieces)), flush=True)
