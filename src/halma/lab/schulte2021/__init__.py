"""schulte2021, "Reinforcement Learning for 3-player Chinese Checkers"."""

from __future__ import annotations

from halma.lab.experiment import Paper
from halma.lab.schulte2021 import games, loops, network_seats, policies, seats, version_matches
from halma.lab.schulte2021.deviations import DEVIATIONS

_SECTIONS = (games, seats, version_matches, policies, network_seats, loops)

PAPER = Paper(
    "schulte2021",
    "schulte2021: Reinforcement Learning for 3-player Chinese Checkers",
    [experiment for section in _SECTIONS for experiment in section.EXPERIMENTS],
    deviations=DEVIATIONS,
    curves=("policy_loss", "value_loss"),
)
