"""Minimax written for clarity: full width, no pruning, no transposition table, no move ordering.

All functions take a game's core and a state, and evaluate leaves by the weights given.
"""

from __future__ import annotations

import math

from halma import _core

WIN = 1e9
PATIENCE = 1e-6
MARGIN = 1e-3


def score(core, state, player, weights):
    return sum(
        (w * f for w, f in zip(weights, _core.features(core, state, player), strict=True)), 0.0
    )


def is_over(core, state):
    return not core.at_chance(state) and core.terminal(state)


# Two players, no chance. `noisy(state)`: whether a leaf must be searched deeper; `known(state)`:
# the exact value of a position below the root for its mover, and its plies, or None.


def lead(core, state, weights):
    mover = core.mover(state)
    return score(core, state, mover, weights) - score(core, state, 1 - mover, weights)


def minimax(
    core, state, depth, weights, noisy=lambda state: False, ply=0, known=lambda state: None
):
    """Return the value for the player to move."""
    mover = core.mover(state)
    if is_over(core, state):
        own, other = core.result(state)[mover], core.result(state)[1 - mover]
        return 0.0 if own == other else (WIN - ply) * (1 if own > other else -1)
    exact = known(state) if ply else None
    if exact is not None:
        value, plies = exact
        return {0.0: ply + plies - WIN, 0.5: 0.0, 1.0: WIN - ply - plies}[value]
    if depth == 0 and not noisy(state):
        return lead(core, state, weights)
    values = []
    for move in core.legal(state):
        child = core.play(state, move)
        value = minimax(core, child, max(depth - 1, 0), weights, noisy, ply + 1, known)
        values.append(value if core.mover(child) == mover else -value)
    return max(values)


# Two players and chance: values are probabilities of winning.


def expectimax(core, state, depth, weights, captures=None):
    """Return the probability of winning of the player to move (at chance: after the outcome).

    With `captures(state)`, the moves that capture, a leaf is worth the best of its evaluation and
    of those moves, each followed by leaves again.
    """
    mover = core.mover(state)
    if is_over(core, state):
        return core.result(state)[mover] / core.max_score
    if depth > 0 and core.at_chance(state):
        return sum(
            p * expectimax(core, core.resolve(state, outcome), depth, weights, captures)
            for outcome, p in core.outcomes(state)
        )
    values, moves = [], core.legal(state) if depth > 0 else []
    if depth == 0:
        values = [MARGIN + (1 - 2 * MARGIN) / (1 + math.exp(-lead(core, state, weights)))]
        if captures and not core.at_chance(state):
            moves = captures(state)
    for move in moves:
        child = core.play(state, move)
        value = expectimax(core, child, max(depth - 1, 0), weights, captures)
        seen = value if core.mover(child) == mover else 1 - value
        values.append(0.5 + (seen - 0.5) * (1 - PATIENCE))
    return max(values)


# Any number of players, no chance.


def above_others(teams, numbers):
    """Return for each player the mean of its team less the average of the other teams' means."""
    means = []
    for team in sorted(set(teams)):
        own = [number for number, of in zip(numbers, teams, strict=True) if of == team]
        means.append(sum(own) / len(own))
    total = sum(means)
    return [means[team] - (total - means[team]) / (len(means) - 1) for team in teams]


def leaf_values(core, state, weights, ply):
    if is_over(core, state):
        shares = above_others(core.teams, [s / core.max_score for s in core.result(state)])
        return [s * (WIN - ply) for s in shares]
    scores = [score(core, state, p, weights) for p in range(core.players)]
    return above_others(core.teams, scores)


def maxn(core, state, depth, weights, ply=0):
    """Return a value per player; ties are broken by the order of moves."""
    if depth == 0 or is_over(core, state):
        return leaf_values(core, state, weights, ply)
    mover = core.mover(state)
    best = None
    for move in core.legal(state):
        values = maxn(core, core.play(state, move), depth - 1, weights, ply + 1)
        if best is None or values[mover] > best[mover]:
            best = values
    return best


def paranoid(core, state, depth, weights, me, ply=0):
    """Return the value for player `me`; all but its partners minimize it."""
    if depth == 0 or is_over(core, state):
        return leaf_values(core, state, weights, ply)[me]
    values = [
        paranoid(core, core.play(state, move), depth - 1, weights, me, ply + 1)
        for move in core.legal(state)
    ]
    return max(values) if core.teams[core.mover(state)] == core.teams[me] else min(values)
