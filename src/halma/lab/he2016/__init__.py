"""he2016, "Playing Chinese Checkers with Reinforcement Learning".

The paper tunes the three weights of a linear evaluation by self-play with minimax, counts what
alpha-beta saves, and plays against a greedy player with a lookahead of two moves. Weights are
the paper's (w1, w2, w3), all positive where more is better for the owner: an evaluation is
w1 (A2 - A1) + w2 (B2 - B1) + w3 (C1 - C2).
"""

from __future__ import annotations

from halma.lab.experiment import Paper
from halma.lab.he2016 import matches, pruning, tuning
from halma.lab.he2016.settings import VARIANT, settings
from halma.lab.report import ReportSection
from halma.lab.workspace import Workspace

_FEATURES = ReportSection(
    "Features",
    "A is the sum of the squared distances of a player's pieces to the far corner of the "
    "target, counted in steps; B the sum of the squared distances to the line from corner to "
    "corner, counted in holes; C the sum of the rows each piece could advance in one move. "
    "The paper does not state its units, and weights depend on them.",
)


def _about(workspace: Workspace) -> dict[str, object]:
    chosen = settings(workspace)
    return {
        "board": VARIANT,
        "games per player": chosen.games,
        "self-play games per tuning": chosen.tuning,
    }


PAPER = Paper(
    "he2016",
    "he2016: Playing Chinese Checkers with Reinforcement Learning",
    [*tuning.EXPERIMENTS, *pruning.EXPERIMENTS, *matches.EXPERIMENTS],
    introduction=[_FEATURES],
    about=_about,
)
