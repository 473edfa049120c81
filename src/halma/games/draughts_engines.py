"""English draughts as other programs write it: Hub, and the boards of CheckerBoard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from halma.errors import IllegalMoveError, MoveSyntaxError, PositionError
from halma.games.game import Move, Position

if TYPE_CHECKING:
    from halma.games.draughts import DraughtsGame

_SQUARES = 32
#: characters of Hub by our piece numbers
_HUB = {0: "e", 1: "b", 2: "B", -1: "w", -2: "W"}
_HUB_MOVE = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2})|x([0-9]{1,2})((?:x[0-9]{1,2})*))")
#: bits of CheckerBoard
_WHITE, _BLACK, _MAN, _KING = 1, 2, 4, 8
_CHECKERBOARD = {
    0: 0,
    1: _BLACK | _MAN,
    2: _BLACK | _KING,
    -1: _WHITE | _MAN,
    -2: _WHITE | _KING,
}


class DraughtsHub:
    """Hub's notation: a character for each square, captures with the squares captured."""

    variant = "english"

    def __init__(self, game: DraughtsGame) -> None:
        self._game = game

    def format_position(self, position: Position) -> str:
        """Return the side to move, then the squares 1 to 32."""
        mover, *board = self._game.core.describe(position.state)
        return "BW"[mover] + "".join(_HUB[piece] for piece in board)

    def parse_position(self, text: str) -> Position:
        """Return the position of 33 characters."""
        pieces = {character: piece for piece, character in _HUB.items()}
        side, squares = text[:1], text[1:]
        if side not in ("B", "W") or len(squares) != _SQUARES or not set(squares) <= set(pieces):
            raise PositionError(
                f"'{text[:60]}' is not a position: it is B or W and {_SQUARES} characters, "
                "each b, w, B, W or e."
            )
        fields = ["BW".index(side), *(pieces[character] for character in squares)]
        return Position(self._game, self._game.compose(fields))

    def format_move(self, position: Position, move: Move) -> str:
        """Return `11-15`, or `11x18x15` for a capture of the piece on 15."""
        first, last, captured = self._parts(position, move)
        if not captured:
            return f"{first}-{last}"
        return "x".join(map(str, [first, last, *sorted(captured)]))

    def find(self, position: Position, text: str) -> Move:
        """Return a move with the same ends and captures; where several are, they do the same."""
        match = _HUB_MOVE.fullmatch(text.strip())
        if match is None:
            raise MoveSyntaxError(f"'{text[:40]}' is not a move such as 11-15 or 11x18x15.")
        given = (
            int(match[1]),
            int(match[2] or match[3]),
            frozenset(map(int, (match[4] or "").split("x")[1:])),
        )
        for move in position.legal_moves:
            if self._parts(position, move) == given:
                return move
        legal = [self.format_move(position, move) for move in position.legal_moves]
        raise IllegalMoveError(f"'{text[:40]}' is not legal here. Legal: {', '.join(legal[:4])}.")

    def _parts(self, position: Position, move: Move) -> tuple[int, int, frozenset[int]]:
        """Return the first and the last square of a move, and those of the captured pieces."""
        path = self._game.core.path(move.value)
        return path[0] + 1, path[-1] + 1, frozenset(self._captured(position, move))

    def _captured(self, position: Position, move: Move) -> Iterator[int]:
        mover, *before = self._game.core.describe(position.state)
        _, *after = self._game.core.describe(position.play(move).state)
        own = 1 if mover == 0 else -1
        for square, (piece, left) in enumerate(zip(before, after, strict=True), 1):
            if piece * own < 0 and left != piece:
                yield square


class DraughtsCheckerBoard:
    """CheckerBoard's boards: `board[x][y]` with bits for colour and piece."""

    game_type = 21

    def __init__(self, game: DraughtsGame) -> None:
        self._game = game

    def board(self, position: Position) -> list[int]:
        """Return the 64 numbers, eight for each x."""
        _, *squares = self._game.core.describe(position.state)
        board = [0] * 64
        for square, piece in enumerate(squares):
            y = square // 4
            x = 2 * (3 - square % 4) + y % 2
            board[8 * x + y] = _CHECKERBOARD[piece]
        return board

    def colour(self, position: Position) -> int:
        """Return 2 for black, 1 for white."""
        return (_BLACK, _WHITE)[position.mover]

    def find(self, position: Position, board: list[int]) -> Move:
        """Return a move that leads to this board; where several do, they are the same to play."""
        for move in position.legal_moves:
            if self.board(position.play(move)) == board:
                return move
        if self.board(position) == board:
            raise IllegalMoveError("The board is as it was: no move was made.")
        raise IllegalMoveError("No legal move leads to the board that was returned.")
