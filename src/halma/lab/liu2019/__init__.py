"""liu2019, "Towards Understanding Chinese Checkers with Heuristics, MCTS, and Deep RL"."""

from __future__ import annotations

from halma.lab.experiment import Paper
from halma.lab.liu2019 import curves, figure5, greedy, matchups, solved, starts, style, versions
from halma.lab.liu2019.deviations import CUTOFFS, DEVIATIONS

_SECTIONS = (greedy, figure5, versions, curves, matchups, style, starts, solved)

PAPER = Paper(
    "liu2019",
    "liu2019: Towards Understanding Chinese Checkers with Heuristics, Monte Carlo Tree Search, "
    "and Deep Reinforcement Learning",
    [experiment for section in _SECTIONS for experiment in section.EXPERIMENTS],
    curves=(
        "policy_loss",
        "value_loss",
        "validation_policy_loss",
        "validation_value_loss",
        "epsilon",
        "td_error",
        "test_reward",
        "test_won",
    ),
    deviations=DEVIATIONS,
    cutoffs=CUTOFFS,
)
