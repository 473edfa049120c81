"""Where the repetition departs from hsueh2023 or had to choose a reading of its text."""

from __future__ import annotations

from halma.lab.experiment import Deviation
from halma.lab.hsueh2023.runs import CLOSE_TO_HALF, FAR, NEAR

#: What counts as agreement, in the words of the constants of `runs`.
CUTOFFS = (
    "stated before the full runs. "
    f"A number agrees if it lies within {100 * NEAR:g} points of our 95% interval, and is near up "
    f'to {100 * FAR:g} points; "close to 50%" is at least {CLOSE_TO_HALF:.0%}; a rising or falling '
    "series may step back by 5%, that of learning speeds by 10%; a setting fails below 60% to 80% "
    "of the best, as the figure's code says. A claim about several runs needs two of them. "
    "Unfinished runs are drawn and not compared."
)

DEVIATIONS = (
    Deviation(
        "non-terminal positions (Table 1)",
        "1,934,199 for CDC_KPPP, 4,032,500 for CDC_GGCC",
        "all positions that can be reached and have a legal move",
        "differs in the fourth digit; the paper's even number cannot count both colours alike",
    ),
    Deviation(
        "chance events of a position (Table 1)",
        "not defined",
        "outcomes of the chance node just before it, one if there is none",
        "the number for dark chess; near the paper's if the first flip counts as one event",
    ),
    Deviation(
        "the player of Table 1",
        "MCTS with 10,000 simulations and random playouts, no other setting",
        "UCT with the default constant of `mcts`",
        "lengths, and actions of a position",
    ),
    Deviation(
        "repetition and the 40-ply rule inside the tree",
        "not said",
        "lines of the search end where the game would",
        "lengths of games; `lines` plays Table 1's games without",
    ),
    Deviation(
        "the root's evaluation",
        "8 + 1 simulations try 8 moves (footnote 12)",
        "counts as a simulation (`count_root`)",
        "one visit less; matters with 6 simulations",
    ),
    Deviation(
        "the learning rate changes",
        "at the half, e.g. the 50th iteration",
        "iterations 1 to 50 of 100 have the first rate",
        "one iteration at most",
    ),
    Deviation(
        "order of updates",
        "not said",
        "the games of the last two iterations in the order in which they were played",
        "policies of rare positions follow the last update",
    ),
    Deviation(
        "N_sim of figure 21",
        '"selected", not named',
        "6, 25 and 100",
        "panels need not be the paper's",
    ),
    Deviation(
        "T_self (figures 16 and 17)",
        "2.143 and 18.418 seconds on its machine",
        "the mean self-play time of the default setting on the machine at hand, in processor time",
        "games of an iteration are comparable between settings, not between machines",
    ),
    Deviation(
        "filters of the network (figure 24)",
        "a 5-block ResNet",
        "64 filters; reduced runs have 32",
        "strength after equally many iterations",
    ),
    Deviation(
        "replay buffer of the network",
        '"of size 40,000 to keep the latest games"',
        "40,000 games; `untrained` has 40,000 positions as well",
        "how fast early games are forgotten",
    ),
    Deviation(
        "steps of the network after an iteration",
        "not said",
        "four samples for each new position",
        "speed of learning",
    ),
    Deviation(
        "initial values of the network",
        "not said",
        "those of the layer's usual initialisation: an arbitrary value for each player",
        "whether +0.5 with c_puct = 1/64 explores at all, see `untrained`",
    ),
    Deviation(
        "trials",
        "one run a setting, five of the default setting",
        "the same",
        "intervals are those of the grading games; seeds vary by more",
    ),
)

#: Tables and figures that show no result.
WITHOUT_RESULT = {
    "figure 1": "an overview",
    "figures 2 and 4": "positions of the full games",
    "figure 3": "positions; the text gives one value, which is tested, and not its board",
    "figure 5": "positions, whose values are tested",
    "figure 6": "a diagram",
    "Table 2": "the planes of the network, which are those of the recipe",
}
