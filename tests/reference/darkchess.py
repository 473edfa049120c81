"""Chinese dark chess written for clarity, square by square. Shares no code with halma.

Pieces are letters: KGMRNCP red, lower case black, `?` face-down, `.` empty.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

RANKING = "KGMRNCP"
REAL_SET = "KGGMMRRNNCCPPPPP"
Cell = tuple[int, int]  # file, rank


@dataclass(frozen=True)
class Naive:
    """A position; `turning` is the cell whose piece chance is about to show."""

    files: tuple[str, ...]
    colour: str  # "r", "b" or "-"
    hidden: str  # the face-down pieces, in order of rank, red first
    player: int  # 1 or 2
    turning: Cell | None = None

    @property
    def text(self) -> str:
        files = list(self.files)
        if self.turning is not None:
            file, rank = self.turning
            files[file] = files[file][:rank] + "*" + files[file][rank + 1 :]
        return f"{'/'.join(files)} {self.colour} {self.hidden or '-'} {self.player}"

    def at(self, cell: Cell) -> str:
        return self.files[cell[0]][cell[1]]

    def cells(self) -> list[Cell]:
        return [(f, r) for f in range(len(self.files)) for r in range(len(self.files[0]))]


def start(files: int, ranks: int, pieces: str) -> Naive:
    board = ("?" * ranks,) * files
    return Naive(board, "-", in_order(pieces + pieces.lower()), 1)


def in_order(pieces: str) -> str:
    return "".join(sorted(pieces, key=(RANKING + RANKING.lower()).index))


def name(cell: Cell) -> str:
    return f"{'abcd'[cell[0]]}{cell[1] + 1}"


def cell_of(text: str) -> Cell:
    return "abcd".index(text[0]), int(text[1]) - 1


def owner(piece: str) -> str:
    """Return the colour of a face-up piece, nothing for any other content of a cell."""
    return "" if piece in "?." else "r" if piece.isupper() else "b"


def can_take(taker: str, victim: str) -> bool:
    """Return whether a piece can take another on a neighbouring cell."""
    a, b = taker.upper(), victim.upper()
    if a == "C":
        return False
    if a == "K":
        return b != "P"
    if a == "P":
        return b in "KP"
    return RANKING.index(a) <= RANKING.index(b)


def legal(p: Naive) -> set[str]:
    """Return the texts of all legal actions."""
    assert p.turning is None
    everything = "".join(p.files) + p.hidden
    if p.colour != "-" and not any(owner(piece) == p.colour for piece in everything):
        return set()
    actions = {name(cell) for cell in p.cells() if p.at(cell) == "?"}
    for origin in p.cells():
        if not owner(p.at(origin)) or owner(p.at(origin)) != p.colour:
            continue
        for df, dr in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            actions |= along(p, origin, df, dr)
    return actions


def along(p: Naive, origin: Cell, df: int, dr: int) -> set[str]:
    """Return the actions of a piece in one direction."""
    line = []
    file, rank = origin[0] + df, origin[1] + dr
    while 0 <= file < len(p.files) and 0 <= rank < len(p.files[0]):
        line.append((file, rank))
        file, rank = file + df, rank + dr
    found = set()
    for target in line[:1]:
        there = p.at(target)
        if there == ".":
            found.add(f"{name(origin)}-{name(target)}")
        elif owner(there) not in ("", p.colour) and can_take(p.at(origin), there):
            found.add(f"{name(origin)}x{name(target)}")
    if p.at(origin) in "Cc":
        occupied = [cell for cell in line if p.at(cell) != "."]
        if len(occupied) >= 2 and owner(p.at(occupied[1])) not in ("", p.colour):
            found.add(f"{name(origin)}x{name(occupied[1])}")
    return found


def play(p: Naive, action: str) -> Naive:
    other = {"r": "b", "b": "r", "-": "-"}[p.colour]
    if len(action) == 2:
        return replace(p, colour=other, player=3 - p.player, turning=cell_of(action))
    origin, target = cell_of(action[:2]), cell_of(action[3:])
    files = put(put(p.files, target, p.at(origin)), origin, ".")
    return replace(p, files=files, colour=other, player=3 - p.player)


def put(files: tuple[str, ...], cell: Cell, content: str) -> tuple[str, ...]:
    file, rank = cell
    line = files[file]
    return (*files[:file], line[:rank] + content + line[rank + 1 :], *files[file + 1 :])


def outcomes(p: Naive) -> dict[str, Fraction]:
    assert p.turning is not None
    return {piece: Fraction(number, len(p.hidden)) for piece, number in Counter(p.hidden).items()}


def resolve(p: Naive, piece: str) -> Naive:
    assert p.turning is not None
    colour = p.colour
    if colour == "-":  # its player owns the colour; the other colour is to move
        colour = "b" if piece.isupper() else "r"
    hidden = p.hidden.replace(piece, "", 1)
    return Naive(put(p.files, p.turning, piece), colour, hidden, p.player)


def result(p: Naive) -> tuple[float, float]:
    if p.turning is not None or legal(p):
        return 0.5, 0.5
    return (0.0, 1.0) if p.player == 1 else (1.0, 0.0)
