"""Greedy players in the core: thousands of games a second, and looking ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halma import _core
from halma.errors import UnknownAgentError
from halma.games import Game, Move, Position
from halma.search.analysis import named

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]
    Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class GreedyTotals:
    """What came of many games between greedy players."""

    games: int
    plies: int
    #: per player
    wins: tuple[int, ...]
    #: games nobody won, because a limit stopped them
    draws: int
    shortest: int
    longest: int


def races_in_core(game: Game) -> bool:
    """Whether the core measures how far moves advance; a game in Python may do so otherwise."""
    return _core.races(game.core) and type(game).advance is Game.advance


def greedy_games(
    game: Game,
    games: int,
    seed: int = 0,
    random_plies: int = 3,
    stochastic: Sequence[int] = (),
    threads: int = 1,
) -> GreedyTotals:
    """Play games between liu2019's greedy players and count what comes of them.

    Each player begins with `random_plies` random moves. Players numbered in `stochastic`
    play like `greedy:stochastic`, the others like `greedy`. The totals depend on the seed
    and not on the number of threads.
    """
    if not _core.races(game.core):
        raise UnknownAgentError(f"Pieces do not race in '{game.name}', so greedy does not play it.")
    totals = _core.greedy_games(
        game.core, game.limits, games, seed, random_plies, list(stochastic), threads
    )
    return GreedyTotals(**{**totals, "wins": tuple(totals["wins"])})


def advances(game: Game, states: Array, moves: Array) -> Floats:
    """Return how far each of some legal moves brings its piece forward; NO_MOVE does not.

    `states` is (n, bytes of a state), `moves` (n).
    """
    import numpy as np

    if _core.races(game.core) and type(game).advance is Game.advance:
        return _core.advances(game.core, states, moves).astype(np.float64)
    found = (
        0.0 if move == _core.NO_MOVE else game.advance(state.tobytes(), int(move))
        for state, move in zip(states, moves, strict=True)
    )
    return np.fromiter(found, np.float64, len(moves))


def lookahead_moves(position: Position, depth: int) -> list[Move]:
    """Return the first moves of the `depth` own moves in a row that advance most together.

    The others stand still meanwhile. Of several, those of the piece furthest behind; a
    move that finishes comes before all others.
    """
    game = position.game
    if not _core.looks_ahead(game.core):
        raise UnknownAgentError(
            f"In '{game.name}' nobody can be ahead by several moves in a row, "
            "so lookahead does not play it."
        )
    found = _core.lookahead(game.core, position.state, depth)
    return [named(position, value) for value in found]
