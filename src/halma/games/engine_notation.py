"""How programs of other people write the positions and moves of a game.

A game that such programs play has one of these for each protocol: `Game.hub` and
`Game.checkerboard`.
"""

from __future__ import annotations

from typing import Protocol

from halma.games.game import Move, Position


class HubNotation(Protocol):
    """Positions and moves of the Hub protocol."""

    @property
    def variant(self) -> str:
        """The game's value of the engine parameter `variant`."""

    def format_position(self, position: Position) -> str:
        """Return the side to move and the squares, such as `Bbbbe...`."""

    def parse_position(self, text: str) -> Position:
        """Return the position of such a text, or raise a `PositionError`."""

    def format_move(self, position: Position, move: Move) -> str:
        """Return a legal move, a capture with the squares of the captured pieces."""

    def find(self, position: Position, text: str) -> Move:
        """Return the legal move of such a text, or raise a `MoveError`."""


class CheckerBoardNotation(Protocol):
    """Boards of CheckerBoard's `getmove`."""

    @property
    def game_type(self) -> int:
        """What an engine for the game answers to `get gametype`."""

    def board(self, position: Position) -> list[int]:
        """Return `board[x][y]` row by row: 64 numbers."""

    def colour(self, position: Position) -> int:
        """Return the side to move."""

    def find(self, position: Position, board: list[int]) -> Move:
        """Return a legal move that leads to a board, or raise a `MoveError`."""
