"""liu2019, "Towards Understanding Chinese Checkers with Heuristics, MCTS, and Deep RL"."""

from __future__ import annotations

from halma.lab.experiment import Paper
from halma.lab.liu2019 import figure5, greedy, solved

PAPER = Paper(
    "liu2019",
    "liu2019: Towards Understanding Chinese Checkers with Heuristics, Monte Carlo Tree Search, "
    "and Deep Reinforcement Learning",
    [*greedy.EXPERIMENTS, *figure5.EXPERIMENTS, *solved.EXPERIMENTS],
)
