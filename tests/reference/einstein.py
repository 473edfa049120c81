"""EinStein würfelt nicht! written for clarity. Shares no code with halma.

Pieces are characters: digits red, letters blue (`a` is blue's 1), `.` an empty cell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations

Cell = tuple[int, int]  # column, row


@dataclass(frozen=True)
class Naive:
    """A position; `die` is 0 while it is to be rolled, and before both sides are placed."""

    rows: tuple[str, ...]
    mover: str  # "r" or "b"; while placing, whose pieces come next
    die: int
    pieces: int
    placing: bool = False

    @property
    def text(self) -> str:
        die = "?" if self.placing else self.die or "-"
        return f"{'/'.join(self.rows)} {self.mover} {die}"

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    def at(self, cell: Cell) -> str:
        return self.rows[cell[1]][cell[0]]

    def with_at(self, cell: Cell, content: str) -> Naive:
        rows = list(self.rows)
        row = rows[cell[1]]
        rows[cell[1]] = row[: cell[0]] + content + row[cell[0] + 1 :]
        return replace(self, rows=tuple(rows))


def start(width: int, height: int, pieces: int) -> Naive:
    return Naive(("." * width,) * height, "r", 0, pieces, placing=True)


def start_cells(p: Naive) -> list[Cell]:
    """Return red's cells: nearest to the corner first, then from the top down."""
    cells = [(x, y) for y in range(p.height) for x in range(p.width)]
    return sorted(cells, key=lambda cell: (cell[0] + cell[1], cell[1]))[: p.pieces]


def outcomes(p: Naive) -> list[str]:
    if not p.placing:
        return [str(number) for number in range(1, p.pieces + 1)]
    return ["".join(order) for order in permutations("123456"[: p.pieces])]


def resolve(p: Naive, outcome: str) -> Naive:
    if not p.placing:
        return replace(p, die=int(outcome))
    for digit, (x, y) in zip(outcome, start_cells(p), strict=True):
        if p.mover == "r":
            p = p.with_at((x, y), digit)
        else:
            p = p.with_at((p.width - 1 - x, p.height - 1 - y), "abcdef"[int(digit) - 1])
    if p.mover == "r":
        return replace(p, mover="b")
    return replace(p, mover="r", placing=False)


def own_pieces(p: Naive, mover: str) -> dict[int, Cell]:
    """Return the cell of each piece of a player, by its number."""
    signs = "123456" if mover == "r" else "abcdef"
    return {
        signs.index(p.at((x, y))) + 1: (x, y)
        for y in range(p.height)
        for x in range(p.width)
        if p.at((x, y)) in signs
    }


def winner(p: Naive) -> str:
    if p.placing:
        return ""
    if p.at((p.width - 1, p.height - 1)) in "123456" or not own_pieces(p, "b"):
        return "r"
    if p.at((0, 0)) in "abcdef" or not own_pieces(p, "r"):
        return "b"
    return ""


def name(cell: Cell) -> str:
    return f"{'abcdefgh'[cell[0]]}{cell[1] + 1}"


def legal(p: Naive) -> set[str]:
    if winner(p):
        return set()
    assert p.die
    own = own_pieces(p, p.mover)
    if p.die in own:
        movable = [p.die]
    else:
        lower = sorted(number for number in own if number < p.die)
        higher = sorted(number for number in own if number > p.die)
        movable = lower[-1:] + higher[:1]
    sign = 1 if p.mover == "r" else -1
    moves = set()
    for number in movable:
        x, y = own[number]
        for dx, dy in ((1, 1), (1, 0), (0, 1)):
            to = (x + sign * dx, y + sign * dy)
            if 0 <= to[0] < p.width and 0 <= to[1] < p.height:
                moves.add(f"{name((x, y))}-{name(to)}")
    return moves


def play(p: Naive, move: str) -> Naive:
    origin, target = ((ord(cell[0]) - ord("a"), int(cell[1]) - 1) for cell in move.split("-"))
    moved = p.with_at(target, p.at(origin)).with_at(origin, ".")
    return replace(moved, mover="b" if p.mover == "r" else "r", die=0)


def result(p: Naive) -> tuple[float, float]:
    return {"": (0.5, 0.5), "r": (1.0, 0.0), "b": (0.0, 1.0)}[winner(p)]
