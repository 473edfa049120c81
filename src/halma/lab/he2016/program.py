"""The players of he2016's program, as far as it differs from the text of the paper.

The program is `sijunhe/ChineseCheckersAI` on GitHub. Its basic player searches all game, the
modified one only in the midgame; neither repeats one of its last four moves in a search. Two things
are left out: it considers no move that goes more than two rows back (one in the opening), and it
orders moves without C, which matters between moves of equal value.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from halma import _core
from halma.games import Game, Move, Record
from halma.search.analysis import named
from halma.search.minimax import Minimax, MinimaxAnalysis

Stage = Literal["opening", "midgame", "endgame"]

#: Own moves that may not be repeated.
FORBIDDEN = 4
#: Rows between the two fronts at which the midgame begins.
CONTACT_ROWS = 2
_FINISHED = 1e9
#: Added in the endgame for a piece in the last row, the one before, and the one before that.
_LAST_ROWS = (12, 6, 2)


class ProgramBoard:
    """A game with what the program's players ask of it: rows, stages, and moves in a row."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.core = game.core
        rows = [hole[3] for hole in game.core.holes]  # type: ignore[attr-defined]
        #: [player][hole]: rows to the far corner of the target
        self.rows: list[list[int]] = [[y - min(rows) for y in rows], [max(rows) - y for y in rows]]

    def pieces(self, state: bytes) -> tuple[list[int], list[int]]:
        """Return the holes of both players."""
        found: tuple[list[int], list[int]] = ([], [])
        for hole, value in enumerate(self.core.describe(state)[3:]):
            if value:
                found[(value - 1) // 16].append(hole)
        return found

    def stage(self, state: bytes) -> Stage:
        """Return the stage: the endgame begins when the armies have passed each other."""
        ys = [[self.rows[0][hole] for hole in army] for army in self.pieces(state)]
        if max(ys[0]) <= min(ys[1]):
            return "endgame"
        return "midgame" if min(ys[0]) - max(ys[1]) <= CONTACT_ROWS else "opening"

    def forward(self, state: bytes, player: int, back: int) -> list[int]:
        """Return the moves that go back by at most a number of rows; all if there are none."""
        moves, rows = self.core.legal(state), self.rows[player]
        near = [m for m in moves if rows[m >> 8] - rows[m & 0xFF] <= back]
        return near or moves

    def again(self, state: bytes, move: int, player: int) -> bytes:
        """Return the state after a move, with the same player to move unless the game is over."""
        after = self.core.play(state, move)
        if self.core.terminal(after):
            return after
        fields = self.core.describe(after)
        fields[0] = player
        return self.core.compose(fields)

    def best_in_a_row(
        self,
        state: bytes,
        depth: int,
        back: int,
        evaluate: Callable[[bytes, int], float],
        barred: Sequence[int] = (),
    ) -> tuple[int, int]:
        """Return the first of some own moves that lead to the best evaluation, the first found.

        Also return how many positions were visited. `evaluate` gets a state and the player.
        """
        player, visited = self.core.mover(state), 0
        known: dict[tuple[bytes, int], float] = {}

        def value(now: bytes, left: int) -> float:
            nonlocal visited
            if (now, left) not in known:
                visited += 1
                if self.core.terminal(now):
                    known[now, left] = _FINISHED * (1 + left)
                elif left == 0:
                    known[now, left] = evaluate(now, player)
                else:
                    moves = self.forward(now, player, back)
                    known[now, left] = max(
                        value(self.again(now, m, player), left - 1) for m in moves
                    )
            return known[now, left]

        moves = self.forward(state, player, back)
        allowed = [move for move in moves if move not in barred] or moves
        best = max(allowed, key=lambda m: value(self.again(state, m, player), depth - 1))
        return best, visited


@dataclass
class ProgramPlayer:
    """The basic or the modified player, with weights of the core's seven features."""

    name: str
    weights: tuple[float, ...]
    depth: int
    modified: bool = False
    #: positions visited in each move so far
    visited: list[int] = field(default_factory=list)
    _made: tuple[Minimax, ProgramBoard] | None = field(default=None, repr=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the move the program would play."""
        search, board = self._of(record.game)
        state = record.position.state
        stage = board.stage(state) if self.modified else "midgame"
        if stage == "midgame":
            found = search_allowed(search, record, self.depth)
            self.visited.append(found.nodes)
            return found.best
        if stage == "endgame":
            best, visited = endgame_move(board, state)
        else:
            best, visited = self._open(board, record, self.depth // 2 + 1)
        self.visited.append(visited)
        return named(record.position, best)

    def open(self, record: Record, depth: int) -> Move:
        """Return the first of some own moves in a row, as if the other player stood still."""
        best, _ = self._open(self._of(record.game)[1], record, depth)
        return named(record.position, best)

    def _open(self, board: ProgramBoard, record: Record, depth: int) -> tuple[int, int]:
        def lead(state: bytes, player: int) -> float:
            own, other = (_core.features(board.core, state, p) for p in (player, 1 - player))
            return sum(w * (a - b) for w, a, b in zip(self.weights, own, other, strict=True))

        state = record.position.state
        return board.best_in_a_row(state, depth, 1, lead, forbidden_moves(record))

    def _of(self, game: Game) -> tuple[Minimax, ProgramBoard]:
        if self._made is None or self._made[1].game is not game:
            search = Minimax(
                game, weights=self.weights, deepen=False, quiescence=False, limits="rules"
            )
            self._made = search, ProgramBoard(game)
        return self._made

    @property
    def search(self) -> Callable[[Record], MinimaxAnalysis]:
        """The midgame search."""
        return lambda record: search_allowed(self._of(record.game)[0], record, self.depth)


def forbidden_moves(record: Record) -> list[int]:
    """Return the last moves of the player to move, which it may not repeat."""
    moves = [value for chance, value in record.events if not chance]
    return moves[-2 : -2 * FORBIDDEN - 1 : -2]


def search_allowed(search: Minimax, record: Record, depth: int) -> MinimaxAnalysis:
    """Search; where the best move is a forbidden one, take the best of the others."""
    found = search.search(record, depth=depth)
    forbidden = forbidden_moves(record)
    if found.best.value not in forbidden:
        return found
    every = search.search(record, depth=depth, all_moves=True)
    allowed = [(move, value) for move, value in every.values if move.value not in forbidden]
    if not allowed:
        return found
    best, value = max(allowed, key=lambda pair: pair[1])
    return replace(every, best=best, value=value, nodes=found.nodes + every.nodes)


def endgame_move(board: ProgramBoard, state: bytes) -> tuple[int, int]:
    """Return the first of two to four own moves, the more the fewer there are; and the visits."""
    player = board.core.mover(state)
    number = len(board.forward(state, player, 0))
    depth = 2 if number > 20 else 3 if number > 10 else 4

    def score(now: bytes, who: int) -> float:
        rows = [board.rows[who][hole] for hole in board.pieces(now)[who]]
        return sum(_LAST_ROWS[row] if row < 3 else 0 for row in rows) - sum(r * r for r in rows)

    return board.best_in_a_row(state, depth, 0, score)


@dataclass
class ProgramBenchmark:
    """The program's greedy player: the gain of a move in squared rows, and the rows of the next."""

    name: str = "benchmark"
    _board: ProgramBoard | None = field(default=None, repr=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return one of the best moves."""
        if self._board is None or self._board.game is not record.game:
            self._board = ProgramBoard(record.game)
        board, state = self._board, record.position.state
        player = board.core.mover(state)
        rows = board.rows[player]

        def gain(move: int) -> int:
            here, there = rows[move & 0xFF] + 1, rows[move >> 8] + 1
            after = board.again(state, move, player)
            if board.core.terminal(after):
                return 10**6
            onwards = board.forward(after, player, 1)
            return here**2 - there**2 + max(rows[m & 0xFF] - rows[m >> 8] for m in onwards)

        gains = {move: gain(move) for move in board.forward(state, player, 0)}
        best = [move for move, value in gains.items() if value == max(gains.values())]
        return named(record.position, rng.choice(best))
