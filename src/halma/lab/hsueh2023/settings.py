"""The training runs of hsueh2023: variants, axes, and how much of each is run.

A run is a recipe of `hsueh2023/` with changes. Figures that show the same runs plan them with
the same function, so that each is trained once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from halma.lab.run_store import RunStore, base_recipe
from halma.learn import Recipe
from halma.learn.settings import Plain

#: The paper's names of its variants, in its order.
VARIANTS = {
    "ewn-3x3-3": "EWN₃₃₃",
    "ewn-3x3-4": "EWN₃₃₄",
    "ewn-3x4-3": "EWN₃₄₃",
    "cdc-2x4-PPPP": "CDC_PPPP",
    "cdc-2x4-KPPP": "CDC_KPPP",
    "cdc-2x4-GGCC": "CDC_GGCC",
}
ALL_VARIANTS = tuple(VARIANTS)
#: The two of the paper's main text, and those of its appendix.
MAIN_VARIANTS = ("ewn-3x3-3", "cdc-2x4-PPPP")
APPENDIX_VARIANTS = ("ewn-3x3-4", "cdc-2x4-KPPP", "ewn-3x4-3", "cdc-2x4-GGCC")

#: The recipe with a network, which is planned like a variant.
NETWORK = "net-cdc-2x4-PPPP"

#: First-play urgency: the recipe's key, and its values as the paper writes them.
FPU_KEY = "search.fpu"
FPU = {"loss": "+0", "draw": "+0.5", "win": "+1", "infinite": "+∞"}
DEFAULT_FPU = "loss"


@dataclass(frozen=True)
class Axis:
    """A setting that figures vary."""

    #: the recipe's key
    key: str
    #: the paper's name
    symbol: str
    #: the paper's values
    values: tuple[float, ...]
    #: "linear", or the base of a logarithm
    scale: str | int = 2
    write: Callable[[float], str] = "{:,g}".format
    #: values without a tick of their own
    unmarked: tuple[float, ...] = ()


def write_fraction(value: float) -> str:
    """Write c_puct as the paper does: 1/64, 1, 64."""
    return str(Fraction(value).limit_denominator(1000))


CS = tuple(2.0**power for power in range(-6, 7))
EPSILONS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
#: Those of Go, shogi and chess, then six higher ones (section V-C).
ALPHAS = (0.03, 0.15, 0.3, 0.75, 1.5, 3.0, 6.0, 9.0, 12.0)
SIMULATIONS = (6, 12, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600)
#: ... where the first-play urgency is varied as well.
FPU_SIMULATIONS = SIMULATIONS[:8]

AXES = {
    "c": Axis("search.c", "c_puct", CS, write=write_fraction),
    "epsilon": Axis("search.dirichlet_weight", "ε", EPSILONS, "linear"),
    "alpha": Axis("search.dirichlet_alpha", "α", ALPHAS, unmarked=(9.0,)),
    "simulations": Axis("search.simulations", "N_sim", SIMULATIONS),
}

#: Figure 22's position, red to move with a 2, and its runs: simulations and first-play urgency.
WATCHED_POSITION = "12./3.a/.cb r 2"
WATCHED_RUNS = ((6, "draw"), (6, "loss"), (12, "loss"))


@dataclass(frozen=True)
class Scale:
    """How much is run on a variant; by default as much as in the paper."""

    #: of the recipe
    changes: Mapping[str, Plain] = field(default_factory=dict)
    #: values of each axis with the default first-play urgency, and with the others
    axes: Mapping[str, Sequence[float]] = field(
        default_factory=lambda: {name: axis.values for name, axis in AXES.items()}
    )
    fpu_axes: Mapping[str, Sequence[float]] = field(
        default_factory=lambda: {"c": CS, "simulations": FPU_SIMULATIONS}
    )
    #: numbers of simulations at equal self-play time
    timed_simulations: Sequence[int] = SIMULATIONS
    #: seeds of the default setting
    trials: int = 5
    #: simulations and iterations of footnote 10: as many simulations in all, in few iterations
    few_iterations: tuple[int, int] = (25_600, 13)
    further_simulations: Sequence[int] = (2, 4, 8, 16, 32, 64, 200, 800)
    further_seeds: int = 5


def full_scale(variant: str) -> Scale:
    """Return the paper's scale; the two highest N_sim are for variants with short games."""
    if variant == NETWORK:
        return Scale(axes={"simulations": FPU_SIMULATIONS, "c": CS, "epsilon": EPSILONS})
    if variant in ("ewn-3x3-3", "ewn-3x4-3", "cdc-2x4-PPPP"):
        return Scale()
    fewer = SIMULATIONS[:-2]
    return Scale(axes={**Scale().axes, "simulations": fewer}, timed_simulations=fewer)


def _reduced(iterations: int, games: int) -> Mapping[str, Plain]:
    return {
        "iterations": iterations,
        "search.simulations": 100,
        "selfplay.games": games,
        "truth.every": 2,
        "truth.games": 4000,
    }


_QUICK = {
    "ewn-3x3-3": Scale(
        _reduced(iterations=40, games=500),
        axes={"c": CS, "epsilon": EPSILONS, "alpha": ALPHAS[::2], "simulations": FPU_SIMULATIONS},
        fpu_axes={"c": CS[::2], "simulations": FPU_SIMULATIONS[:6]},
        timed_simulations=(6, 25, 100, 400, 1600),
        few_iterations=(800, 5),
        further_simulations=(2, 4, 8, 16, 32, 64),
        further_seeds=3,
    ),
    "cdc-2x4-PPPP": Scale(
        _reduced(iterations=30, games=1000),
        axes={
            "c": CS[::3],
            "epsilon": (0.0, 0.25, 0.5),
            "alpha": (0.03, 1.5, 12.0),
            "simulations": (6, 25, 50, 100, 200),
        },
        fpu_axes={"c": (CS[0], 1.0), "simulations": (6, 25, 100)},
        timed_simulations=(6, 25, 100, 400),
        trials=2,
        few_iterations=(800, 4),
        further_simulations=(2, 8, 32),
        further_seeds=3,
    ),
    NETWORK: Scale(
        {
            "network": "hsueh2023:filters=32",
            "iterations": 16,
            "search.simulations": 50,
            "selfplay.games": 200,
            "selfplay.parallel_games": 200,
            "truth.every": 16,
            "truth.games": 2000,
        },
        axes={"simulations": (6, 25, 100), "c": (CS[0], 1.0, CS[-1]), "epsilon": (0.0, 0.25)},
        fpu_axes={"simulations": (6, 25), "c": (CS[0],)},
    ),
}
_QUICK_LARGE = replace(
    _QUICK["cdc-2x4-PPPP"],
    changes=_reduced(iterations=12, games=500),
    axes={
        "c": (CS[0], 1.0, CS[-1]),
        "epsilon": (0.0, 0.25),
        "alpha": (0.03, 1.5, 12.0),
        "simulations": (6, 25, 100, 400),
    },
    few_iterations=(1200, 1),
    further_seeds=2,
)


def quick_scale(variant: str) -> Scale:
    """Return a reduction whose runs take seconds and that keeps the shape of the figures."""
    return _QUICK.get(variant, _QUICK_LARGE)


@dataclass(frozen=True)
class Planner:
    """Makes the recipes of runs, by the labels under which figures show them."""

    full: bool
    seed: int
    #: where the runs are, from which `timed` takes the time of the default setting
    runs: RunStore | None = None

    def scale(self, variant: str) -> Scale:
        """Return how much is run on a variant."""
        return full_scale(variant) if self.full else quick_scale(variant)

    def run(self, variant: str, changes: Mapping[str, Plain] | None = None) -> Recipe:
        """Return the default setting of a variant with changes."""
        # Metrics are all that figures need of a run: checkpoints would fill a disk.
        fixed: dict[str, Plain] = {"seed": self.seed, "checkpoints.keep": 0}
        combined = fixed | dict(self.scale(variant).changes) | dict(changes or {})
        return _recipe(f"hsueh2023/{variant}", tuple(combined.items()))

    def along(self, variant: str, axis: str) -> dict[float, Recipe]:
        """Return runs along an axis, by its values."""
        values = self.scale(variant).axes[axis]
        return {x: self.run(variant, {AXES[axis].key: x}) for x in values}

    def by_fpu(self, variant: str, axis: str) -> dict[tuple[str, float], Recipe]:
        """Return runs along an axis for each first-play urgency, by that and the value."""
        scale = self.scale(variant)
        most = FPU_SIMULATIONS[-1] if axis == "simulations" else math.inf
        return {
            (fpu, x): self.run(variant, {AXES[axis].key: x, FPU_KEY: fpu})
            for fpu in FPU
            for x in (scale.axes if fpu == DEFAULT_FPU else scale.fpu_axes).get(axis, ())
            if x <= most
        }

    def self_play_seconds(self, variant: str) -> float | None:
        """Return T_self: the mean self-play time of an iteration of the finished default run.

        It is processor time, as the machine may have other work.
        """
        default = self.run(variant)
        if self.runs is None or not self.runs.is_finished(default):
            return None
        mean = self.runs.mean(default, "processor_seconds")
        return None if mean is None else float(f"{mean:.3g}")

    def timed(self, variant: str, seconds: float | None = None) -> dict[float, Recipe]:
        """Return runs with equal self-play time, T_self once it is known, by simulations."""
        seconds = seconds or self.self_play_seconds(variant)
        return {
            n: self.run(variant, {"search.simulations": n, "selfplay.seconds": seconds})
            for n in self.scale(variant).timed_simulations
            if seconds is not None
        }

    def few_iterations(self, variant: str) -> Recipe:
        """Return the run of footnote 10."""
        simulations, iterations = self.scale(variant).few_iterations
        every = min(self.run(variant).settings.truth.every, iterations)
        changes: dict[str, Plain] = {"search.simulations": simulations, "iterations": iterations}
        return self.run(variant, {**changes, "truth.every": every})

    def trials(self, variant: str) -> dict[int, Recipe]:
        """Return runs of the default setting, by their seeds."""
        seeds = range(self.seed, self.seed + self.scale(variant).trials)
        return {seed: self.run(variant, {"seed": seed}) for seed in seeds}

    def watched(self, variant: str) -> dict[tuple[int, str], Recipe]:
        """Return the runs of figure 22, by simulations and first-play urgency.

        They take seconds, so they are as long as the paper's, but graded less often.
        """
        whole = base_recipe(f"hsueh2023/{variant}").settings
        changes: dict[str, Plain] = {
            "iterations": whole.iterations,
            "selfplay.games": whole.selfplay.games,
            "truth.watch": (WATCHED_POSITION,),
        }
        return {
            (n, fpu): self.run(variant, {**changes, "search.simulations": n, FPU_KEY: fpu})
            for n, fpu in WATCHED_RUNS
        }


@cache
def _recipe(name: str, changes: tuple[tuple[str, Plain], ...]) -> Recipe:
    return base_recipe(name).changed(dict(changes))


def describe_run(recipe: Recipe) -> str:
    """Return the length of a run and how it is graded, in words."""
    settings = recipe.settings
    network = f" and the network {settings.network}" if recipe.method == "alphazero" else ""
    graded = {1: "after every iteration", settings.iterations: "at the end"}
    when = graded.get(settings.truth.every, "after every second iteration")
    return (
        f"{settings.iterations:,} iterations of {settings.selfplay.games:,} games with "
        f"{settings.search.simulations:,} simulations{network}, graded {when} by "
        f"{settings.truth.games:,} games"
    )


#: Seconds of one core before the first iteration, and for 1,000 games with 800 simulations.
_SECONDS = {
    "ewn-3x3-3": (0.2, 0.75),
    "ewn-3x3-4": (3.0, 0.9),
    "ewn-3x4-3": (1.5, 1.2),
    "cdc-2x4-PPPP": (0.4, 4.0),
    "cdc-2x4-KPPP": (3.0, 5.0),
    "cdc-2x4-GGCC": (6.0, 5.5),
}
#: Starting a game and learning from it takes as long as this many simulations of its moves.
_GAME_OVERHEAD = 10
#: Seconds of a network for one simulation of all moves of a game, and the overhead of learning.
_NETWORK_SECONDS, _LEARNING_OVERHEAD = 3e-4, 30


def seconds_of_self_play(recipe: Recipe) -> float:
    """Return about how many seconds of one core the games of an iteration take, with a table."""
    settings = recipe.settings
    _, seconds = _SECONDS[recipe.name.rpartition("/")[2]]
    per_game = seconds / 800_000 * (settings.search.simulations + _GAME_OVERHEAD)
    return float(settings.selfplay.games * per_game)


def cost(recipe: Recipe) -> float:
    """Return about how many seconds of one core a run takes."""
    settings = recipe.settings
    if recipe.method == "alphazero":
        positions = settings.selfplay.games * (settings.search.simulations + _LEARNING_OVERHEAD)
        return float(settings.iterations * positions * _NETWORK_SECONDS)
    setup, seconds = _SECONDS[recipe.name.rpartition("/")[2]]
    iteration = settings.selfplay.seconds or seconds_of_self_play(recipe)
    grading = settings.truth.games * seconds / 250_000 / settings.truth.every
    return float(setup + settings.iterations * (iteration + grading))
