"""Where the repetition departs from liu2019 or had to choose a reading of its text."""

from __future__ import annotations

from halma.lab.experiment import Deviation

#: What counts as agreement, in words.
CUTOFFS = (
    "stated in the code of each experiment. A share agrees if the paper's lies within our 95% "
    "interval; more simulations are as good unless intervals of neighbours lie apart; a figure's "
    "increase is sudden above 30 points between two versions; a rival is worse if its interval "
    "lies below a half. Unfinished runs are drawn and decide nothing."
)

DEVIATIONS = (
    Deviation(
        "number of episodes, momentum",
        "not stated; figure 10 shows more than 46 versions",
        "50 episodes, Nesterov's momentum of 0.9 as in the authors' program",
        "the length of a run",
    ),
    Deviation(
        "policy label (equation 5)",
        "P*, visits raised to 1 / t",
        "so, with the temperature of the move: smoother than the visits with t = 2, the best move "
        "alone after 16 plies",
        "with plain visits as labels the second stage lost strength faster",
    ),
    Deviation(
        "temperature of exploratory moves",
        '"typically 1 or 2" in section 3.5, 2 in table 1, 1 in the program',
        "2",
        "flatter labels of openings",
    ),
    Deviation(
        "draws",
        '"there is no draw in the game"; the program discards games that nobody wins',
        "drawn games are discarded; they are those of the rules: 100 plies, or a cycle",
        "the program's limit of 100 counts moves without progress, so that its games may be longer",
    ),
    Deviation(
        "cycles",
        "fewer than 6 landings in the last 16 moves; in the program at most 3 of a player in its "
        "last 8",
        "the text's",
        "a few games end earlier or later",
    ),
    Deviation(
        "L2 regularisation",
        "of all parameters; in the program of the kernels alone, as Keras has it",
        "the kernels alone, twice lambda as torch's decay; networks of the first stage are older "
        "and had it on all parameters",
        "norms of the first stage are a little smaller than without",
    ),
    Deviation(
        "half of the data",
        "the data of two episodes, of which a half is drawn anew in every episode: a position is "
        "seen ten times on average",
        "a half of each episode's positions, drawn once, of which each is seen twenty times in two "
        "episodes",
        "as many steps on half as many positions, which repeat each other's results; the "
        "experiment `program` has all of them",
    ),
    Deviation(
        "mirrored positions",
        "both images of a position are in the data",
        "a sample is drawn in one of the two",
        "as many samples",
    ),
    Deviation(
        "policy loss",
        "cross-entropy; in the program over the moves alone whose label is not zero",
        "cross-entropy over all legal moves; `learning.policy_loss = target` is the program's",
        "the program learns nothing from a label that is one move; with its loss in both stages "
        "all games of self-play of a reduced run were drawn",
    ),
    Deviation(
        "who plays in self-play",
        "M against M_p in section 3.5, M* in section 4.1; in the program the newest network, "
        "without a gate",
        "M* against itself; the options `selfplay.player` and `selfplay.opponents` do the others",
        "the paper says that variations differ little; the experiment `program` has no gate",
    ),
    Deviation(
        "games of the gate",
        "24, from the usual start",
        "so; with t = 0.01 most of them repeat each other",
        "the gate decides by few different games, which `gate_distinct` counts",
    ),
    Deviation(
        "passes over heuristic games",
        "5 in section 3.5, 2 in section 4.1",
        "2",
        "the length of the first stage",
    ),
    Deviation(
        "the second player's board",
        "as it stands, with a plane that says who moves",
        "rotated, with the same plane",
        "none is expected",
    ),
    Deviation(
        "deep Q-learning",
        "10,000,000 games, 400 million steps of 32 transitions",
        "a reduced run; a full one takes days even at a millisecond a step",
        "its curves and matches are those of a short run",
    ),
)
