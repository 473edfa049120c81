"""Chinese dark chess: names, notation and pictures. Rules: `core/games/darkchess.hpp`.

Cells are named by file letter and rank number, `a1` to `b4` or `d8`, as in hsueh2023.
A position is `FILES COLOUR HIDDEN PLAYER`: the files joined by `/`, each from rank 1 on,
red's pieces in capitals, black's in lower case, `?` face-down, `*` being turned up, `.`
empty; the colour to move, `r`, `b` or `-` while undecided; the face-down pieces in order
of rank, `-` for none; the player to move: `????/???? - PPPPpppp 1`.
A move is `a1-a2`, a capture `a1xa3`, a flip `a1`; an outcome is the letter of a piece.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from halma import _core
from halma.draw.scene import Cell, Piece, Scene
from halma.errors import PositionError, UnknownVariantError
from halma.games.family import Family
from halma.games.game import Game
from halma.names import Option, Value

#: king, guard, minister, rook, knight, cannon, pawn: the order of rank
KINDS = "KGMRNCP"
_TYPES = KINDS + KINDS.lower()
_REAL_SET = "KGGMMRRNNCCPPPPP"
_NAME = re.compile(r"cdc-2x4-([A-Za-z]{4})")
_MOVE = re.compile(r"[a-d][1-8]([-x][a-d][1-8])?")
_COLOURS = ("red", "black")
_TURNS = "rb-"
_UNDECIDED = 2
_FACE_DOWN = 8


class DarkChessGame(Game):
    """Chinese dark chess on a board of some files and ranks, with a set per side."""

    title = "Chinese dark chess"
    player_names = ("first player", "second player")

    def __init__(self, name: str, files: int, ranks: int, pieces: str, draws: bool) -> None:
        limits = _core.Limits(repetitions=3, no_progress=40) if draws else _core.Limits()
        core = _core.DarkChess(files, ranks, [pieces.count(kind) for kind in KINDS])
        options = {"draw": "standard" if draws else "none"}
        super().__init__(name, core, limits, options)
        self.files, self.ranks, self.pieces = files, ranks, pieces

    def cell_name(self, cell: int) -> str:
        """Return a cell's name; cells are numbered file by file."""
        return f"{'abcd'[cell // self.ranks]}{cell % self.ranks + 1}"

    def _cells(self, move: int) -> tuple[int, int]:
        # The core keeps eight squares to a file on every board.
        squares = (move & 0xFF, move >> 8)
        start, end = (square // 8 * self.ranks + square % 8 for square in squares)
        return start, end

    def format_position(self, state: bytes) -> str:
        mover, turn, turning, hidden, board = self._describe(state)
        glyphs = "".join(
            "*" if cell == turning else _glyph(piece) for cell, piece in enumerate(board)
        )
        files = [glyphs[i : i + self.ranks] for i in range(0, len(glyphs), self.ranks)]
        lying = "".join(letter * number for letter, number in zip(_TYPES, hidden, strict=True))
        return f"{'/'.join(files)} {_TURNS[turn]} {lying or '-'} {mover + 1}"

    def parse_position(self, text: str) -> bytes:
        parts = text.split()
        if len(parts) != 4:
            raise PositionError(
                "A position is files, colour, face-down pieces and player, such as "
                f"'{self.start().text}'; this one has {len(parts)} parts."
            )
        files = parts[0].split("/")
        if len(files) != self.files or any(len(file) != self.ranks for file in files):
            raise PositionError(f"The board must have {self.files} files of {self.ranks} cells.")
        if parts[1] not in tuple(_TURNS):
            raise PositionError(f"The colour to move is 'r', 'b' or '-', not '{parts[1][:20]}'.")
        if parts[3] not in ("1", "2"):
            raise PositionError(f"The player to move is '1' or '2', not '{parts[3][:20]}'.")
        lying = "" if parts[2] == "-" else parts[2]
        for letter in lying:
            if letter not in _TYPES:
                raise PositionError(f"'{letter}' is not a piece ({', '.join(_TYPES)}).")
        glyphs = "".join(files)
        if glyphs.count("*") > 1:
            raise PositionError("Only one piece can be turned up at a time.")
        return self.compose(
            [
                int(parts[3]) - 1,
                _TURNS.index(parts[1]),
                glyphs.find("*"),
                *(lying.count(letter) for letter in _TYPES),
                *(_piece(glyph) for glyph in glyphs),
            ]
        )

    def format_move(self, state: bytes, move: int) -> str:
        start, end = self._cells(move)
        if start == end:
            return self.cell_name(start)
        sign = "x" if self.core.irreversible(state, move) else "-"
        return f"{self.cell_name(start)}{sign}{self.cell_name(end)}"

    def is_move_text(self, text: str) -> bool:
        return _MOVE.fullmatch(text) is not None

    def format_outcome(self, state: bytes, outcome: int) -> str:
        return _TYPES[outcome]

    def scene(self, state: bytes, move: int | None = None) -> Scene:
        mover, turn, turning, hidden, board = self._describe(state)
        # Landscape: ranks run to the right, files downward.
        cells = tuple(
            Cell(cell % self.ranks, cell // self.ranks, self.cell_name(cell))
            for cell in range(len(board))
        )
        pieces = tuple(_drawn(cell, piece) for cell, piece in enumerate(board) if piece)
        start, end = self._cells(move) if move is not None else (-1, -1)
        marks = {cell for cell in (turning, start if start == end else -1) if cell >= 0}
        return Scene(
            board="squares",
            cells=cells,
            pieces=pieces,
            caption=self._caption(state, mover, turn, turning),
            trail=(start, end) if start != end else (),
            marks=tuple(marks),
            labels=(
                *((x, self.files, str(x + 1)) for x in range(self.ranks)),
                *((-1, y, "abcd"[y]) for y in range(self.files)),
            ),
            reserve=tuple(
                (_COLOURS[i // len(KINDS)], _TYPES[i], number)
                for i, number in enumerate(hidden)
                if number
            ),
        )

    def _describe(self, state: bytes) -> tuple[int, int, int, list[int], list[int]]:
        """Return mover, colour to move, cell being turned up, face-down pieces and board."""
        mover, turn, turning, *rest = self.core.describe(state)
        return mover, turn, turning, rest[: len(_TYPES)], rest[len(_TYPES) :]

    def _caption(self, state: bytes, mover: int, turn: int, turning: int) -> str:
        if turning >= 0:
            return f"{self.player_names[1 - mover]} turns up {self.cell_name(turning)}"
        if turn == _UNDECIDED:
            return f"{self.player_names[mover]} moves, colours undecided"
        if self.core.result(state)[mover] != 0.5:
            return f"{_COLOURS[1 - turn]} ({self.player_names[1 - mover]}) has won"
        return f"{_COLOURS[turn]} ({self.player_names[mover]}) moves"


def _glyph(piece: int) -> str:
    if piece == _FACE_DOWN:
        return "?"
    return "." if piece == 0 else KINDS[piece - 1] if piece > 0 else KINDS[-piece - 1].lower()


def _piece(glyph: str) -> int:
    if glyph == ".":
        return 0
    if glyph in "?*":
        return _FACE_DOWN
    if glyph in KINDS:
        return KINDS.index(glyph) + 1
    if glyph in KINDS.lower():
        return -(KINDS.lower().index(glyph) + 1)
    raise PositionError(
        f"'{glyph}' is neither a piece ({', '.join(_TYPES)}), a face-down piece (? or *) "
        "nor an empty cell (.)."
    )


def _drawn(cell: int, piece: int) -> Piece:
    if piece == _FACE_DOWN:
        return Piece(cell, "hidden", "?")
    return Piece(cell, _COLOURS[piece < 0], _glyph(piece), _glyph(piece))


def _build(name: str, options: Mapping[str, Value]) -> Game | None:
    draws = options["draw"] == "standard"
    if name == "cdc-4x8":
        return DarkChessGame(name, 4, 8, _REAL_SET, draws)
    if not (match := _NAME.fullmatch(name)):
        return None
    letters = match[1]
    pieces = "".join(kind * letters.count(kind) for kind in KINDS)
    if len(pieces) != len(letters) or any(
        pieces.count(kind) > _REAL_SET.count(kind) for kind in KINDS
    ):
        raise UnknownVariantError(
            f"There is no '{name}': the four letters are pieces of a real set, at most "
            "one K, two each of G, M, R, N and C, and four P."
        )
    return DarkChessGame(f"cdc-2x4-{pieces}", 2, 4, pieces, draws)


FAMILY = Family(
    title=DarkChessGame.title,
    pattern="cdc-2x4-XXXX (four pieces a side of KGMRNCP), cdc-4x8",
    variants={
        "cdc-2x4-PPPP": "hsueh2023's smallest set: four pawns a side",
        "cdc-2x4-KPPP": "a king and three pawns a side",
        "cdc-2x4-GGCC": "two guards and two cannons a side",
        "cdc-4x8": "the real game",
    },
    build=_build,
    options=(
        Option(
            "draw",
            "standard",
            "draws by history: 40 plies without capture or flip, threefold repetition",
            choices=("standard", "none"),
        ),
    ),
)
