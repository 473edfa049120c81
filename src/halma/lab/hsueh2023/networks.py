"""Section VIII: a network in place of the table, graded by the same exact solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halma.lab.hsueh2023.claims import Claims, agree, listed, percent, with_interval
from halma.lab.hsueh2023.figures import by_fpu, win_rate_style
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import CS, DEFAULT_FPU, FPU, NETWORK, Planner, describe_run
from halma.lab.hsueh2023.training import TrainingFigure
from halma.lab.plots import PlotPanel, PlotStyle
from halma.lab.report import Claim
from halma.learn import Recipe

VARIANT = "cdc-2x4-PPPP"
_AXES = ("simulations", "c", "epsilon")
#: What counts as close to 50%, and in reduced runs as on the way there.
_NEAR_HALF, _PROMISING = 0.48, 0.4
#: Share of the WR_p of the usual setting that counts as close to it.
_CLOSE = 0.85
#: The noise from which on learning was stable.
STABLE_EPSILON = 0.15


def plan(planner: Planner, variant: str) -> dict[tuple[str, str, float], Recipe]:
    """Return the runs by axis, first-play urgency and value."""
    return {
        (axis, fpu, x): recipe
        for axis in planner.scale(NETWORK).axes
        for (fpu, x), recipe in planner.by_fpu(NETWORK, axis).items()
    }


def _panels(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
    """WR_p by N_sim and by c_puct as in figure 24, and by ε, which the paper only mentions."""
    (one,) = runs
    return [
        PlotPanel(f"{one.name} with a network", by_fpu(one, axis), _style(axis)) for axis in _AXES
    ]


def _style(axis: str) -> PlotStyle:
    return win_rate_style(axis, columns=len(_AXES), legend="initial W/N")


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
    most = max(runs.planner.scale(NETWORK).axes["simulations"])
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
        return describe_run(planner.run(NETWORK))


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
