"""Chinese dark chess: names, notation and drawings. Rules: `core/games/darkchess.hpp`.

Cells are named by file letter and rank number, `a1` to `b4` or `d8`, as in hsueh2023.
A position is `FILES COLOUR HIDDEN PLAYER`: the files joined by `/`, each from rank 1 on,
red's pieces in capitals, black's in lower case, `?` face-down, `*` being turned up, `.`
empty; the colour to move, `r`, `b` or `-` while undecided; the face-down pieces in order
of rank, `-` for none; the player to move: `????/???? - PPPPpppp 1`.
A move is `a1-a2`, a capture `a1xa3`, a flip `a1`; an outcome is the letter of a piece.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from halma import _core
from halma.draw.scene import Cell, Piece, Scene, edge_labels
from halma.errors import PositionError, UnknownVariantError
from halma.games.family import Family, Glyphs, choice, join_rows, split_fields, split_rows
from halma.games.game import Game, PositionField
from halma.names import Option, Value

#: king, guard, minister, rook, knight, cannon, pawn: the order of rank
KINDS = "KGMRNCP"
_TYPES = KINDS + KINDS.lower()
_REAL_SET = "KGGMMRRNNCCPPPPP"
_NAME = re.compile(r"cdc-2x4-([A-Za-z]{4})")
_COLOURS = ("red", "black")
_TURNS = "rb-"
_UNDECIDED = 2
_FACE_DOWN = 8
_GLYPHS = Glyphs(
    {0: ".", _FACE_DOWN: "?"}
    | dict(enumerate(KINDS, 1))
    | {-rank: letter.lower() for rank, letter in enumerate(KINDS, 1)},
    f"a piece ({', '.join(_TYPES)}), a face-down piece (? or *) nor an empty cell (.)",
)


class DarkChessGame(Game):
    """Chinese dark chess on a board of some files and ranks, with a set per side."""

    title = "Chinese dark chess"
    player_names = ("first player", "second player")
    move_pattern = r"[a-d][1-8]([-x][a-d][1-8])?"

    def __init__(self, name: str, files: int, ranks: int, pieces: str, draws: bool) -> None:
        limits = _core.Limits(repetitions=3, no_progress=40) if draws else _core.Limits()
        core = _core.DarkChess(files, ranks, [pieces.count(kind) for kind in KINDS])
        options = {"draw": "standard" if draws else "none"}
        super().__init__(name, core, limits, options)
        self.files, self.ranks, self.pieces = files, ranks, pieces
        self._files = [ranks] * files

    @property
    def strongest(self) -> str:
        # With few face-down pieces, to look at what they may be is worth more than depth.
        few = self.files * self.ranks < 32
        return "expectimax:nodes=3000000" + (",selective=off" if few else "")

    def cell_name(self, cell: int) -> str:
        """Return a cell's name; cells are numbered file by file."""
        return f"{'abcd'[cell // self.ranks]}{cell % self.ranks + 1}"

    def _cells(self, move: int) -> tuple[int, int]:
        # The core uses eight squares a file on every board.
        squares = (move & 0xFF, move >> 8)
        start, end = (square // 8 * self.ranks + square % 8 for square in squares)
        return start, end

    def format_position(self, state: bytes) -> str:
        mover, turn, turning, hidden, board = self._describe(state)
        glyphs = ["*" if cell == turning else _GLYPHS[piece] for cell, piece in enumerate(board)]
        files = join_rows("".join(glyphs), self._files)
        lying = "".join(letter * number for letter, number in zip(_TYPES, hidden, strict=True))
        return f"{files} {_TURNS[turn]} {lying or '-'} {mover + 1}"

    def parse_position(self, text: str) -> bytes:
        contents = "files, colour, face-down pieces and player"
        files, colour, lying, player = split_fields(text, [4], contents, self.start().text)
        glyphs = split_rows(files, self._files, "files")
        turn = choice(colour, _TURNS, "colour to move")
        mover = choice(player, "12", "player to move")
        lying = "" if lying == "-" else lying
        for letter in lying:
            if letter not in _TYPES:
                raise PositionError(f"'{letter}' is not a piece ({', '.join(_TYPES)}).")
        if glyphs.count("*") > 1:
            raise PositionError("Only one piece can be turned up at a time.")
        hidden = [lying.count(letter) for letter in _TYPES]
        board = [_GLYPHS.piece(glyph) for glyph in glyphs.replace("*", "?")]
        return self.compose([mover, turn, glyphs.find("*"), *hidden, *board])

    @property
    def piece_kinds(self) -> tuple[Piece, ...]:
        kinds = [kind for kind in KINDS if kind in self.pieces]
        ranks = [sign * (KINDS.index(kind) + 1) for sign in (1, -1) for kind in kinds]
        return tuple(_drawn(0, piece) for piece in (*ranks, _FACE_DOWN))

    @property
    def position_fields(self) -> tuple[PositionField, ...]:
        return (
            PositionField("colour to move", tuple(_TURNS)),
            PositionField("face-down pieces"),
            PositionField("player to move", ("1", "2")),
        )

    def format_move(self, state: bytes, move: int) -> str:
        start, end = self._cells(move)
        if start == end:
            return self.cell_name(start)
        sign = "x" if self.core.irreversible(state, move) else "-"
        return f"{self.cell_name(start)}{sign}{self.cell_name(end)}"

    def format_outcome(self, state: bytes, outcome: int) -> str:
        return _TYPES[outcome]

    def scene(self, state: bytes, move: int | None = None) -> Scene:
        mover, turn, turning, hidden, board = self._describe(state)
        # Landscape: ranks run to the right, files downward.
        cells = tuple(
            Cell(cell % self.ranks, cell // self.ranks, self.cell_name(cell))
            for cell in range(len(board))
        )
        start, end = self._cells(move) if move is not None else (-1, -1)
        marks = {cell for cell in (turning, start if start == end else -1) if cell >= 0}
        return Scene(
            board="squares",
            cells=cells,
            pieces=tuple(_drawn(cell, piece) for cell, piece in enumerate(board) if piece),
            caption=self._caption(state, mover, turn, turning),
            trail=(start, end) if start != end else (),
            marks=tuple(marks),
            labels=edge_labels("12345678"[: self.ranks], "abcd"[: self.files]),
            reserve=tuple(
                (_COLOURS[i // len(KINDS)], _TYPES[i], number)
                for i, number in enumerate(hidden)
                if number
            ),
        )

    def colours_of(self, state: bytes) -> tuple[str, ...]:
        mover, turn, *_ = self._describe(state)
        if turn == _UNDECIDED:
            return ()
        own, other = _COLOURS[turn], _COLOURS[1 - turn]
        return (other, own) if mover else (own, other)

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


def _drawn(cell: int, piece: int) -> Piece:
    if piece == _FACE_DOWN:
        return Piece(cell, "hidden", "?")
    return Piece(cell, _COLOURS[piece < 0], _GLYPHS[piece], _GLYPHS[piece])


def _build(name: str, options: Mapping[str, Value]) -> Game | None:
    draws = options["draw"] == "standard"
    if name == "cdc-4x8":
        return DarkChessGame(name, 4, 8, _REAL_SET, draws)
    if not (match := _NAME.fullmatch(name)):
        return None
    pieces = "".join(sorted(match[1], key=KINDS.find))
    if not Counter(pieces) <= Counter(_REAL_SET):
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
    page="darkchess",
    options=(
        Option(
            "draw",
            "standard",
            "draws by history: 40 plies without capture or flip, threefold repetition",
            choices=("standard", "none"),
        ),
    ),
)
