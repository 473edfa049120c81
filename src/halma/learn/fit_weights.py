"""Weights of a game's linear evaluation, fitted to games of a search against itself.

A logistic regression without a constant: the weighted difference of the two players' features is
the logarithm of the mover's odds to win. Targets are those of evaluators (`fit_evaluator`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from halma import _core
from halma.errors import HalmaError
from halma.games import Game
from halma.games.registry import short_name
from halma.learn.fit_evaluator import FitOptions, play_games
from halma.networks.sparse_network import has_inputs
from halma.selfplay import FinishedGames

#: games that are played together, between reports
_PORTION = 200
#: of the largest eigenvalue, so that features that do not vary get no weight
_RIDGE = 1e-6
_MOST_STEPS = 100

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class FittedWeights:
    """Weights of unit length, as the game's own are written, and their scale."""

    weights: tuple[float, ...]
    #: a lead times this is the logarithm of the odds to win
    scale: float
    games: int
    positions: int
    #: mean cross entropy in nats, with these weights and with the game's own
    loss: float
    own_loss: float

    @property
    def option(self) -> str:
        """The weights as an agent's option."""
        return "/".join(f"{weight:.4g}" for weight in self.weights)


def fit_weights(
    game: Game, options: FitOptions, progress: Callable[[int, int], None] = lambda done, total: None
) -> FittedWeights:
    """Play games with the game's own weights and fit weights to them."""
    own = _core.default_weights(game.core)
    if not has_inputs(game) or not own:
        raise HalmaError(
            f"'{short_name(game.name)}' has no linear evaluation for two players, so there is "
            "nothing to fit."
        )
    parts = []
    for first in range(0, options.games, _PORTION):
        progress(first, options.games)
        count = min(_PORTION, options.games - first)
        games = play_games(game, None, first, count, options)
        parts.append(leads_of(game, games, options.result_share))
    progress(options.games, options.games)
    leads = np.concatenate([part[0] for part in parts])
    targets = np.concatenate([part[1] for part in parts])
    if not len(targets):
        raise HalmaError("No game had a position to learn from: play more games.")
    weights = regress(leads, targets)
    scale = float(np.linalg.norm(weights))
    if not scale:
        raise HalmaError("No feature tells who wins: play more games.")
    own_odds = leads @ np.asarray(own) * _core.default_scale(game.core)
    return FittedWeights(
        tuple(float(weight) for weight in weights / scale),
        scale,
        options.games,
        len(targets),
        cross_entropy(leads @ weights, targets),
        cross_entropy(own_odds, targets),
    )


def leads_of(game: Game, games: FinishedGames, result_share: float) -> tuple[Floats, Floats]:
    """Return leads in features (positions, features), of the mover, and targets (positions)."""
    rows = np.flatnonzero(games.choices == _core.Choice.FULL.value)
    core, leads = game.core, []
    for row in rows:
        state, mover = games.states[row].tobytes(), int(games.movers[row])
        own, other = (_core.features(core, state, who) for who in (mover, 1 - mover))
        leads.append(np.subtract(own, other))
    width = len(_core.default_weights(core))
    targets = result_share * games.outcomes[rows, 0] + (1 - result_share) * games.values[rows]
    return np.asarray(leads, np.float64).reshape(-1, width), targets.astype(np.float64)


def regress(leads: Floats, targets: Floats) -> Floats:
    """Return the weights of least cross entropy, by Newton's method with bounded steps."""
    unit = np.maximum(np.abs(leads).mean(0), 1e-12)
    scaled = leads / unit
    weights = np.zeros(leads.shape[1])
    for _ in range(_MOST_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(scaled @ weights, -50, 50)))
        gradient = scaled.T @ (targets - chances)
        curvature = (scaled * (chances * (1 - chances))[:, None]).T @ scaled
        curvature += np.eye(len(weights)) * (_RIDGE * np.trace(curvature) + 1e-12)
        step = np.clip(np.linalg.solve(curvature, gradient), -0.5, 0.5)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(weights / unit)


def cross_entropy(odds: Floats, targets: Floats) -> float:
    """Return the mean cross entropy of targets and chances by their log odds, in nats."""
    return float(np.mean(np.logaddexp(0, odds) - odds * targets))
