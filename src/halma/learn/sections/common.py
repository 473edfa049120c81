"""Sections and checks that several methods have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halma import _core
from halma.errors import RecipeError
from halma.learn.settings import Plain, SearchRange, section_from, setting
from halma.search.options import NETWORK_RULES

#: Stands for agents that follow from the game.
AUTO = "auto"
#: More iterations or games than anybody needs.
MANY = 10_000_000
#: Sections that do not change what is learned, or only which games: a run may go on with other
#: values of theirs.
OBSERVING = ("evaluation", "truth", "checkpoints", "archive", "stages")
TRUTH_GAMES = (
    "Games of the most probable moves against the optimal player, for WR_p. hsueh2023: 10,000."
)
#: Options that the core declares.
SEARCH_OPTIONS = _core.search_options()
TABULAR_OPTIONS = {option.name: option for option in _core.tabular_options()}


def search_section(**defaults: Plain) -> Any:
    """Return the options of a search, with what papers used; `defaults` are one method's own."""
    return section_from(
        [*SEARCH_OPTIONS, TABULAR_OPTIONS["simulations"], TABULAR_OPTIONS["count_root"]],
        {
            "rule": "liu2019, hsueh2023, schulte2021: puct",
            "c": "liu2019: 3.5 on [-1, 1], which is 1.75, hsueh2023: 1, and 1/64 to 64 in section "
            "V-B and figure 24, schulte2021: 15 on [0, 3], which is 5",
            "fpu": "liu2019: draw, hsueh2023: loss (+0), and draw (+0.5), win (+1), infinite in "
            "section VII and figure 24, schulte2021: loss",
            "dirichlet_weight": "liu2019, hsueh2023: epsilon = 0.25, and 0 to 0.5 in section V-D",
            "dirichlet_alpha": "liu2019: 0.03, hsueh2023: 1.5, and 0.03 to 12 in section V-C",
            "solver": "hsueh2023: false",
            "limits": "schulte2021: first-repetition",
            "simulations": "liu2019: 175, hsueh2023: 800, and 6 to 25,600 in section VI (6 to 800 "
            "in figure 24), schulte2021: 200",
            "count_root": "hsueh2023: true (footnote 12), schulte2021: true",
        },
        {"rule": NETWORK_RULES},
        {
            "c": SearchRange(0.25, 8, log=True),
            "fpu": SearchRange(values=("loss", "draw", "win", "infinite", "parent")),
            "dirichlet_weight": SearchRange(0, 0.5),
            "dirichlet_alpha": SearchRange(0.03, 3, log=True),
            "gumbel_scale": SearchRange(0, 2),
            "max_considered_actions": SearchRange(2, 32, log=True),
            "value_scale": SearchRange(0.1, 10, log=True),
            "maxvisit_init": SearchRange(5, 200, log=True),
            "simulations": SearchRange(8, 800, log=True, changes_cost=True),
        },
        **{"c": 1.0, "dirichlet_weight": 0.25, "gumbel_scale": 1.0, **defaults},
    )


def search_values(search: Any, noise: bool = True) -> dict[str, Any]:
    """Return a section's options of tree search by name, with noise at the root or without."""
    values = {option.name: getattr(search, option.name) for option in SEARCH_OPTIONS}
    return values if noise else {**values, "dirichlet_weight": 0.0, "gumbel_scale": 0.0}


def check_root(search: Any) -> None:
    """Raise a `RecipeError` if simulations do not go beyond the root."""
    if search.count_root and search.simulations < 2:
        raise RecipeError(
            "'search.simulations' cannot be 1 if 'search.count_root' is true: "
            "that one would be the position itself."
        )


@dataclass(frozen=True)
class EvaluationSettings:
    """Matches against fixed opponents."""

    every: int = setting(
        5, "Iterations between evaluations; also after the last. 0: never.", (0, MANY)
    )
    opponents: str = setting(
        AUTO,
        "Agents, with spaces between them. auto: random, and greedy, or where that does not play "
        "the game, a shallow search.",
    )
    games: int = setting(40, "Games against each. liu2019: 20.", (2, 1_000_000))
    simulations: int = setting(0, "Simulations a move; 0: as in self-play.", (0, 1_000_000))


@dataclass(frozen=True)
class TruthSettings:
    """The comparison with exact values, on variants that can be solved."""

    every: int = setting(
        0, "Iterations between comparisons; also after the last. 0: never.", (0, MANY)
    )
    games: int = setting(1000, TRUTH_GAMES, (2, 100_000_000))
    plies: int = setting(
        0,
        "ERR_p and MAE_v are means over all decisions within this many plies of the start. "
        "hsueh2023: 0 for EinStein (108, 2304, 108 positions), 1 for dark chess (17, 33, 33).",
        (0, 4),
    )


@dataclass(frozen=True)
class CheckpointSettings:
    """How often a run is saved. None of it changes what is learned."""

    share: float = setting(
        0.05,
        "A checkpoint follows every iteration, unless more than this share of the time would go "
        "into checkpoints.",
        (0.001, 1),
    )
    seconds: float = setting(
        120.0,
        "At the latest, a checkpoint follows the first iteration that ends this many seconds "
        "after the last one: this is what a power cut can cost.",
        (0, 86_400),
    )
    keep: int = setting(
        2,
        "Number of newest checkpoints that are kept. 0 keeps one while the run goes on and none "
        "once it is finished, where only metrics are wanted.",
        (0, 1000),
    )


@dataclass(frozen=True)
class ArchiveSettings:
    """Past networks of a run that are kept for matches. None of it changes what is learned."""

    every: int = setting(
        0,
        "Iterations between networks that are kept in versions/, from iteration 0 on, which is "
        "the network before self-play; also after the last. 0: none. A network has two files "
        "there, of the size of best.onnx and best.safetensors. liu2019, schulte2021: 1.",
        (0, MANY),
    )


def stepped_rate(learning: Any, iterations: int, iteration: int) -> float:
    """Return the learning rate of an iteration where it falls in one step; they count from 1."""
    late: float = learning.late_rate
    first: float = learning.rate
    return late if iteration > learning.late_from * iterations else first
