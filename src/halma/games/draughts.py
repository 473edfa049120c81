"""English draughts: names, notation and drawings. Rules: `core/games/draughts.hpp`.

Squares are numbered 1 to 32 row by row from black's side. A position is written as in
the FEN tag of PDN: `B:W18,24,K10:B12,K22` is the side to move, then white's squares,
then black's, kings marked K. A step is `11-15`, a capture lists every square it lands
on: `11x18x25`. Whole games are read and written by `halma.games.pdn`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from halma import _core
from halma.draw.scene import Cell, Piece, Scene
from halma.errors import PositionError
from halma.games.draughts_engines import DraughtsCheckerBoard, DraughtsHub
from halma.games.family import Family, choice
from halma.games.game import Game, Move, PositionField, normalise_move
from halma.names import Option, Value

_SQUARE = r"(?:[1-9]|[12][0-9]|3[0-2])"
_ENTRY = re.compile(rf"(K?)({_SQUARE})(?:-({_SQUARE}))?")

_GLYPHS = {1: "b", 2: "B", -1: "w", -2: "W"}

_LIMITS = {
    "standard": _core.Limits(repetitions=3, no_progress=80),
    "repeat": _core.Limits(repetitions=2),
    "none": _core.Limits(),
}

#: the 32 playable squares by number, then the light ones, which are only drawn
_CELLS = (
    *(Cell(i % 4 * 2 + 1 - i // 4 % 2, i // 4, str(i + 1), "dark") for i in range(32)),
    *(Cell(i % 4 * 2 + i // 4 % 2, i // 4, "", "light") for i in range(32)),
)


class DraughtsGame(Game):
    """English draughts (American checkers) on the 8 x 8 board."""

    title = "English draughts"
    player_names = ("black", "white")
    move_pattern = rf"{_SQUARE}(?:-{_SQUARE})+|{_SQUARE}(?:x{_SQUARE})+"
    core: _core.Draughts

    def __init__(self, name: str, options: Mapping[str, Value]) -> None:
        super().__init__(name, _core.Draughts(), _LIMITS[str(options["draw"])], options)
        self.hub, self.checkerboard = DraughtsHub(self), DraughtsCheckerBoard(self)

    @property
    def strongest(self) -> str:
        return "alphabeta:nodes=5000000"

    def format_position(self, state: bytes) -> str:
        mover, *board = self.core.describe(state)
        white = ",".join(_entry(s, piece) for s, piece in enumerate(board, 1) if piece < 0)
        black = ",".join(_entry(s, piece) for s, piece in enumerate(board, 1) if piece > 0)
        return f"{'BW'[mover]}:W{white}:B{black}"

    def parse_position(self, text: str) -> bytes:
        parts = [part.strip() for part in text.upper().removesuffix(".").split(":")]
        # Some programs append a halfmove clock and a move number, which a position does not have.
        parts = [part for part in parts if not re.fullmatch("[HF][0-9]+", part)]
        if len(parts) != 3:
            raise PositionError(
                "A position is the side to move and the squares of both colours, such as "
                f"'B:W18,24,K10:B12,K22'; this one has {len(parts)} parts."
            )
        mover = choice(parts[0], "BW", "side to move")
        if sorted(part[:1] for part in parts[1:]) != ["B", "W"]:
            raise PositionError("The squares of one colour begin with 'W', the other's with 'B'.")
        board = [0] * 32
        for part in parts[1:]:
            _place(board, part[1:], 1 if part[0] == "B" else -1)
        return self.compose([mover, *board])

    @property
    def piece_kinds(self) -> tuple[Piece, ...]:
        return tuple(_drawn(0, piece) for piece in _GLYPHS)

    @property
    def position_fields(self) -> tuple[PositionField, ...]:
        return (PositionField("side to move", ("B", "W")),)

    def split_position(self, text: str) -> tuple[list[str], list[str]]:
        mover, *board = self.core.describe(self.parse_position(text))
        return [_GLYPHS.get(piece, ".") for piece in board], ["BW"[mover]]

    def join_position(self, glyphs: Sequence[str], fields: Sequence[str]) -> str:
        pieces = {glyph: piece for piece, glyph in _GLYPHS.items()} | {".": 0}
        if len(glyphs) != 32 or not set(glyphs) <= set(pieces):
            raise PositionError("The board has 32 squares: b, B, w, W or '.' each.")
        mover = choice(fields[0] if fields else "", "BW", "side to move")
        return self.format_position(self.compose([mover, *(pieces[glyph] for glyph in glyphs)]))

    def format_move(self, state: bytes, move: int) -> str:
        separator = "x" if self.core.jumps(move) else "-"
        return separator.join(str(square + 1) for square in self.core.path(move))

    def match_moves(self, moves: list[Move], text: str) -> list[Move]:
        # A capture may leave out squares between the first and the last.
        given = normalise_move(text).split("-")
        if len(given) < 2:
            return []
        return [move for move in moves if _is_short_for(given, normalise_move(move.text))]

    def scene(self, state: bytes, move: int | None = None) -> Scene:
        mover, *board = self.core.describe(state)
        pieces = tuple(_drawn(square, piece) for square, piece in enumerate(board) if piece)
        over = self.core.terminal(state)
        return Scene(
            board="squares",
            cells=_CELLS,
            pieces=pieces,
            caption=f"{self.player_names[mover ^ over]} {'has won' if over else 'moves'}",
            trail=() if move is None else tuple(self.core.path(move)),
        )


def _drawn(square: int, piece: int) -> Piece:
    colour = "black" if piece > 0 else "white"
    return Piece(square, colour, _GLYPHS[piece], crowned=abs(piece) == 2)


def _entry(square: int, piece: int) -> str:
    return f"K{square}" if abs(piece) == 2 else str(square)


def _place(board: list[int], squares: str, colour: int) -> None:
    """Put the pieces of a list such as `18,24,K10,21-32` on the board."""
    for entry in squares.split(",") if squares.strip() else []:
        match = _ENTRY.fullmatch(entry.strip())
        if not match:
            raise PositionError(
                f"'{entry.strip()[:20]}' is not a square: squares are 1 to 32, kings K1 to K32, "
                "runs of them 21-32."
            )
        first = int(match[2])
        last = int(match[3] or first)
        if last < first:
            raise PositionError(f"'{entry.strip()}' runs backwards.")
        for square in range(first, last + 1):
            if board[square - 1]:
                raise PositionError(f"Square {square} is given twice.")
            board[square - 1] = 2 * colour if match[1] else colour


def _is_short_for(given: list[str], full: str) -> bool:
    """Whether the squares given keep the first and last of `full`, and its order."""
    path = full.split("-")
    if given[0] != path[0] or given[-1] != path[-1]:
        return False
    rest = iter(path[1:-1])
    return all(square in rest for square in given[1:-1])


def _build(name: str, options: Mapping[str, Value]) -> Game | None:
    return DraughtsGame(name, options) if name == "draughts-8x8" else None


FAMILY = Family(
    title=DraughtsGame.title,
    pattern="draughts-8x8",
    variants={"draughts-8x8": "English draughts, also called American checkers"},
    build=_build,
    page="draughts",
    options=(
        Option(
            "draw",
            "standard",
            "when a game is drawn: standard (third occurrence of a position, or 40 moves "
            "each without a capture or a man's move), repeat (second occurrence), none",
            choices=tuple(_LIMITS),
        ),
    ),
    presets={"pluska2022": {"draw": "repeat"}},
)
