"""The boards, the two readings, the weights and the scale of he2016's experiments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from halma.lab.report import AGREES, Claim
from halma.lab.workspace import Workspace

#: The board whose tree the paper's Table I counts: ten pieces a side, no steps along a row.
TABLE_BOARD = "rhombus-9x9-10:rules=he2016,sideways=off"
#: Initial weights of the tunings, by their names in tables.
INITIAL = {"equal": (0.577, 0.577, 0.577), "tilted": (0.990, 0.099, 0.099)}
#: depth -> the weights that the paper tuned
PAPER_TUNED = {2: (0.911, 0.140, 0.388), 4: (0.902, 0.004, 0.431)}
#: Features that the authors tried and found unnecessary -> their places among the game's seven.
REJECTED = {"horizontal variance": 4, "vertical variance": 5, "furthest advance": 6}
_PIECES = 6
_FEATURES = 7


@dataclass(frozen=True)
class Reading:
    """A way to read the paper: by its text, or by the program that its authors published."""

    name: str
    #: board and rules
    variant: str
    #: self-play games of a tuning in full
    tuning: int

    def core_weights(self, weights: Sequence[float], extra: str = "") -> tuple[float, ...]:
        """Convert the paper's weights into those of a player's own features in the core.

        The text has sums of A, B and C. The program has means over the pieces, B in half holes and
        the squares of C. `extra` names a rejected feature, with the last weight.
        """
        if self is TEXT:
            return (-weights[0], -weights[1], weights[2])
        core = [0.0] * _FEATURES
        core[0], core[1], core[3] = -weights[0], -4 * weights[1], weights[2]
        core = [weight / _PIECES for weight in core]
        if extra:
            # Like A and B, the variances are better small.
            core[REJECTED[extra]] = weights[3] if extra == "furthest advance" else -weights[3]
        return tuple(core)


#: Two searching players may block each other forever under the winning rule of the text, so a game
#: is stopped undecided after 200 plies, five times an ordinary game.
TEXT = Reading("text", "rhombus-6x6-6:rules=he2016,plies=200", 60)
PROGRAM = Reading("program", "rhombus-6x6-6:rules=he2016-code", 40)
READINGS = {reading.name: reading for reading in (TEXT, PROGRAM)}


class He2016Settings(NamedTuple):
    """Games of a tuning, by reading, and games of each player against the benchmark."""

    tuning: dict[str, int]
    games: int


def settings(workspace: Workspace) -> He2016Settings:
    """Return the paper's numbers of games or the reduced ones."""
    if not workspace.full:
        return He2016Settings(dict.fromkeys(READINGS, 3), 4)
    return He2016Settings({reading.name: reading.tuning for reading in READINGS.values()}, 200)


def unit(weights: Sequence[float]) -> list[float]:
    """Scale weights to length 1, as the paper states them; the scale does not change play."""
    length = math.hypot(*weights) or 1.0
    return [weight / length for weight in weights]


def written(weights: Sequence[float]) -> str:
    """Write weights as the paper does."""
    return f"[{', '.join(f'{weight:.3f}' for weight in weights)}]"


def agreement(rows: Sequence[Claim]) -> str:
    """Say how many claims agree in each reading; the names of rows begin with that of theirs."""
    parts = []
    for reading in READINGS:
        verdicts = [row.verdict for row in rows if row.what.startswith(reading) and row.verdict]
        if verdicts:
            agreeing = f"{verdicts.count(AGREES)} of {len(verdicts)}"
            parts.append(f"{agreeing} claims agree by the {reading}")
    return "; ".join(parts) + "." if parts else ""
