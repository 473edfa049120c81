"""Exact values of a chance game by value iteration over dictionaries, in fractions.

Works on any of the naive twins of rules: a module with `legal`, `play`, `resolve` and
`result`, and a function that lists outcomes of chance. Shares no code with halma.
"""

from __future__ import annotations

from fractions import Fraction

HALF = Fraction(1, 2)


class Twin:
    """The interface of a naive twin."""

    def __init__(self, rules, at_chance, outcomes, first_to_move):
        self.rules = rules
        self.at_chance = at_chance
        #: position -> list of (probability, outcome)
        self.outcomes = outcomes
        #: position -> 0 or 1, the player of the next decision
        self.mover = first_to_move


def solve(twin, starts):
    """Return the value, for the player to move, of every reachable decision."""
    positions = {}  # position -> list of moves, each a list of (probability, after)
    todo = [p for start in starts for _, p in decisions(twin, start)]
    while todo:
        position = todo.pop()
        if position in positions or not twin.rules.legal(position):
            continue
        moves = []
        for move in sorted(twin.rules.legal(position)):
            moves.append(decisions(twin, twin.rules.play(position, move)))
        positions[position] = moves
        todo += [after for move in moves for _, after in move]

    values = dict.fromkeys(positions, HALF)

    def value(after, player):
        found = values.get(after)
        if found is None:  # the end
            return Fraction(twin.rules.result(after)[player])
        return found if twin.mover(after) == player else 1 - found

    while True:
        following = {
            position: max(sum(p * value(after, twin.mover(position)) for p, after in m) for m in ms)
            for position, ms in positions.items()
        }
        if following == values:
            return values
        values = following


def decisions(twin, position):
    """Return the positions after all outcomes of chance, with their probabilities."""
    if not twin.at_chance(position):
        return [(Fraction(1), position)]
    return [
        (p * q, after)
        for p, outcome in twin.outcomes(position)
        for q, after in decisions(twin, twin.rules.resolve(position, outcome))
    ]
