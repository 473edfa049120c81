"""The board, the training runs and the scale of liu2019's experiments.

With `--full` a run is a recipe of the package as it is, so that `halma train liu2019 --seed 1` on
a GPU makes a run that `--adopt` takes. Reduced runs learn a fraction of it in minutes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from halma.lab.run_store import base_recipe
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.learn.settings import Plain

#: The paper's board and rules.
VARIANT = "rhombus-7x7-6:liu2019"
#: Random moves of each player at the beginning of games, and plies of both together.
RANDOM_MOVES = 3
OPENING_PLIES = 2 * RANDOM_MOVES
#: The paper's simulations in self-play and in Table 2, and its exploration constant.
SIMULATIONS, TABLE_SIMULATIONS, C = 175, 180, 3.5

MAIN, TABULA_RASA, DQN = "liu2019", "liu2019/tabula-rasa", "liu2019/dqn"

#: Section 4.3: where the games of the first stage start. Shares of games from random placements
#: and with random openings; the others start as usual.
STARTS: Mapping[str, tuple[float, float]] = {
    "M_R": (1.0, 0.0),
    "M_N": (0.0, 0.0),
    "M_N (50:50)": (0.5, 0.0),
    "M_S": (0.5, 0.3),
}
#: Share of positions kept in those experiments; 4% in the main run.
STARTS_SHARE = 0.05
#: Figure 10: passes over the samples, as a multiple of the main run's.
_OVERFITTING_PASSES = 4
#: Not in the paper: this part of the main run's steps, on all positions instead of a half.
_FEW_STEPS = 1 / 5


class Liu2019Scale(NamedTuple):
    """How much is run."""

    #: games whose length and branching are measured
    measured_games: int
    #: games against the greedy player that breaks ties at random
    tie_games: int
    #: runs of the main recipe
    seeds: int
    #: games of Table 2
    table_games: int
    #: games of a point of the sweeps, and their points
    sweep_games: int
    sweep_simulations: tuple[int, ...]
    sweep_cs: tuple[float, ...]
    c_simulations: tuple[int, ...]
    #: games of a version against the first, and simulations
    version_games: int
    version_simulations: int
    #: games of section 4.3
    start_games: int
    #: games of the rivals against the main agent, and simulations
    rival_games: int
    #: games whose moves are looked at for figure 13
    style_games: int


FULL = Liu2019Scale(
    measured_games=20_000,
    tie_games=4_000,
    seeds=3,
    table_games=300,
    sweep_games=100,
    sweep_simulations=(1, 10, 30, 100, 175, 500, 1000),
    sweep_cs=(0.5, 1.0, 2.0, 3.5, 5.0, 8.0),
    c_simulations=(50, 175, 500),
    version_games=100,
    version_simulations=SIMULATIONS,
    start_games=400,
    rival_games=100,
    style_games=100,
)
QUICK = Liu2019Scale(
    measured_games=2_000,
    tie_games=400,
    seeds=1,
    table_games=40,
    sweep_games=20,
    sweep_simulations=(1, 10, 50, 175),
    sweep_cs=(1.0, 3.5, 8.0),
    c_simulations=(50,),
    version_games=20,
    version_simulations=30,
    start_games=40,
    rival_games=20,
    style_games=20,
)


def scale(workspace: Workspace) -> Liu2019Scale:
    """Return the paper's scale or the reduced one."""
    return FULL if workspace.full else QUICK


#: Reduced runs, by recipe: a larger rate makes up for some of the steps that they lack.
_REDUCED: Mapping[str, Mapping[str, Plain]] = {
    MAIN: {
        "iterations": 4,
        "warm_start.epochs": 10,
        "warm_start.games": 500,
        "warm_start.position_share": 0.3,
        "warm_start.rate": 0.002,
        "search.simulations": 30,
        "selfplay.games": 40,
        "learning.optimiser": "adamw",
        "learning.rate": 0.0005,
        "learning.late_rate": 0.0005,
        "learning.batch_size": 128,
        "learning.samples_per_new": 5.0,
        "gate.games": 8,
        "gate.random_plies": 6,
        "evaluation.every": 0,
        "archive.every": 1,
    },
    TABULA_RASA: {
        "iterations": 4,
        "search.simulations": 16,
        "selfplay.games": 24,
        "learning.optimiser": "adamw",
        "learning.rate": 0.0005,
        "learning.late_rate": 0.0005,
        "learning.batch_size": 128,
        "gate.games": 8,
        "evaluation.every": 0,
    },
    DQN: {
        "iterations": 10,
        "play.games": 100,
        "play.parallel_games": 50,
        "learning.replay_buffer": 50_000,
        "learning.prefill": 2000,
        "learning.steps_per_move": 0.1,
        "learning.target_period": 100,
        "learning.rate": 0.001,
        "evaluation.test_games": 10,
        "evaluation.every": 0,
    },
}
#: The first stage alone: a run has one iteration at least, here one that hardly takes any time.
_FIRST_STAGE: Mapping[str, Plain] = {
    "iterations": 1,
    "search.simulations": 2,
    "selfplay.games": 2,
    "gate.games": 0,
    "evaluation.every": 0,
    "archive.every": 1,
}


@cache
def _recipe(name: str, changes: tuple[tuple[str, Plain], ...]) -> Recipe:
    return base_recipe(name).changed(dict(changes))


def plan_run(
    workspace: Workspace, name: str, seed: int, changes: Mapping[str, Plain] | None = None
) -> Recipe:
    """Return a recipe of the package, reduced without `--full`, with changes."""
    reduced = {} if workspace.full else _REDUCED[name]
    return _recipe(name, tuple({"seed": seed, **reduced, **(changes or {})}.items()))


def main_runs(workspace: Workspace) -> dict[str, Recipe]:
    """Return the runs of the main recipe by their seeds."""
    seeds = range(workspace.seed, workspace.seed + scale(workspace).seeds)
    return {f"seed {seed}": plan_run(workspace, MAIN, seed) for seed in seeds}


def overfitting_run(workspace: Workspace) -> Recipe:
    """Return the run of figure 10: weakly regularised, many passes, always the same opponent."""
    usual = plan_run(workspace, MAIN, workspace.seed).settings
    changes: dict[str, Plain] = {
        "learning.weight_decay": usual.warm_start.weight_decay,
        "learning.samples_per_new": _OVERFITTING_PASSES * usual.learning.samples_per_new,
        "selfplay.player": "latest",
        "selfplay.opponents": "first",
        "selfplay.opponent_share": 1.0,
    }
    return plan_run(workspace, MAIN, workspace.seed, changes)


def few_passes_run(workspace: Workspace) -> Recipe:
    """Return the main run with fewer passes: all positions of a game, each seen twice."""
    usual = plan_run(workspace, MAIN, workspace.seed).settings.learning
    samples = _FEW_STEPS * usual.samples_per_new * usual.position_share
    changes: dict[str, Plain] = {
        "learning.position_share": 1.0,
        "learning.samples_per_new": round(samples, 3),
    }
    return plan_run(workspace, MAIN, workspace.seed, changes)


def program_run(workspace: Workspace) -> Recipe:
    """Return the main run with what the authors' program does in another way than the paper.

    In the second stage the newest network plays itself without a gate, with t = 1 at first, and a
    half of the data of two episodes is drawn anew in every episode: each position is seen ten
    times. Its loss of the policy is left out: a label of one move teaches nothing then.
    """
    usual = plan_run(workspace, MAIN, workspace.seed).settings.learning
    changes: dict[str, Plain] = {
        "selfplay.player": "latest",
        "selfplay.temperature": 1.0,
        "learning.position_share": 1.0,
        "learning.samples_per_new": usual.samples_per_new * usual.position_share,
        "gate.games": 0,
    }
    return plan_run(workspace, MAIN, workspace.seed, changes)


def start_runs(workspace: Workspace) -> dict[str, Recipe]:
    """Return the runs of section 4.3: the first stage alone."""
    found = {}
    for label, (placements, openings) in STARTS.items():
        changes: dict[str, Plain] = {
            **_FIRST_STAGE,
            "warm_start.random_starts": placements,
            "warm_start.random_openings": openings,
        }
        if workspace.full:
            changes["warm_start.position_share"] = STARTS_SHARE
        found[label] = plan_run(workspace, MAIN, workspace.seed, changes)
    return found


def rival_runs(workspace: Workspace) -> dict[str, Recipe]:
    """Return a run of each rival."""
    names = {"DQN": DQN, "Tabula rasa": TABULA_RASA}
    return {label: plan_run(workspace, name, workspace.seed) for label, name in names.items()}
