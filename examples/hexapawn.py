"""Hexapawn, Martin Gardner's game of six pawns on nine squares, as a game in Python.

    halma show examples/hexapawn.py
    halma play human random --game examples/hexapawn.py
    halma solve examples/hexapawn.py

Pawns move one square forward or capture one square diagonally forward. Whoever reaches the far
row, captures all pawns or leaves the other without a move wins.
"""

import numpy as np

from halma.draw.scene import Cell, Piece, Scene, edge_labels
from halma.errors import PositionError
from halma.games import ScriptedGame

SIDE = 3
SQUARES = [f"{column}{row}" for row in range(SIDE, 0, -1) for column in "abc"]  # a3 b3 c3 a2 ...
WHITE, BLACK = 1, 2  # in state["squares"]; 0 is an empty square


class Hexapawn(ScriptedGame):
    """White, below, moves first."""

    title = "Hexapawn"
    player_names = ("white", "black")
    dtype = [("squares", "u1", (SIDE * SIDE,)), ("mover", "u1")]
    actions = (SIDE * SIDE) ** 2  # from * 9 + to
    shape = (2, SIDE, SIDE)
    index_size = 2 * 3 ** (SIDE * SIDE)
    move_pattern = "[abc][123][-x][abc][123]"

    def initial(self):
        state = self.blank()
        state["squares"] = [BLACK] * SIDE + [0] * SIDE + [WHITE] * SIDE
        return state

    def legal(self, state):
        if self._has_reached_far_row(state):
            return []
        squares, mover = state["squares"].tolist(), int(state["mover"])
        own, other, forward = (WHITE, BLACK, -1) if mover == 0 else (BLACK, WHITE, 1)
        moves = []
        for start, pawn in enumerate(squares):
            row, column = divmod(start, SIDE)
            row += forward
            if pawn != own or not 0 <= row < SIDE:
                continue
            for beside in (-1, 0, 1):
                end = row * SIDE + column + beside
                if 0 <= column + beside < SIDE and squares[end] == (other if beside else 0):
                    moves.append(start * SIDE * SIDE + end)
        return moves

    def play(self, state, move):
        start, end = divmod(move, SIDE * SIDE)
        after = state.copy()
        after["squares"][end] = after["squares"][start]
        after["squares"][start] = 0
        after["mover"] = 1 - state["mover"]
        return after

    def result(self, state):
        if self.legal(state):
            return 0.5, 0.5  # a game that is stopped early
        return (1, 0) if state["mover"] == 1 else (0, 1)  # the last mover has won

    def irreversible(self, state, move):
        return True  # pawns only go forward

    def _has_reached_far_row(self, state):
        squares = state["squares"]
        return (squares[:SIDE] == WHITE).any() or (squares[-SIDE:] == BLACK).any()

    # For the agent `greedy`: captures come before steps.

    def move_advance(self, state, move):
        return 2 if state["squares"][move % (SIDE * SIDE)] else 1

    # For lookup tables and solvers: a number for every position, and the way back.

    def index(self, state):
        digits = int("".join(map(str, state["squares"].tolist())), 3)
        return digits * 2 + int(state["mover"])

    def unindex(self, index):
        state = self.blank()
        index, state["mover"] = divmod(index, 2)
        for square in reversed(range(SIDE * SIDE)):
            index, state["squares"][square] = divmod(index, 3)
        return state

    # For networks: planes of the mover's pawns and of the opponent's, the mover below.

    def encode(self, recent, context):
        squares = recent[0]["squares"].reshape(SIDE, SIDE)
        planes = np.stack([squares == WHITE, squares == BLACK])
        return planes if recent[0]["mover"] == 0 else planes[::-1, ::-1]

    def action(self, state, move):
        return move if state["mover"] == 0 else self._seen_from_the_other_side(move)

    def move(self, state, action):
        return action if state["mover"] == 0 else self._seen_from_the_other_side(action)

    def _seen_from_the_other_side(self, move):
        start, end = divmod(move, SIDE * SIDE)
        return self._mirrored(start) * SIDE * SIDE + self._mirrored(end)

    def _mirrored(self, square):
        return (SIDE - 1 - square // SIDE) * SIDE + square % SIDE

    # For people: text and drawings.

    def format_state(self, state):
        letters = "".join(".wb"[pawn] for pawn in state["squares"])
        rows = [letters[i : i + SIDE] for i in range(0, len(letters), SIDE)]
        return f"{'/'.join(rows)} {self.player_names[state['mover']]}"

    def parse_state(self, text):
        rows, _, mover = text.partition(" ")
        letters = rows.replace("/", "")
        if (
            len(letters) != SIDE * SIDE
            or set(letters) - set(".wb")
            or mover not in ("white", "black")
        ):
            raise PositionError("A position is three rows and a player: 'bbb/.../www white'.")
        state = self.blank()
        state["squares"] = [".wb".index(letter) for letter in letters]
        state["mover"] = self.player_names.index(mover)
        return state

    def move_text(self, state, move):
        start, end = divmod(move, SIDE * SIDE)
        return SQUARES[start] + ("x" if state["squares"][end] else "-") + SQUARES[end]

    def state_scene(self, state, move=None):
        return Scene(
            board="squares",
            cells=tuple(Cell(i % SIDE, i // SIDE, name) for i, name in enumerate(SQUARES)),
            pieces=tuple(
                Piece(square, self.player_names[pawn - 1], "wb"[pawn - 1])
                for square, pawn in enumerate(state["squares"].tolist())
                if pawn
            ),
            caption=self.caption(state),
            trail=() if move is None else divmod(move, SIDE * SIDE),
            labels=edge_labels("abc", "321"),
        )
