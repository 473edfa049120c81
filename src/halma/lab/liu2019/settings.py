"""The board and the scale of liu2019's experiments."""

from __future__ import annotations

from typing import NamedTuple

from halma.lab.workspace import Workspace

#: The paper's board and rules.
VARIANT = "rhombus-7x7-6:liu2019"
#: Random moves of each player at the beginning of games, and plies of both together.
RANDOM_MOVES = 3
OPENING_PLIES = 2 * RANDOM_MOVES


class Liu2019Scale(NamedTuple):
    """How much is run."""

    #: games whose length and branching are measured
    measured_games: int
    #: games against the greedy player that breaks ties at random
    tie_games: int


FULL = Liu2019Scale(measured_games=20_000, tie_games=4_000)
QUICK = Liu2019Scale(measured_games=2_000, tie_games=400)


def scale(workspace: Workspace) -> Liu2019Scale:
    """Return the paper's scale or the reduced one."""
    return FULL if workspace.full else QUICK
