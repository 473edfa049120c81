"""The board, the weights and the scale of he2016's experiments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from halma.lab.workspace import Workspace

#: The paper's board and rules. Two searching players may block each other forever, so a game
#: is stopped undecided after 200 plies, five times an ordinary game.
VARIANT = "rhombus-6x6-6:rules=he2016,plies=200"
#: The board with 14 first moves, as in the paper's Table I.
LARGE = "star-121-2p:rules=he2016"
#: Initial weights of the tunings, by their names in tables.
INITIAL = {"equal": (0.577, 0.577, 0.577), "tilted": (0.990, 0.099, 0.099)}
#: depth -> the weights that the paper tuned
PAPER_TUNED = {2: (0.911, 0.140, 0.388), 4: (0.902, 0.004, 0.431)}


class He2016Settings(NamedTuple):
    """How many games are played in each tuning, and by each player against the benchmark."""

    tuning: int
    games: int


FULL, QUICK = He2016Settings(tuning=60, games=200), He2016Settings(tuning=4, games=6)


def settings(workspace: Workspace) -> He2016Settings:
    """Return the paper's numbers of games or the reduced ones."""
    return FULL if workspace.full else QUICK


def core_weights(weights: Sequence[float]) -> tuple[float, ...]:
    """Convert the paper's weights into those of a player's own features in the core."""
    return (-weights[0], -weights[1], weights[2])


def unit(weights: Sequence[float]) -> list[float]:
    """Scale weights to length 1, as the paper states them; the scale does not change play."""
    length = math.hypot(*weights) or 1.0
    return [weight / length for weight in weights]


def as_means(weights: Sequence[float]) -> list[float]:
    """Convert weights of means over six pieces into those of sums, at length 1."""
    return unit((weights[0] / 6, weights[1] / 6, weights[2]))


def written(weights: Sequence[float]) -> str:
    """Write weights as the paper does."""
    return f"[{', '.join(f'{weight:.3f}' for weight in weights)}]"
