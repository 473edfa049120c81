"""Draw the pictures of the README: `python scripts/pictures.py`."""

from __future__ import annotations

from pathlib import Path

import halma

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"

#: file -> variant, position, move to show
PICTURES: dict[str, tuple[str, str, str | None]] = {
    "star": (
        "star-121-3p",
        "./../.../..../...2.2.3.33.3/2...22...3../..2.3...2../22......../2..1..333/.....1.3../"
        "....1.11.../.......1..../.....1......./.1../..1/.1/. 1",
        "f4-n10",
    ),
    "rhombus": (
        "rhombus-7x7-6",
        "..222../1....../1....2./.11..../11...../......2/......2 1",
        "a3-c5",
    ),
    "draughts": (
        "draughts-8x8",
        "B:W17,18,19,20,27,28,30,32:B1,2,3,4,5,7,8,12,K31",
        "31x24x15x22x13",
    ),
    "einstein": ("ewn-5x5-6", "12..6/.3.../..a.e/4..bc/..d.f r 5", "e1-e2"),
    "darkchess": ("cdc-4x8", "gC.?.p?./NP??p?G./??c?k??K/?C?R?r.. r GMMRPPgmnncpp 1", "a2xa6"),
}


def main() -> None:
    """Write every picture."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, (variant, text, move) in PICTURES.items():
        position = halma.game(variant).position(text)
        (IMAGES / f"{name}.svg").write_text(position.svg(move), encoding="utf-8")


if __name__ == "__main__":
    main()
