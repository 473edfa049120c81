"""Section VI: the number of simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halma.lab.hsueh2023.axis_figure import axis_figure
from halma.lab.hsueh2023.claims import (
    NO_RUN,
    Claims,
    agree,
    all_close,
    is_falling,
    is_rising,
    listed,
    percent,
    span,
    stated,
    with_interval,
)
from halma.lab.hsueh2023.figures import ERRORS, style_along
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import MAIN_VARIANTS, Planner
from halma.lab.hsueh2023.training import TrainingFigure
from halma.lab.plots import PlotLine, PlotPanel
from halma.lab.report import Claim
from halma.learn import Recipe

#: Footnote 10: its variant, the label of its second run, and WR_p of both.
FEW_VARIANT, FEW = "cdc-2x4-PPPP", "few"
FOOTNOTE = (0.501, 0.417)
#: N_sim that "could already learn approximately optimal play".
ENOUGH = {"ewn-3x3-3": 25, "cdc-2x4-PPPP": 50}


def claims_fig14(runs: VariantRuns) -> Claims:
    """More simulations learn faster."""
    early = {n: runs.early_mean(n) for n in runs.labels}
    yield Claim(
        "mean WR_p of the first half, by N_sim",
        '"with higher N_sim, the curves grew more drastically"',
        listed(early, percent),
        agree(is_rising(early.values(), 0.1)),
    )


def _plan_fig15(planner: Planner, variant: str) -> Mapping[Any, Recipe]:
    runs: dict[Any, Recipe] = {**planner.along(variant, "simulations")}
    if variant == FEW_VARIANT:
        runs[FEW] = planner.few_iterations(variant)
    return runs


def claims_fig15(runs: VariantRuns) -> Claims:
    """How many simulations are enough; many of them in few iterations learn less."""
    labels = [n for n in runs.labels if n != FEW]
    enough = ENOUGH.get(runs.variant, 100)
    values = runs.values(n for n in labels if n >= enough)
    yield Claim(
        f"{enough} simulations or more",
        '"approximately optimal play"',
        span(values.values()),
        all_close(runs, values),
    )
    if 6 in labels:
        best = max(runs.values(n for n in labels if n > 6).values(), default=0)
        fails = agree((runs.value(6) or 0) < 0.6 * best)
        yield Claim("6 simulations", '"failed"', with_interval(runs, 6), fails)
    if runs.variant == FEW_VARIANT:
        default = runs.planner.run(runs.variant).settings
        usual = default.search.simulations
        simulations, iterations = runs.planner.scale(runs.variant).few_iterations
        yield stated(
            runs,
            usual,
            f"{usual:,} simulations, {default.iterations} iterations",
            FOOTNOTE[0],
            "800 simulations, 300 iterations: ",
        )
        yield stated(
            runs,
            FEW,
            f"{simulations:,} simulations, {iterations} iterations",
            FOOTNOTE[1],
            "25,600 simulations, 13 iterations: ",
        )


def _games_panel(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
    lines = [
        PlotLine(one.name, one.labels, [one.mean_games(n) for n in one.labels]) for one in runs
    ]
    return [PlotPanel("equal self-play time", lines)]


def claims_fig16(runs: VariantRuns) -> Claims:
    """The number of games at equal self-play time."""
    games = {n: runs.mean_games(n) for n in runs.labels}
    yield Claim(
        "games an iteration, by N_sim",
        "fall as N_sim rises; about 40 with 25,600",
        listed(games, "{:,.0f}".format, "{:,}".format),
        agree(is_falling(games.values())),
    )


def claims_fig17(runs: VariantRuns) -> Claims:
    """A moderate number of simulations is best at equal self-play time."""
    values = runs.values()
    if not values:
        yield Claim("last WR_p", "", NO_RUN)
        return
    best = max(values, key=lambda n: values[n])
    moderate = max((value for n, value in values.items() if 50 <= n <= 400), default=-1.0)
    yield Claim(
        "last WR_p, by N_sim",
        '"N_sim between 50 and 400 seemed promising"',
        listed(values, percent, "{:,}".format),
        # Two points are within chance.
        agree(moderate >= values[best] - 0.02) + f"; best with {best:,}",
    )
    if 6 in values:
        yield Claim(
            "6 simulations, with more games",
            '"still failed to learn"',
            with_interval(runs, 6),
            agree(values[6] < 0.6 * values[best]),
        )


def claims_fig18(runs: VariantRuns) -> Claims:
    """More simulations make smaller errors."""
    for key, title in ERRORS.items():
        values = runs.values(key=key)
        ends = [*values.values()] or [0.0]
        yield Claim(
            f"{title}, by N_sim",
            '"generally decreased as N_sim increased"',
            listed(values),
            agree(ends[-1] < ends[0] * (0.5 if runs.full else 1.0)),
        )


def claims_fig19(runs: VariantRuns) -> Claims:
    """More simulations update fewer positions."""
    seen = runs.values((n for n in runs.labels if n >= 100), "updated_1")
    yield Claim(
        "positions updated with 100 simulations or more",
        '"steadily decreased as N_sim increased"',
        listed(seen),
        agree(is_falling(seen.values())),
    )


EXPERIMENTS = (
    axis_figure(
        14,
        "curves",
        "simulations",
        claims_fig14,
        caption="WR_p during training with different N_sim and equally many games",
    ),
    axis_figure(15, "last", "simulations", claims_fig15, plan=_plan_fig15),
    TrainingFigure(
        name="fig16",
        title="Figure 16: games at equal self-play time",
        variants=MAIN_VARIANTS,
        plan=Planner.timed,
        timed=True,
        panels=_games_panel,
        style=style_along("simulations", "games an iteration", yscale=10, size=(6, 3.6)),
        claims=claims_fig16,
        caption="Games an iteration has, by N_sim, when all have the same time for self-play",
    ),
    axis_figure(
        17,
        "curves",
        "simulations",
        claims_fig17,
        title="Figure 17: training at equal self-play time",
        plan=Planner.timed,
        timed=True,
        caption="WR_p during training with different N_sim and the same time for self-play",
    ),
    axis_figure(18, "errors", "simulations", claims_fig18),
    axis_figure(19, "updated", "simulations", claims_fig19),
)
