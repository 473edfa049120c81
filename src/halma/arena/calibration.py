"""Calibration of evaluations: how large a lead is which chance of winning.

A minimax search measures a lead in the units of its evaluation. Games that it plays against
itself give pairs of a lead and a result, and a logistic regression through the origin gives the
scale: a lead times the scale is the logarithm of the odds to win.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from halma import _core
from halma.arena.openings import default_plies, play_opening
from halma.errors import HalmaError
from halma.games import Game, Position, Record
from halma.search.minimax import Minimax, features, has_chance, neighbouring_values
from halma.statistics import Z

#: games that are longer go round in circles
_MAX_PLIES = 300
#: intervals of predicted chances in a report
_BINS = 10


@dataclass(frozen=True)
class LeadSample:
    """A lead of a player to move, and the share of the win that player got in the end."""

    lead: float
    won: float


@dataclass(frozen=True)
class Calibration:
    """A scale fitted to games."""

    #: teams, or players where there are none
    sides: int
    #: the samples of each game
    games: Sequence[Sequence[LeadSample]]
    scale: float
    #: half the width of its 95% interval; games are independent, positions are not
    error: float

    @property
    def samples(self) -> list[LeadSample]:
        """The samples of all games."""
        return [sample for game in self.games for sample in game]

    def log_loss(self, scale: float) -> float:
        """Return the mean cross entropy, in nats, of the chances that a scale predicts."""
        samples, offset = self.samples, _offset(self.sides)
        return sum(_loss(scale * s.lead - offset, s.won) for s in samples) / len(samples)

    def bins(self, scale: float) -> list[dict[str, Any]]:
        """Return predicted and observed chances, by intervals of the predicted."""
        offset = _offset(self.sides)
        grouped: list[list[tuple[float, float]]] = [[] for _ in range(_BINS)]
        for sample in self.samples:
            chance = _sigmoid(scale * sample.lead - offset)
            grouped[min(int(chance * _BINS), _BINS - 1)].append((chance, sample.won))
        return [
            {
                "positions": len(group),
                "predicted": sum(chance for chance, _ in group) / len(group),
                "observed": sum(won for _, won in group) / len(group),
            }
            for group in grouped
            if group
        ]


def calibrate(
    game: Game,
    games: int = 100,
    depth: int = 3,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Calibration:
    """Let a search play games against itself and fit the scale of its leads.

    The search is alpha-beta for two players, expectimax with chance, and paranoid for more.
    A lead is the mean over the depths of a round of moves, as in an analysis. With expectimax
    it is that of the evaluation before a search, as its values are averages of chances already.
    Games without an end are left out.
    """
    if not _core.capabilities(game.core)["features"]:
        raise HalmaError(f"'{game.name}' has no linear evaluation, so there is no scale to fit.")
    chance = has_chance(game)
    kind = "expectimax" if chance else "alphabeta" if game.players == 2 else "paranoid"
    search = Minimax(game, kind)
    played = []
    for number in range(games):
        if samples := _play(search, depth, f"{seed}/{number}"):
            played.append(samples)
        progress(number + 1, games)
    return fit(game.sides, played)


def fit(sides: int, games: Sequence[Sequence[LeadSample]]) -> Calibration:
    """Fit the scale by maximum likelihood, with an interval from the scatter between games."""
    # Newton's method, on leads of about 1 so that steps are small at first.
    leads = [abs(sample.lead) for game in games for sample in game]
    if not leads or not max(leads):
        raise HalmaError("There is no position with a lead, so there is no scale to fit.")
    unit = sum(leads) / len(leads)
    offset, scale = _offset(sides), 0.0
    gradients: list[float] = []
    curvature = 0.0
    for _ in range(100):
        gradients, curvature = [], 1e-9
        for game in games:
            gradient = 0.0
            for sample in game:
                x = sample.lead / unit
                chance = _sigmoid(scale * x - offset)
                gradient += (sample.won - chance) * x
                curvature += chance * (1 - chance) * x * x
            gradients.append(gradient)
        step = max(-0.5, min(0.5, sum(gradients) / curvature))
        scale += step
        if abs(step) < 1e-9:
            break
    error = Z * math.sqrt(sum(g * g for g in gradients)) / curvature
    return Calibration(sides, games, scale / unit, error / unit)


def _play(search: Minimax, depth: int, seed: str) -> list[LeadSample]:
    """Play one game and return a sample for each move whose value is an estimate."""
    game = search.game
    record, dice = play_opening(game, seed, default_plies(game))
    found: list[tuple[int, float]] = []
    while not record.is_over and record.plies < _MAX_PLIES:
        record.roll(dice)
        if record.is_over:
            break
        position = record.position
        analysis = search.search(record, depth=depth)
        if search.kind == "expectimax":
            found.append((position.mover, _lead(position, search.weights)))
        elif analysis.is_estimate and (others := neighbouring_values(search, record, analysis)):
            values = [analysis.value, *others]
            found.append((position.mover, sum(values) / len(values)))
        record.play(analysis.best)
    if not record.is_over:
        return []
    won = _shares(record)
    return [LeadSample(lead, won[player]) for player, lead in found]


def _lead(position: Position, weights: Sequence[float]) -> float:
    """Return the lead of the player to move, without a search; two players."""

    def score(player: int) -> float:
        return sum(w * f for w, f in zip(weights, features(position, player), strict=True))

    return score(position.mover) - score(1 - position.mover)


def _shares(record: Record) -> list[float]:
    """Return each player's share of the win: those with the most points divide it."""
    most = max(record.result)
    winners = sum(score == most for score in record.result)
    return [1 / winners if score == most else 0.0 for score in record.result]


def _offset(sides: int) -> float:
    """Return the logarithm of the odds against one of equal sides."""
    return math.log(sides - 1)


def _sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, odds))))


def _loss(odds: float, won: float) -> float:
    """Return the cross entropy of a result and a prediction by its log odds."""
    return math.log1p(math.exp(-abs(odds))) + (max(odds, 0.0) - odds * won)
