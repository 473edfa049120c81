"""pluska2022, "A Reinforcement Learning Agent for Checkers based on MCTS and TD(lambda)"."""

from __future__ import annotations

from halma.lab.experiment import Paper
from halma.lab.pluska2022 import curves, stages, table
from halma.lab.pluska2022.deviations import DEVIATIONS

PAPER = Paper(
    "pluska2022",
    "pluska2022: A Reinforcement Learning Agent for Checkers based on MCTS and TD(lambda)",
    [experiment for section in (table, curves, stages) for experiment in section.EXPERIMENTS],
    cutoffs=table.CUTOFFS,
    unkept={"stages": "Sequential tests of single matches stand in its place below."},
    deviations=DEVIATIONS,
    curves=("value_loss",),
)
