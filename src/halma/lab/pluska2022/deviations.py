"""Where the repetition departs from pluska2022 or had to choose a reading of its text."""

from __future__ import annotations

from halma.lab.experiment import Deviation

DEVIATIONS = (
    Deviation(
        "the network's input",
        "dark and light pieces",
        "the mover's and the opponent's, on a board turned to the mover's side",
        "half of the positions to learn",
    ),
    Deviation(
        "the network's size",
        '"500+ weights"; how six windows of a kernel are combined is not said',
        "a layer of 4 behind them, 593 weights",
        "not known",
    ),
    Deviation(
        "time of a move",
        "half a second of Python",
        "50 expansions",
        "depth of the search, the same on any machine",
    ),
    Deviation(
        "rate, and passes over a batch of games",
        "not stated",
        "Adam's usual rate of 0.001, 10 passes",
        "how soon it overfits",
    ),
    Deviation(
        "random endgames",
        "not stated how many pieces",
        "3 to 8, in random places, with random kings",
        "what the second stage learns",
    ),
    Deviation(
        "variety of games",
        "not stated",
        "moves are the best ones; games differ by their starts, matches by random openings",
        "the paper's round robin has one game for each pair",
    ),
    Deviation(
        "the engine of the round robin",
        'Ed Gilbert\'s engine at level "easy"',
        "`alphabeta:depth=3`",
        "its row alone",
    ),
)
