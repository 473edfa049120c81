"""EinStein würfelt nicht!: names, notation and pictures. Rules: `core/games/einstein.hpp`.

Cells are named by column letter and row number from the top left, as in hsueh2023.
A position is `ROWS MOVER DIE`: rows from the top joined by `/`, red's pieces as
digits, blue's as letters, `.` for an empty cell; `r` or `b`; the die, `-` while it is to
be rolled, `?` while pieces are still to be placed: `12./3.a/.cb r 2`.
A move is `a1-b2`, an outcome a die's number or a placement such as `132`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import permutations

from halma import _core
from halma.draw.scene import Cell, Die, Piece, Scene
from halma.errors import PositionError, UnknownVariantError
from halma.games.family import Family
from halma.games.game import Game
from halma.names import Value

_NAME = re.compile(r"ewn-(\d{1,3})x(\d{1,3})-(\d{1,3})")
_MOVE = re.compile(r"[a-h][1-8]-[a-h][1-8]")
_PLAYING, _PLACING_RED, _PLACING_BLUE = range(3)


class EinsteinGame(Game):
    """EinStein würfelt nicht! on a board of some width and height."""

    title = "EinStein würfelt nicht!"
    player_names = ("red", "blue")

    def __init__(self, name: str, width: int, height: int, pieces: int) -> None:
        super().__init__(name, _core.Einstein(width, height, pieces))
        self.width, self.height, self.pieces = width, height, pieces

    def cell_name(self, cell: int) -> str:
        """Return a cell's name, `a1` being the top left one."""
        return f"{'abcdefgh'[cell % self.width]}{cell // self.width + 1}"

    def format_position(self, state: bytes) -> str:
        mover, die, phase, *board = self.core.describe(state)
        rows = [
            "".join(_glyph(piece) for piece in board[start : start + self.width])
            for start in range(0, len(board), self.width)
        ]
        if phase == _PLAYING:
            return f"{'/'.join(rows)} {'rb'[mover]} {die or '-'}"
        return f"{'/'.join(rows)} {'r' if phase == _PLACING_RED else 'b'} ?"

    def parse_position(self, text: str) -> bytes:
        parts = text.split()
        if len(parts) != 3:
            raise PositionError(
                f"A position is rows, player and die, such as "
                f"'{self.start().text}'; this one has {len(parts)} parts."
            )
        rows = parts[0].split("/")
        if len(rows) != self.height or any(len(row) != self.width for row in rows):
            raise PositionError(f"The board must have {self.height} rows of {self.width} cells.")
        if parts[1] not in ("r", "b"):
            raise PositionError(f"The player to move is 'r' or 'b', not '{parts[1][:20]}'.")
        mover = "rb".index(parts[1])
        board = [_piece(glyph) for glyph in "".join(rows)]
        if parts[2] == "?":
            return self.compose([0, 0, _PLACING_BLUE if mover else _PLACING_RED, *board])
        if parts[2] != "-" and not re.fullmatch("[1-6]", parts[2]):
            raise PositionError(f"The die shows 1 to {self.pieces} or '-', not '{parts[2][:20]}'.")
        die = 0 if parts[2] == "-" else int(parts[2])
        return self.compose([mover, die, _PLAYING, *board])

    def format_move(self, state: bytes, move: int) -> str:
        return f"{self.cell_name(move & 0xFF)}-{self.cell_name(move >> 8)}"

    def is_move_text(self, text: str) -> bool:
        return _MOVE.fullmatch(text) is not None

    def format_outcome(self, state: bytes, outcome: int) -> str:
        if self.core.describe(state)[2] == _PLAYING:
            return str(outcome)
        return _placements(self.pieces)[outcome]

    def scene(self, state: bytes, move: int | None = None) -> Scene:
        mover, die, phase, *board = self.core.describe(state)
        cells = tuple(
            Cell(
                cell % self.width,
                cell // self.width,
                self.cell_name(cell),
                {0: "home 2", len(board) - 1: "home 1"}.get(cell, "plain"),
            )
            for cell in range(len(board))
        )
        pieces = tuple(
            Piece(cell, "red" if piece > 0 else "blue", _glyph(piece), str(abs(piece)))
            for cell, piece in enumerate(board)
            if piece
        )
        result = self.core.result(state)
        if result[0] != 0.5:
            caption = f"{self.player_names[result[1] > 0.5]} has won"
        elif phase != _PLAYING:
            caption = f"{'red' if phase == _PLACING_RED else 'blue'} is to be placed"
        else:
            caption = f"{self.player_names[mover]} {'moves' if die else 'rolls'}"
        over = result[0] != 0.5 or phase != _PLAYING
        return Scene(
            board="squares",
            cells=cells,
            pieces=pieces,
            caption=caption,
            trail=() if move is None else (move & 0xFF, move >> 8),
            die=None if over else Die(die, self.player_names[mover]),
            labels=(
                *((x, self.height, "abcdefgh"[x]) for x in range(self.width)),
                *((-1, y, str(y + 1)) for y in range(self.height)),
            ),
        )


@cache
def _placements(pieces: int) -> list[str]:
    """All placements, numbered like permutations in lexicographic order."""
    return ["".join(order) for order in permutations("123456"[:pieces])]


def _glyph(piece: int) -> str:
    return "." if piece == 0 else str(piece) if piece > 0 else "abcdef"[-piece - 1]


def _piece(glyph: str) -> int:
    if glyph == ".":
        return 0
    if glyph in "123456":
        return int(glyph)
    if glyph in "abcdef":
        return -("abcdef".index(glyph) + 1)
    raise PositionError(f"'{glyph}' is neither a piece (1 to 6, a to f) nor an empty cell (.).")


def _build(name: str, options: Mapping[str, Value]) -> Game | None:
    if not (match := _NAME.fullmatch(name)):
        return None
    width, height, pieces = map(int, match.groups())
    try:
        return EinsteinGame(name, width, height, pieces)
    except ValueError:
        raise UnknownVariantError(
            f"There is no '{name}': boards go from 2x2 to 8x8, with 1 to 6 pieces a side "
            "in corners that do not overlap."
        ) from None


FAMILY = Family(
    title=EinsteinGame.title,
    pattern="ewn-WxH-P (width x height - pieces a side)",
    variants={
        "ewn-3x3-3": "hsueh2023's smallest board",
        "ewn-3x3-4": "four pieces on nine cells",
        "ewn-3x4-3": "a longer board",
        "ewn-5x5-6": "the real game",
    },
    build=_build,
)
