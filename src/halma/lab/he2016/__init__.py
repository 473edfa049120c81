"""he2016, "Playing Chinese Checkers with Reinforcement Learning".

The paper tunes the three weights of a linear evaluation by self-play with minimax, counts what
pruning saves, and plays against a greedy player with a lookahead of two moves. Weights are
the paper's (w1, w2, w3), all positive where more is better for the owner: an evaluation is
w1 (A2 - A1) + w2 (B2 - B1) + w3 (C1 - C2).

Everything but Table I is run twice: as the text of the paper says, and as the program does it that
its authors published.
"""

from __future__ import annotations

from halma.lab.experiment import Deviation, Paper
from halma.lab.he2016 import convergence, effort, matches, pruning
from halma.lab.he2016.settings import PROGRAM, READINGS, TABLE_BOARD, TEXT, settings
from halma.lab.report import ReportSection
from halma.lab.workspace import Workspace

_FEATURES = ReportSection(
    "Features",
    "A is the sum of the squared distances of a player's pieces to the far corner of the target, "
    "counted in steps; B the sum of the squared distances to the line from corner to corner, "
    "counted in holes; C the sum of the rows each piece could advance in one move. That is the "
    "text. The program of the authors has means over the pieces, B in half holes, and squares of "
    "the rows in place of C.",
)


def _about(workspace: Workspace) -> dict[str, object]:
    chosen = settings(workspace)
    boards = {f"{name}, board": reading.variant for name, reading in READINGS.items()}
    tunings = {f"{name}, games per tuning": number for name, number in chosen.tuning.items()}
    return {**boards, **tunings, "games per player": chosen.games}


_CUTOFFS = (
    "stated before the full runs. "
    "Figure 3: the distances to the fits have diminished if those of the last "
    f"{convergence.LAST} games are on average below {convergence.DIMINISHED:.0%} of those of the "
    f"first {convergence.FIRST}; weights of two starts are similar below a distance of "
    f"{convergence.SIMILAR}, and near the paper's below {convergence.NEAR_PAPER}. Table I: leaves "
    "are equal. Figures 4 to 6 and the features: a player is better or worse than another if the "
    "95% interval of the gain excludes 0. Run times: the modified player takes at most "
    f"{effort.FASTER:.0%} of the basic one's effort. Moves: at least {effort.USUALLY:.0%} of the "
    "turns have 20 to 100. Claims are decided for both readings, and the figure agrees if all do."
)

_DEVIATIONS = (
    Deviation(
        "board of Table I",
        "a board with six pieces a side is shown",
        f"`{TABLE_BOARD}`, whose tree has the paper's counts",
        "all six counts",
    ),
    Deviation(
        "pruning of Table I",
        '"alpha-beta pruning"',
        "the program passes down the parent's bound alone; alpha-beta is shown beside it",
        "leaves at depth 4",
    ),
    Deviation(
        "hops",
        '"jumping over an adjacent piece"',
        "text: over a neighbour; program: over one piece at any distance with equal gaps",
        "the tree, all games",
    ),
    Deviation(
        "end of a game",
        '"all ten pieces across the board into the opposite starting corners"',
        "text: all own pieces in the target; program: the target is full and one piece is the "
        "player's own",
        "a player can block the other by keeping a piece at home under the first, not the second",
    ),
    Deviation(
        "features",
        "sums over the pieces; no units",
        "text: sums, in steps, holes and rows; program: means, half holes and squared rows",
        "the weights that are tuned",
    ),
    Deviation(
        "positions that are fitted",
        '"at each turn"',
        "text: all turns; program: those of the midgame",
        "the weights that are tuned",
    ),
    Deviation(
        "learning rate",
        '"diminishing"',
        "text: 0.3 / (1 + game / 5); program: the average of fits at length 1",
        "how fast weights settle",
    ),
    Deviation(
        "repetition",
        "not mentioned",
        "text: tuning games end when a position recurs, others after 200 plies; program: a search "
        "does not play one of its last four moves again, games end after 250 plies",
        "drawn games",
    ),
    Deviation(
        "winning steps",
        '"the number of steps needed for the losing player to finish"',
        "the fewest found; the program lets its endgame player finish",
        "the scale of figures 4 to 6, for all players alike",
    ),
    Deviation(
        "moves considered",
        "not mentioned",
        "all; the program's search leaves out those that go more than two rows back",
        "not measured",
    ),
    Deviation(
        "tuning games of figure 3",
        "not stated",
        f"text: {TEXT.tuning}; program: {PROGRAM.tuning}, as it has, on the board of figure 2",
        "the right end of the curves",
    ),
)

PAPER = Paper(
    "he2016",
    "he2016: Playing Chinese Checkers with Reinforcement Learning",
    [
        *convergence.EXPERIMENTS,
        *pruning.EXPERIMENTS,
        *matches.EXPERIMENTS,
        *effort.EXPERIMENTS,
    ],
    introduction=[_FEATURES],
    about=_about,
    cutoffs=_CUTOFFS,
    deviations=_DEVIATIONS,
    without_result={"figure 1": "the moves of the game", "figure 2": "the board"},
)
