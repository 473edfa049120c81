"""Values of chance games as fractions.

The core keeps a value as a whole number over a denominator that is proven to suffice
(`core/solve/expectimax_layers.hpp`), so a fraction is read off, not guessed. Chance
before the first decision, which no table entry covers, is averaged here in fractions.
"""

from __future__ import annotations

from fractions import Fraction

from halma.errors import TableError
from halma.games import Game, Position
from halma.solve.solution import ChanceSolution, Solution

#: Chance has at most 720 outcomes, so its probabilities have no larger denominators.
_MOST_OUTCOMES = 720


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
            total += Fraction(outcome.probability).limit_denominator(_MOST_OUTCOMES) * value
        return total
    if not isinstance(solution, ChanceSolution):
        return Fraction(solution.value(position))
    whole = solution.denominator
    if whole is None:
        raise no_fractions(solution.game)
    numerator = solution.core.look_up(position.state)[0]
    if numerator != int(numerator):
        raise TableError(f"The table of '{solution.game.name}' has a value that is not whole.")
    return Fraction(int(numerator), whole)


def no_fractions(game: Game) -> TableError:
    """Return what there is to say where values are rounded."""
    return TableError(
        f"'{game.name}' has no exact fractions: their denominators may be larger than a double "
        "can count."
    )


def exact_start_value(solution: Solution) -> Fraction:
    """Return the value of the start for the first player; set-ups count evenly."""
    start = solution.game.start()
    value = exact_value(solution, start)
    return value if start.mover == 0 else 1 - value
