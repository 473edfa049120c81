"""Exact values of a chance game by value iteration over dictionaries, in fractions.

Works on any of the naive twins of rules: a module with `legal`, `play`, `resolve` and
`result`, and a function that lists what chance can do. Shares no code with halma.
"""

from __future__ import annotations

from fractions import Fraction

HALF = Fraction(1, 2)


class Twin:
    """How to ask a naive twin what it knows."""

    def __init__(self, rules, at_chance, outcomes, first_to_move):
        self.rules = rules
        self.at_chance = at_chance
        #: position -> list of (probability, outcome)
        self.outcomes = outcomes
        #: position -> 0 or 1, the player whose decision comes next
        self.mover = first_to_move


def solve(twin, starts):
    """Return the value, for the player to move, of every decision that can be reached."""
    positions = {}  # position -> list of moves, each a list of (probability, after)
    todo = [p for start in starts for _, p in settle(twin, start)]
    while todo:
        position = todo.pop()
        if position in positions or not twin.rules.legal(position):
            continue
        moves = []
        for move in sorted(twin.rules.legal(position)):
            moves.append(settle(twin, twin.rules.play(position, move)))
        positions[position] = moves
        todo += [after for move in moves for _, after in move]

    values = dict.fromkeys(positions, HALF)

    def worth(after, player):
        value = values.get(after)
        if value is None:  # the end
            return Fraction(twin.rules.result(after)[player])
        return value if twin.mover(after) == player else 1 - value

    while True:
        following = {
            position: max(sum(p * worth(after, twin.mover(position)) for p, after in m) for m in ms)
            for position, ms in positions.items()
        }
        if following == values:
            return values
        values = following


def settle(twin, position):
    """Return what may stand before a player once chance has spoken, with probabilities."""
    if not twin.at_chance(position):
        return [(Fraction(1), position)]
    return [
        (p * q, after)
        for p, outcome in twin.outcomes(position)
        for q, after in settle(twin, twin.rules.resolve(position, outcome))
    ]
