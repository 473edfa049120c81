"""hsueh2023's experiments as sets of runs: which settings, how much of each.

A run is a recipe of `hsueh2023/` with changes. Runs that several figures show are planned in
one place here, so that they are the same run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from halma.lab.runs import base_recipe
from halma.learn import Recipe
from halma.learn.settings import Plain

#: Paper's names of its variants, in its order.
VARIANTS = {
    "ewn-3x3-3": "EWN₃₃₃",
    "ewn-3x3-4": "EWN₃₃₄",
    "ewn-3x4-3": "EWN₃₄₃",
    "cdc-2x4-PPPP": "CDC_PPPP",
    "cdc-2x4-KPPP": "CDC_KPPP",
    "cdc-2x4-GGCC": "CDC_GGCC",
}
#: The two that the paper shows where it does not show all, and the rest, in its appendix.
TWO = ("ewn-3x3-3", "cdc-2x4-PPPP")
FOUR = ("ewn-3x3-4", "cdc-2x4-KPPP", "ewn-3x4-3", "cdc-2x4-GGCC")

CS = tuple(2.0**power for power in range(-6, 7))
EPSILONS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
#: Go's, shogi's and chess's, then six higher ones (section V-C).
ALPHAS = (0.03, 0.15, 0.3, 0.75, 1.5, 3.0, 6.0, 9.0, 12.0)
SIMULATIONS = (6, 12, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600)
#: Only the variants with the cheapest games were tried with the two highest.
_HIGHEST_SIMULATIONS = {"ewn-3x3-3": 25_600, "ewn-3x4-3": 25_600, "cdc-2x4-PPPP": 25_600}
UNTRIED = {"loss": "+0", "draw": "+0.5", "win": "+1", "infinite": "+∞"}
UNTRIED_SIMULATIONS = SIMULATIONS[:8]
TRIALS = 5
#: Footnote 10: as many simulations as 300 iterations of 800 have, but in 13 iterations.
FEW_ITERATIONS = (25_600, 13)

#: Figure 22's position, red to move with a 2, and what its moves are worth.
WATCHED = "12./3.a/.cb r 2"
WATCHED_RUNS = ((6, "draw"), (6, "loss"), (12, "loss"))

FURTHER_SIMULATIONS = (2, 4, 8, 16, 32, 64, 200, 800)
#: What is compared with the paper's search, by the settings that make it.
METHODS: Mapping[str, Mapping[str, Plain]] = {
    "PUCT +0": {},
    "PUCT +0.5": {"search.fpu": "draw"},
    "Gumbel": {"search.rule": "gumbel"},
    "proven values": {"search.solver": True},
    "symmetry": {"learning.symmetries": True},
}

#: Metrics are all that is kept of a run: tables would fill a disk.
_KEEPING: Mapping[str, Plain] = {"checkpoints.keep": 0}


@dataclass(frozen=True)
class Amount:
    """How much of everything one variant gets."""

    iterations: int
    games: int
    simulations: int
    grade_every: int
    grade_games: int
    cs: Sequence[float]
    epsilons: Sequence[float]
    alphas: Sequence[float]
    simulation_axis: Sequence[int]
    #: at equal self-play time
    timed_axis: Sequence[int]
    #: of the untried values that are not the default
    untried_cs: Sequence[float]
    untried_simulations: Sequence[int]
    trials: int
    further_simulations: Sequence[int]
    further_seeds: int
    #: of footnote 10: simulations, iterations
    few_iterations: tuple[int, int]


def full_amount(variant: str) -> Amount:
    """Return the paper's own settings."""
    settings = base_recipe(f"hsueh2023/{variant}").settings
    highest = _HIGHEST_SIMULATIONS.get(variant, 6400)
    axis = tuple(number for number in SIMULATIONS if number <= highest)
    return Amount(
        iterations=settings.iterations,
        games=settings.selfplay.games,
        simulations=settings.search.simulations,
        grade_every=settings.truth.every,
        grade_games=settings.truth.games,
        cs=CS,
        epsilons=EPSILONS,
        alphas=ALPHAS,
        simulation_axis=axis,
        timed_axis=axis,
        untried_cs=CS,
        untried_simulations=UNTRIED_SIMULATIONS,
        trials=TRIALS,
        further_simulations=FURTHER_SIMULATIONS,
        further_seeds=5,
        few_iterations=FEW_ITERATIONS,
    )


_SEVEN_CS = CS[::2]
_FIVE_CS = CS[::3]
_QUICK = {
    "ewn-3x3-3": Amount(
        iterations=40,
        games=500,
        simulations=100,
        grade_every=2,
        grade_games=4000,
        cs=CS,
        epsilons=EPSILONS,
        alphas=ALPHAS[::2],
        simulation_axis=UNTRIED_SIMULATIONS,
        timed_axis=(6, 25, 100, 400, 1600),
        untried_cs=_SEVEN_CS,
        untried_simulations=UNTRIED_SIMULATIONS[:6],
        trials=TRIALS,
        further_simulations=FURTHER_SIMULATIONS[:6],
        further_seeds=3,
        few_iterations=(800, 5),
    ),
    "cdc-2x4-PPPP": Amount(
        iterations=30,
        games=1000,
        simulations=100,
        grade_every=2,
        grade_games=4000,
        cs=_FIVE_CS,
        epsilons=(0.0, 0.25, 0.5),
        alphas=(0.03, 1.5, 12.0),
        simulation_axis=(6, 25, 50, 100, 200),
        timed_axis=(6, 25, 100, 400),
        untried_cs=(CS[0], CS[6]),
        untried_simulations=(6, 25, 100),
        trials=2,
        further_simulations=(2, 8, 32),
        further_seeds=3,
        few_iterations=(800, 4),
    ),
}
_QUICK_LARGE = Amount(
    iterations=12,
    games=500,
    simulations=100,
    grade_every=2,
    grade_games=4000,
    cs=CS[::6],
    epsilons=(0.0, 0.25),
    alphas=(0.03, 1.5, 12.0),
    simulation_axis=(6, 25, 100, 400),
    timed_axis=(6, 25, 100, 400),
    untried_cs=(CS[0], CS[6]),
    untried_simulations=(6, 25, 100),
    trials=2,
    further_simulations=(2, 8, 32),
    further_seeds=2,
    few_iterations=(1200, 1),
)


def quick_amount(variant: str) -> Amount:
    """Return a reduction that takes seconds a run and keeps the shape of the figures."""
    return _QUICK.get(variant, _QUICK_LARGE)


class Planner:
    """Makes the runs of one scale, quick or full."""

    def __init__(self, full: bool, seed: int) -> None:
        self.full = full
        self.seed = seed

    def amount(self, variant: str) -> Amount:
        """Return how much of everything a variant gets."""
        return full_amount(variant) if self.full else quick_amount(variant)

    def run(self, variant: str, changes: Mapping[str, Plain] | None = None) -> Recipe:
        """Return the default setting of a variant with changes."""
        amount = self.amount(variant)
        return _recipe(
            variant,
            (
                *{
                    "iterations": amount.iterations,
                    "seed": self.seed,
                    "search.simulations": amount.simulations,
                    "selfplay.games": amount.games,
                    "truth.every": amount.grade_every,
                    "truth.games": amount.grade_games,
                    **_KEEPING,
                    **(changes or {}),
                }.items(),
            ),
        )

    def by_c(self, variant: str, untried: str = "loss") -> dict[float, Recipe]:
        """Runs with different c_puct, for one value of untried moves."""
        amount = self.amount(variant)
        cs = amount.cs if untried == "loss" else amount.untried_cs
        return {c: self.run(variant, {"search.c": c, "search.fpu": untried}) for c in cs}

    def by_epsilon(self, variant: str) -> dict[float, Recipe]:
        """Runs with different weights of Dirichlet noise."""
        epsilons = self.amount(variant).epsilons
        return {
            epsilon: self.run(variant, {"search.dirichlet_weight": epsilon}) for epsilon in epsilons
        }

    def by_alpha(self, variant: str) -> dict[float, Recipe]:
        """Runs with different shapes of Dirichlet noise."""
        alphas = self.amount(variant).alphas
        return {alpha: self.run(variant, {"search.dirichlet_alpha": alpha}) for alpha in alphas}

    def by_simulations(self, variant: str) -> dict[int, Recipe]:
        """Runs with different numbers of simulations, with equally many games."""
        return {n: self._simulating(variant, n) for n in self.amount(variant).simulation_axis}

    def by_untried_simulations(self, variant: str, untried: str) -> dict[int, Recipe]:
        """Runs with fewer simulations, for one value of untried moves."""
        amount = self.amount(variant)
        axis = amount.untried_simulations
        if untried == "loss":
            axis = [n for n in amount.simulation_axis if n <= UNTRIED_SIMULATIONS[-1]]
        return {n: self._simulating(variant, n, {"search.fpu": untried}) for n in axis}

    def by_time(self, variant: str, seconds: float) -> dict[int, Recipe]:
        """Runs with different numbers of simulations, with equally much time."""
        axis = self.amount(variant).timed_axis
        return {n: self._simulating(variant, n, {"selfplay.seconds": seconds}) for n in axis}

    def few_iterations(self, variant: str) -> Recipe:
        """Footnote 10's run."""
        simulations, iterations = self.amount(variant).few_iterations
        every = min(self.amount(variant).grade_every, iterations)
        return self._simulating(
            variant, simulations, {"iterations": iterations, "truth.every": every}
        )

    def trials(self, variant: str) -> dict[int, Recipe]:
        """Runs of the default setting, by their seeds."""
        seeds = range(self.seed, self.seed + self.amount(variant).trials)
        return {seed: self.run(variant, {"seed": seed}) for seed in seeds}

    def watched(self, variant: str) -> dict[tuple[int, str], Recipe]:
        """Figure 22's runs, by simulations and value of untried moves.

        They take seconds, so they are never shortened, but graded less often.
        """
        whole = full_amount(variant)
        changes: dict[str, Plain] = {
            "iterations": whole.iterations,
            "selfplay.games": whole.games,
            "truth.watch": (WATCHED,),
        }
        return {
            (n, untried): self._simulating(variant, n, {**changes, "search.fpu": untried})
            for n, untried in WATCHED_RUNS
        }

    def further(self, variant: str) -> dict[tuple[str, int, int], Recipe]:
        """Runs of other methods, by method, simulations and seed.

        The position itself does not count as a simulation here: of 2 simulations only one
        would be left.
        """
        amount = self.amount(variant)
        return {
            (method, n, seed): self._simulating(
                variant, n, {"search.count_root": False, "seed": seed, **changes}
            )
            for method, changes in METHODS.items()
            for n in amount.further_simulations
            for seed in range(self.seed, self.seed + amount.further_seeds)
        }

    def _simulating(
        self, variant: str, simulations: int, changes: Mapping[str, Plain] | None = None
    ) -> Recipe:
        return self.run(variant, {"search.simulations": simulations, **(changes or {})})

    def describe(self, variant: str) -> str:
        """Return how the runs of a variant are sized, in words."""
        amount = self.amount(variant)
        every = "every iteration" if amount.grade_every == 1 else "every second iteration"
        return (
            f"{amount.iterations:,} iterations of {amount.games:,} games with "
            f"{amount.simulations:,} simulations, graded after {every} by "
            f"{amount.grade_games:,} games"
        )


@cache
def _recipe(variant: str, changes: tuple[tuple[str, Plain], ...]) -> Recipe:
    return base_recipe(f"hsueh2023/{variant}").changed(dict(changes))


#: Seconds of one core for 1,000 games with 800 simulations, about; only ratios matter.
_SECONDS = {
    "ewn-3x3-3": 0.75,
    "ewn-3x3-4": 0.9,
    "ewn-3x4-3": 1.2,
    "cdc-2x4-PPPP": 4.0,
    "cdc-2x4-KPPP": 5.0,
    "cdc-2x4-GGCC": 5.5,
}
#: ... and before the first iteration.
_SETUP = {
    "ewn-3x3-3": 0.2,
    "ewn-3x3-4": 3.0,
    "ewn-3x4-3": 1.5,
    "cdc-2x4-PPPP": 0.4,
    "cdc-2x4-KPPP": 3.0,
    "cdc-2x4-GGCC": 6.0,
}
#: Starting a game, and learning from it, takes as long as so many simulations of its moves.
_GAME_OVERHEAD = 10

#: Seconds that a network takes for a simulation of all moves of a game, and by how many
#: simulations a game takes longer because it is learnt from.
_SECONDS_OF_NETWORK, _LEARNING_OVERHEAD = 3e-4, 30


def cost(recipe: Recipe) -> float:
    """Return about how many seconds of one core a run takes."""
    settings = recipe.settings
    if recipe.method == "alphazero":
        positions = settings.selfplay.games * (settings.search.simulations + _LEARNING_OVERHEAD)
        return float(settings.iterations * positions * _SECONDS_OF_NETWORK)
    variant = recipe.name.rpartition("/")[2]
    per_game = _SECONDS[variant] / 800_000 * (settings.search.simulations + _GAME_OVERHEAD)
    iteration = settings.selfplay.seconds or settings.selfplay.games * per_game
    grading = settings.truth.games * _SECONDS[variant] / 250_000 / settings.truth.every
    total: float = _SETUP[variant] + settings.iterations * (iteration + grading)
    return total
