"""Openings from the rules: every position after some moves, those kept that a search calls even.

Tournaments draw their openings from such a list, and call them ballots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from halma.errors import HalmaError, OptionError
from halma.games import Game, Position, Record
from halma.search.minimax import Minimax, has_chance

#: positions that are looked at, at most
MOST_POSITIONS = 200_000


@dataclass(frozen=True)
class Ballot:
    """The first moves of a game."""

    #: of several orders, the first one
    moves: tuple[str, ...]
    position: Position
    #: for the player to move, from 0 to 1; None where nothing was searched
    value: float | None = None

    def book_line(self) -> str:
        """Return the opening as a line of a book."""
        return f"{self.position.text} # {' '.join(self.moves)}"


@dataclass(frozen=True)
class Ballots:
    """Openings, and how many there were before they were filtered."""

    openings: tuple[Ballot, ...]
    #: orders of moves
    sequences: int
    #: distinct positions in which the game is not over
    positions: int


def ballots(
    game: Game,
    plies: int,
    depth: int = 0,
    margin: float = 0.5,
    watch: Callable[[int, int], None] | None = None,
) -> Ballots:
    """Return the openings after some plies from the start.

    With a `depth`, openings are searched to it, and those are left out whose value is further than
    `margin` from an even game, 0.5. `watch` is called with the numbers searched and to be searched.
    """
    if has_chance(game):
        raise HalmaError(f"'{game.name}' has chance, so there is no list of its openings.")
    if depth and game.players != 2:
        raise OptionError(
            f"Openings of '{game.name}' cannot be filtered by search, which is for two players: "
            "give --depth 0."
        )
    sequences, found = _all_openings(game, plies)
    total = len(found)
    if depth:
        found = _even_ones(game, found, depth, margin, watch or (lambda done, total: None))
    if not found:
        raise HalmaError(
            f"No opening of '{game.name}' is left: {total} after {plies} plies, none within "
            f"{margin:g} of an even game."
        )
    return Ballots(tuple(found), sequences, total)


def _all_openings(game: Game, plies: int) -> tuple[int, list[Ballot]]:
    """Return the number of sequences, and an opening for each distinct position."""
    found = {game.start().state: (1, Ballot((), game.start()))}
    for _ in range(plies):
        longer: dict[bytes, tuple[int, Ballot]] = {}
        for orders, opening in found.values():
            for move in opening.position.legal_moves:
                after = opening.position.play(move)
                moves = (*opening.moves, move.text)
                known, first = longer.get(after.state, (0, Ballot(moves, after)))
                longer[after.state] = known + orders, first
        if len(longer) > MOST_POSITIONS:
            raise OptionError(
                f"'{game.name}' has more than {MOST_POSITIONS:,} openings of {plies} plies: "
                "take fewer plies."
            )
        found = longer
    alive = [(n, one) for n, one in found.values() if not Record(game, one.position).is_over]
    return sum(orders for orders, _ in alive), [one for _, one in alive]


def _even_ones(
    game: Game,
    openings: list[Ballot],
    depth: int,
    margin: float,
    watch: Callable[[int, int], None],
) -> list[Ballot]:
    search = Minimax(game)
    kept = []
    for number, opening in enumerate(openings, 1):
        value = search.search(opening.position, depth=depth).as_analysis().value
        assert value is not None
        if abs(value - 0.5) <= margin:
            kept.append(Ballot(opening.moves, opening.position, value))
        watch(number, len(openings))
    return kept
