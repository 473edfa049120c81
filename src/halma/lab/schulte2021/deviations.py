"""Where the repetition departs from schulte2021 or had to choose a reading of its text."""

from __future__ import annotations

from halma.lab.experiment import Deviation

DEVIATIONS = (
    Deviation(
        "scores of values",
        "3, 1 and 0, a ReLU without an upper bound",
        "shares of the highest score: 1, 1/3 and 0; so c = 15 is 5, and a squared error has the "
        "weight 9",
        "none: all else is scaled with them",
    ),
    Deviation(
        "network",
        "a figure that is not in the text; a trunk of 512 numbers, dropout of 0.3",
        "eight blocks of 128 filters, as in the author's published program; planes of pieces and "
        "seats instead of one array of numbers",
        "8,110,019 weights",
    ),
    Deviation(
        "batches",
        "not stated",
        "64, as in the author's program",
        "the number of steps",
    ),
    Deviation(
        "games in which a loop is cut",
        "in the tree, and where a position of the game recurs",
        "`search.limits = first-repetition`, in all games, those of the gate included; a line that "
        "is cut is worth the scores that are certain by then",
        "how often players go back and forth",
    ),
    Deviation(
        "games at once",
        "50",
        "all 200 of a session",
        "none: they share one network and do not influence each other",
    ),
    Deviation(
        "selection of the first moves",
        '"varied" for the first moves',
        "15 moves of each player are drawn from the visits, 5 in the gate; no noise at the root",
        "how different the games are",
    ),
    Deviation(
        "games of the gate",
        "sets of 6 games and 55% of the points, not how many sets",
        "5 sets, as in the thesis' evaluations with tree search",
        "how often a version passes by luck",
    ),
    Deviation(
        "a failed gate",
        "the old network is restored",
        "so, and what Adam remembers is cleared with it",
        "the first steps after it",
    ),
    Deviation(
        "the run",
        "41 sessions, one run",
        "`schulte2021/small`, a quarter of the weights, stands in until the thesis' own network is "
        "trained; rows say how far it got",
        "strength of its versions",
    ),
    Deviation(
        "without tree search",
        "2 simulations, the second of which takes the most probable move",
        "1 simulation: the most probable move",
        "none",
    ),
)
