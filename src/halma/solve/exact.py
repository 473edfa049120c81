"""Exact values as fractions.

The core keeps a value as a whole number over a denominator that is proven to suffice
(`HasLayers` in `core/solve_hooks.hpp`), so fractions are exact. Chance before the first decision,
which no table entry covers, is averaged here in fractions.
"""

from __future__ import annotations

from fractions import Fraction

from halma.errors import TableError
from halma.games import Game, Position
from halma.solve.solution import ExpectimaxSolution, Solution

#: Chance has at most 720 outcomes, so its probabilities have no larger denominators.
_MAX_DENOMINATOR = 720


def exact_value(solution: Solution, position: Position) -> Fraction:
    """Return the value for the player to move as a fraction."""
    if position.is_terminal:
        return Fraction(position.result[position.mover])
    if position.is_chance:
        total = Fraction(0)
        for outcome in position.outcomes:
            after = position.resolve(outcome)
            value = exact_value(solution, after)
            if after.mover != position.mover:
                value = 1 - value
            total += Fraction(outcome.probability).limit_denominator(_MAX_DENOMINATOR) * value
        return total
    if not isinstance(solution, ExpectimaxSolution):
        return Fraction(solution.value(position))
    denominator = solution.denominator
    if denominator is None:
        raise no_fractions(solution.game)
    numerator = solution.core.look_up(position.state)[0]
    if numerator != int(numerator):
        raise TableError(
            f"The table of '{solution.game.name}' has a value that is not a whole numerator."
        )
    return Fraction(int(numerator), denominator)


def no_fractions(game: Game) -> TableError:
    """Return the error for a game whose values are rounded."""
    return TableError(
        f"'{game.name}' has no exact fractions: their denominators may be too large for doubles."
    )


def exact_start_value(solution: Solution) -> Fraction:
    """Return the value of the start for the first player; averaged over random set-ups."""
    start = solution.game.start()
    value = exact_value(solution, start)
    return value if start.mover == 0 else 1 - value
