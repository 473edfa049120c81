"""The board, the training run and the scale of schulte2021's experiments.

With `--full` the run is the recipe `schulte2021` as it is, so that `halma train schulte2021` on a
GPU makes a run that `--adopt` takes. The reduced run learns a fraction of it in minutes. Adopted
runs of `schulte2021/small` and `schulte2021/best` are used as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from halma.lab.run_store import base_recipe
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.learn.settings import Plain

#: The thesis' board and rules; the recipe of its training run, one with a smaller network, and
#: ours for the same board.
VARIANT = "star-37-3p"
MAIN, SMALL, BEST = "schulte2021", "schulte2021/small", "schulte2021/best"
#: Its greedy player draws lots among the longest moves.
GREEDY = "greedy:ties=random"
#: "The first two moves of every player are selected randomly."
OPENING_PLIES = 6
#: Simulations with tree search, and of the network alone: the most probable move is visited once.
SEARCH, ALONE = 200, 1
#: The thesis' c of 15 on scores from 0 to 3, its Q of 0 for moves without a visit, and its loops.
SEARCH_OPTIONS = "c=5,fpu=loss,limits=first-repetition"


class Schulte2021Scale(NamedTuple):
    """How much is run."""

    #: games of an agent against itself
    seat_games: Mapping[str, int]
    #: games of random, initialize and greedy, whose length is measured
    agent_games: int
    #: games of a version against the one before, and against greedy, by simulations
    version_games: Mapping[int, int]
    #: games of the last version with search against the network alone
    search_games: int
    #: games of the final agents against greedy, by simulations
    strength_games: Mapping[int, int]
    #: games of a version against itself, whose policies are looked at
    illegal_games: int
    #: games of the final agents against themselves, by simulations
    network_seat_games: Mapping[int, int]
    #: games of self-play in which loops are looked for
    loop_games: int


FULL = Schulte2021Scale(
    seat_games={
        GREEDY: 12_000,
        "greedy": 12_000,
        "paranoid:depth=2": 2_000,
        "mcts:sims=200,evaluator=linear": 2_000,
    },
    agent_games=2_000,
    version_games={SEARCH: 60, ALONE: 240},
    search_games=120,
    strength_games={SEARCH: 600, ALONE: 600},
    illegal_games=120,
    network_seat_games={SEARCH: 300, ALONE: 3_000},
    loop_games=1_000,
)
QUICK = Schulte2021Scale(
    seat_games={
        GREEDY: 3_000,
        "greedy": 3_000,
        "paranoid:depth=2": 300,
        "mcts:sims=200,evaluator=linear": 300,
    },
    agent_games=500,
    version_games={SEARCH: 6, ALONE: 30},
    search_games=12,
    strength_games={SEARCH: 24, ALONE: 60},
    illegal_games=20,
    network_seat_games={SEARCH: 12, ALONE: 120},
    loop_games=40,
)

#: The reduced run: larger steps, and games of initialize that stay in the replay buffer, make up
#: for some of the games that it lacks.
_REDUCED: Mapping[str, Plain] = {
    "network": "schulte2021:blocks=1,filters=32,width=256,dropout=0.1",
    "iterations": 5,
    "warm_start.games": 200,
    "warm_start.replay": True,
    "search.simulations": 24,
    "selfplay.games": 60,
    "learning.replay_buffer": 600,
    "learning.epochs": 2.0,
    "learning.batch_size": 256,
    "learning.rate": 0.002,
    "learning.late_rate": 0.002,
    "gate.games": 12,
    "gate.threshold": 0.5,
    "evaluation.every": 0,
}


def scale(workspace: Workspace) -> Schulte2021Scale:
    """Return the thesis' scale or the reduced one."""
    return FULL if workspace.full else QUICK


def main_run(workspace: Workspace) -> Recipe:
    """Return the training run: the thesis', or one with the smaller network if that alone is there.

    Only the thesis' is trained here.
    """
    thesis, runs = thesis_run(workspace), workspace.runs
    small = base_recipe(SMALL).changed({"seed": workspace.seed})
    stands_in = workspace.full and runs.metrics(small) and not runs.metrics(thesis)
    return small if stands_in else thesis


def thesis_run(workspace: Workspace) -> Recipe:
    """Return the thesis' training run."""
    reduced = {} if workspace.full else _REDUCED
    return base_recipe(MAIN).changed({"seed": workspace.seed, **reduced})


def best_run(workspace: Workspace) -> Recipe:
    """Return our own run for the same board, which is used where there is one."""
    return base_recipe(BEST).changed({"seed": workspace.seed})
