"""Comparing a drawing with the one kept in `tests/golden`.

After a change that is meant, look at the new drawings and keep them with
`HALMA_GOLDEN=write pytest tests/draw`.
"""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parent.parent / "golden"


def check(name: str, drawing: str) -> None:
    path = GOLDEN / name
    if os.environ.get("HALMA_GOLDEN") == "write":
        path.write_text(drawing, encoding="utf-8")
    assert drawing == path.read_text(encoding="utf-8"), f"{name} is drawn differently now"
