"""Toads and Frogs, a small game written in Python: rules, names, notation, drawings.

Toads start on the left and move right, frogs on the right and move left. A piece slides into
the empty cell before it, or hops over one opponent into the empty cell behind. A player
without a legal move loses.

Cells are numbered from 1 at the left. A position is `CELLS MOVER`, such as `TT.T.FFF f`;
a move is `3-4`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

from halma.draw.scene import Cell, Piece, Scene
from halma.errors import PositionError, UnknownVariantError
from halma.games.family import SIZE, Family
from halma.games.game import Game
from halma.games.scripted import EncodingContext, ScriptedGame, State
from halma.names import Value

_NAME = re.compile(f"frogs-{SIZE}-{SIZE}")
_LONGEST = 16
_GLYPHS = ".TF"
_EMPTY = 0


class FrogsGame(ScriptedGame):
    """Toads, a gap, and as many frogs.

    A cell holds 0, or its piece's player + 1. A move is from + 16 * to; a piece has at most
    one move, so its cell is the policy index.
    """

    title = "Toads and Frogs"
    player_names = ("toads", "frogs")
    player_colours = ("red", "green")
    move_pattern = "[1-9][0-9]?-[1-9][0-9]?"

    def __init__(self, name: str, pieces: int, gap: int) -> None:
        self.pieces = pieces
        self.length = 2 * pieces + gap
        self.dtype = [("cells", "i1", (self.length,)), ("mover", "i1")]
        self.actions = self.length
        self.shape = (2, 1, self.length)
        self.index_size = 2 * comb(self.length, pieces) * comb(self.length - pieces, pieces)
        super().__init__(name)

    def initial(self) -> State:
        state = self.blank()
        state["cells"][: self.pieces] = 1
        state["cells"][-self.pieces :] = 2
        return state

    def legal(self, state: State) -> list[int]:
        cells, mover = state["cells"].tolist(), int(state["mover"])
        return [
            cell + 16 * to
            for cell in range(self.length)
            if cells[cell] == mover + 1 and (to := self._target(cells, mover, cell)) is not None
        ]

    def _target(self, cells: Sequence[int], mover: int, cell: int) -> int | None:
        step = -1 if mover else 1
        if not 0 <= cell + step < self.length:
            return None
        if cells[cell + step] == _EMPTY:
            return cell + step
        behind = cell + 2 * step
        hops = cells[cell + step] == 2 - mover and 0 <= behind < self.length
        return behind if hops and cells[behind] == _EMPTY else None

    def play(self, state: State, move: int) -> State:
        after = state.copy()
        after["cells"][move % 16] = _EMPTY
        after["cells"][move // 16] = state["mover"] + 1
        after["mover"] = 1 - state["mover"]
        return after

    def irreversible(self, state: State, move: int) -> bool:
        return True  # pieces only go forward

    def landing(self, move: int) -> int:
        return move // 16

    def result(self, state: State) -> tuple[float, float]:
        if self.legal(state):
            return 0.5, 0.5
        return (1.0, 0.0) if state["mover"] else (0.0, 1.0)

    # Policy and planes show frogs the row from the other end, so that both sides move right.

    def action(self, state: State, move: int) -> int:
        return self._view(move % 16, int(state["mover"]))

    def move(self, state: State, action: int) -> int | None:
        mover = int(state["mover"])
        cell = self._view(action, mover)
        to = self._target(state["cells"].tolist(), mover, cell)
        return None if to is None else cell + 16 * to

    def _view(self, cell: int, mover: int) -> int:
        return self.length - 1 - cell if mover else cell

    def encode(self, recent: Sequence[State], context: EncodingContext) -> Any:
        cells, mover = recent[0]["cells"], int(recent[0]["mover"])
        row = cells[::-1] if mover else cells
        return [[row == mover + 1], [row == 2 - mover]]

    # The set of toads is ranked among all cells, that of frogs among the remaining ones.

    def index(self, state: State) -> int:
        cells = state["cells"].tolist()
        toads = [cell for cell in range(self.length) if cells[cell] == 1]
        others = [cell for cell in range(self.length) if cells[cell] != 1]
        frogs = [i for i, cell in enumerate(others) if cells[cell] == 2]
        board = _rank(toads) * comb(len(others), self.pieces) + _rank(frogs)
        return 2 * board + int(state["mover"])

    def unindex(self, index: int) -> State:
        state = self.blank()
        state["mover"] = index % 2
        others = self.length - self.pieces
        toads, frogs = divmod(index // 2, comb(others, self.pieces))
        state["cells"][_unrank(toads, self.pieces)] = 1
        rest = [cell for cell in range(self.length) if state["cells"][cell] != 1]
        state["cells"][[rest[i] for i in _unrank(frogs, self.pieces)]] = 2
        return state

    def format_state(self, state: State) -> str:
        return f"{''.join(_GLYPHS[cell] for cell in state['cells'])} {'tf'[state['mover']]}"

    def parse_state(self, text: str) -> State:
        match = re.fullmatch(rf"([.TF]{{{self.length}}})\s+([tf])", text)
        if not match:
            raise PositionError(
                f"A position is {self.length} cells (T, F or .) and the player to move "
                f"(t or f), such as '{self.start().text}'."
            )
        cells, mover = match.groups()
        if cells.count("T") != self.pieces or cells.count("F") != self.pieces:
            raise PositionError(f"There must be {self.pieces} toads and {self.pieces} frogs.")
        state = self.blank()
        state["cells"] = [_GLYPHS.index(glyph) for glyph in cells]
        state["mover"] = "tf".index(mover)
        return state

    def move_text(self, state: State, move: int) -> str:
        return f"{move % 16 + 1}-{move // 16 + 1}"

    def state_scene(self, state: State, move: int | None = None) -> Scene:
        return Scene(
            board="squares",
            cells=tuple(Cell(x, 0, str(x + 1)) for x in range(self.length)),
            pieces=tuple(
                Piece(cell, self.player_colours[piece - 1], _GLYPHS[piece])
                for cell, piece in enumerate(state["cells"].tolist())
                if piece
            ),
            caption=self.caption(state),
            trail=() if move is None else (move % 16, move // 16),
            labels=tuple((x, 1, str(x + 1)) for x in range(self.length)),
        )


def _rank(cells: Sequence[int]) -> int:
    """Return the rank of an ascending set of cells among all sets of its size."""
    return sum(comb(cell, i + 1) for i, cell in enumerate(cells))


def _unrank(rank: int, size: int) -> list[int]:
    cells: list[int] = []
    for i in range(size, 0, -1):
        cells.insert(0, max(cell for cell in range(_LONGEST) if comb(cell, i) <= rank))
        rank -= comb(cells[0], i)
    return cells


def _build(name: str, options: Mapping[str, Value]) -> Game | None:
    if not (match := _NAME.fullmatch(name)):
        return None
    pieces, gap = map(int, match.groups())
    if pieces < 1 or gap < 1 or 2 * pieces + gap > _LONGEST:
        raise UnknownVariantError(
            f"There is no '{name}': there is at least one toad, one frog and one gap, "
            f"on at most {_LONGEST} cells."
        )
    return FrogsGame(name, pieces, gap)


FAMILY = Family(
    title=FrogsGame.title,
    pattern="frogs-A-B (A toads, A frogs, B cells between them)",
    variants={
        "frogs-2-1": "small enough to play through by hand",
        "frogs-3-2": "a game written in Python",
    },
    build=_build,
    page="frogs",
)
