"""Section VIII: a network in place of the table, graded by the same exact solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halma.lab.hsueh2023.claims import Claims, agree, listed, percent, with_interval
from halma.lab.hsueh2023.figures import by_fpu, win_rate_style
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import (
    AXES,
    CS,
    DEFAULT_FPU,
    EPSILONS,
    FPU,
    FPU_KEY,
    FPU_SIMULATIONS,
    Planner,
    Scale,
)
from halma.lab.hsueh2023.training import TrainingFigure
from halma.lab.plots import PlotPanel, PlotStyle
from halma.lab.report import Claim
from halma.lab.run_store import base_recipe
from halma.learn import Recipe
from halma.learn.settings import Plain

VARIANT = "cdc-2x4-PPPP"
#: What counts as close to 50%, and in reduced runs as on the way there.
_NEAR_HALF, _PROMISING = 0.48, 0.4
#: Share of the WR_p of the usual setting that counts as close to it.
_CLOSE = 0.85
#: The noise from which on learning was stable.
STABLE_EPSILON = 0.15


def _changes(iterations: int, games: int, grade_games: int) -> dict[str, Plain]:
    return {
        "iterations": iterations,
        "selfplay.games": games,
        "selfplay.parallel_games": games,
        "truth.every": iterations,
        "truth.games": grade_games,
    }


FULL = Scale(
    _changes(iterations=50, games=1000, grade_games=10_000),
    axes={"simulations": FPU_SIMULATIONS, "c": CS, "epsilon": EPSILONS},
    fpu_axes={"simulations": FPU_SIMULATIONS, "c": CS},
)
QUICK = Scale(
    {
        **_changes(iterations=16, games=200, grade_games=2000),
        "network": "hsueh2023:filters=32",
        "search.simulations": 50,
    },
    axes={"simulations": (6, 25, 100), "c": (CS[0], 1.0, CS[-1]), "epsilon": (0.0, 0.25)},
    fpu_axes={"simulations": (6, 25), "c": (CS[0],)},
)


def _scale(planner: Planner) -> Scale:
    return FULL if planner.full else QUICK


def _run(planner: Planner, changes: Mapping[str, Plain]) -> Recipe:
    fixed = {**_scale(planner).changes, "seed": planner.seed}
    return base_recipe(f"hsueh2023/net-{VARIANT}").changed({**fixed, **changes})


def plan(planner: Planner, variant: str = VARIANT) -> dict[tuple[str, str, float], Recipe]:
    """Return the runs by axis, first-play urgency and value."""
    scale = _scale(planner)
    return {
        (axis, fpu, x): _run(planner, {AXES[axis].key: x, FPU_KEY: fpu})
        for fpu in FPU
        for axis, values in (scale.axes if fpu == DEFAULT_FPU else scale.fpu_axes).items()
        for x in values
    }


def _panels(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
    """WR_p by N_sim and by c_puct as in figure 24, and by ε, which the paper only mentions."""
    (one,) = runs
    return [
        PlotPanel(f"{one.name} with a network", by_fpu(one, axis), _style(axis))
        for axis in FULL.axes
    ]


def _style(axis: str) -> PlotStyle:
    return win_rate_style(axis, columns=len(FULL.axes), legend="initial W/N")


def claims(runs: VariantRuns) -> Claims:
    """The paper finds the same as with tables."""
    few = _by_fpu(runs, "simulations", 6)
    if len(few) == len(FPU):
        order = sorted(few, key=lambda fpu: few[fpu])
        yield Claim(
            "6 simulations, by initial W/N",
            "as with tables: +0 fails, +0.5 is best",
            _listed(few),
            agree((order[0], order[-1]) == ("loss", "draw")),
        )
    low, usual = _by_fpu(runs, "c", CS[0]), runs.value(("c", DEFAULT_FPU, 1.0))
    if len(low) == len(FPU) and usual is not None:
        close = {fpu: value >= _CLOSE * usual for fpu, value in low.items()}
        yield Claim(
            "c_puct = 1/64, by initial W/N",
            "as with tables: +0 fails, the others do not",
            _listed(low),
            agree(all(close[fpu] == (fpu != DEFAULT_FPU) for fpu in FPU)),
        )
    noise = runs.values(sorted(label for label in runs.labels if label[0] == "epsilon"))
    if noise:
        yield Claim(
            "noise at the root",
            f"close to 50% for ε ≥ {STABLE_EPSILON:g}; unstable below, e.g. 42.0%",
            listed(noise, percent, lambda label: f"ε = {label[-1]:g}"),
        )
    most = max(_scale(runs.planner).axes["simulations"])
    value = runs.value(("simulations", DEFAULT_FPU, most))
    if value is not None:
        yield Claim(
            f"{most:,g} simulations, initial W/N +0",
            "close to 50%",
            with_interval(runs, ("simulations", DEFAULT_FPU, most)),
            agree(value >= (_NEAR_HALF if runs.full else _PROMISING)),
        )


def _by_fpu(runs: VariantRuns, axis: str, x: float) -> dict[str, float]:
    values = runs.values((axis, fpu, x) for fpu in FPU)
    return {fpu: value for (_, fpu, _), value in values.items()}


def _listed(values: Mapping[str, float]) -> str:
    return listed(values, percent, FPU.__getitem__)


class NetworkFigure(TrainingFigure):
    """Runs with a network, which are graded once, at their end."""

    def describe(self, planner: Planner, variant: str) -> str:
        """Return how long the runs are, and their network."""
        settings = _run(planner, {}).settings
        return (
            f"{settings.iterations} iterations of {settings.selfplay.games:,} games with "
            f"{settings.search.simulations} simulations and the network {settings.network}, "
            f"graded at the end by {settings.truth.games:,} games"
        )


EXPERIMENTS = (
    NetworkFigure(
        name="fig24",
        title="Figure 24: a network in place of the table",
        # It needs torch, and longer than all the others.
        group="",
        variants=(VARIANT,),
        fixed_variants=True,
        plan=plan,
        panels=_panels,
        style=_style("c"),
        claims=claims,
        caption="Last WR_p with its 95% interval, by N_sim, c_puct and ε, for four first-play "
        "urgencies",
    ),
)
