"""EinStein würfelt nicht!: names, notation and drawings. Rules: `core/games/einstein.hpp`.

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
from halma.draw.scene import Cell, Die, Piece, Scene, edge_labels
from halma.errors import PositionError, UnknownVariantError
from halma.games.family import SIZE, Family, Glyphs, choice, join_rows, split_fields, split_rows
from halma.games.game import Game, PositionField
from halma.names import Value

_NAME = re.compile(f"ewn-{SIZE}x{SIZE}-{SIZE}")
_COLUMNS = "abcdefgh"
_PLAYING, _PLACING_RED, _PLACING_BLUE = range(3)
_GLYPHS = Glyphs(
    {0: "."} | {n: str(n) for n in range(1, 7)} | {-n: "abcdef"[n - 1] for n in range(1, 7)},
    "a piece (1 to 6, a to f) nor an empty cell (.)",
)


class EinsteinGame(Game):
    """EinStein würfelt nicht! on a board of some width and height."""

    title = "EinStein würfelt nicht!"
    player_names = ("red", "blue")
    move_pattern = r"[a-h][1-8]-[a-h][1-8]"

    def __init__(self, name: str, width: int, height: int, pieces: int) -> None:
        super().__init__(name, _core.Einstein(width, height, pieces))
        self.width, self.height, self.pieces = width, height, pieces
        self._rows = [width] * height

    @property
    def strongest(self) -> str:
        return "expectimax:nodes=5000000"

    def cell_name(self, cell: int) -> str:
        """Return a cell's name, `a1` being the top left one."""
        return f"{_COLUMNS[cell % self.width]}{cell // self.width + 1}"

    def format_position(self, state: bytes) -> str:
        mover, die, phase, *board = self.core.describe(state)
        rows = join_rows("".join(_GLYPHS[piece] for piece in board), self._rows)
        if phase == _PLAYING:
            return f"{rows} {'rb'[mover]} {die or '-'}"
        return f"{rows} {'-rb'[phase]} ?"

    def parse_position(self, text: str) -> bytes:
        rows, player, die = split_fields(text, [3], "rows, player and die", self.start().text)
        board = [_GLYPHS.piece(glyph) for glyph in split_rows(rows, self._rows)]
        mover = choice(player, "rb", "player to move")
        if die == "?":
            return self.compose([0, 0, _PLACING_BLUE if mover else _PLACING_RED, *board])
        if not re.fullmatch("[1-6-]", die):
            raise PositionError(f"The die shows 1 to {self.pieces} or '-', not '{die[:20]}'.")
        return self.compose([mover, 0 if die == "-" else int(die), _PLAYING, *board])

    @property
    def piece_kinds(self) -> tuple[Piece, ...]:
        numbers = range(1, self.pieces + 1)
        return tuple(
            Piece(0, colour, _GLYPHS[sign * number], str(number))
            for colour, sign in (("red", 1), ("blue", -1))
            for number in numbers
        )

    @property
    def position_fields(self) -> tuple[PositionField, ...]:
        die = ("-", *"123456"[: self.pieces], "?")
        return PositionField("player to move", ("r", "b")), PositionField("die", die)

    def format_move(self, state: bytes, move: int) -> str:
        return f"{self.cell_name(move & 0xFF)}-{self.cell_name(move >> 8)}"

    def format_outcome(self, state: bytes, outcome: int) -> str:
        if self.core.describe(state)[2] == _PLAYING:
            return str(outcome)
        return _placements(self.pieces)[outcome]

    def scene(self, state: bytes, move: int | None = None) -> Scene:
        mover, die, phase, *board = self.core.describe(state)
        tints = {0: "home 2", len(board) - 1: "home 1"}
        cells = tuple(
            Cell(i % self.width, i // self.width, self.cell_name(i), tints.get(i, "plain"))
            for i in range(len(board))
        )
        pieces = tuple(
            Piece(cell, "red" if piece > 0 else "blue", _GLYPHS[piece], str(abs(piece)))
            for cell, piece in enumerate(board)
            if piece
        )
        shown = None
        result = self.core.result(state)
        if result[0] != 0.5:
            caption = f"{self.player_names[result[1] > 0.5]} has won"
        elif phase != _PLAYING:
            caption = f"{'red' if phase == _PLACING_RED else 'blue'} is to be placed"
        else:
            caption = f"{self.player_names[mover]} {'moves' if die else 'rolls'}"
            shown = Die(die, self.player_names[mover])
        return Scene(
            board="squares",
            cells=cells,
            pieces=pieces,
            caption=caption,
            trail=() if move is None else (move & 0xFF, move >> 8),
            die=shown,
            labels=edge_labels(_COLUMNS[: self.width], "12345678"[: self.height]),
        )


@cache
def _placements(pieces: int) -> list[str]:
    """Return all placements: permutations in lexicographic order, as the core numbers them."""
    return ["".join(order) for order in permutations("123456"[:pieces])]


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
    page="einstein",
)
