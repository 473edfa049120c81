"""Sections V and VI: c_puct, the Dirichlet noise at the root, the number of simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halma.lab.hsueh2023.figures import ERRORS, along, axis_figure, curves
from halma.lab.hsueh2023.runs import (
    NO_RUN,
    Claims,
    VariantRuns,
    agree,
    listed,
    percent,
    short,
    span,
    trend,
)
from halma.lab.hsueh2023.settings import ALL_VARIANTS, CS, MAIN_VARIANTS, Planner, write_fraction
from halma.lab.hsueh2023.training import TrainingFigure
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle
from halma.lab.report import Claim
from halma.learn import Recipe

#: Figure 11: variants that learn well without noise.
LEARNS_WITHOUT_NOISE = ("ewn-3x3-3", "ewn-3x3-4")
#: Footnote 10: its variant, the label of its second run, and WR_p of both runs.
FEW_VARIANT, FEW = "cdc-2x4-PPPP", "few"
FOOTNOTE = {
    "800 simulations, 300 iterations: ": 0.501,
    "25,600 simulations, 13 iterations: ": 0.417,
}
#: N_sim that "could already learn approximately optimal play".
ENOUGH = {"ewn-3x3-3": 25, "cdc-2x4-PPPP": 50}


def claims_fig7(runs: VariantRuns) -> Claims:
    """All c_puct but the extremes learn; higher ones learn more slowly."""
    middle = [c for c in runs.labels if 0.5 <= c <= 4]
    yield runs.all_close(middle, "last WR_p but for the extreme ends", '"got close to 50%"')
    early = {c: runs.early_mean(c) for c in runs.labels if c >= 1}
    what, paper = "mean WR_p of the first half, by c_puct", '"higher c_puct tended to learn slower"'
    yield trend("falling", early, what, paper, percent, write_fraction, tolerance=0.1)


def claims_fig8(runs: VariantRuns) -> Claims:
    """c_puct between 1/2 and 4 is good everywhere."""
    good = runs.values(c for c in runs.labels if 0.5 <= c <= 4)
    yield runs.all_close(good, "c_puct from 1/2 to 4", '"WR_p close to 50%"')
    ends = [c for c in runs.labels if c in (CS[0], CS[-1])]
    for c, value in runs.values(ends).items():
        poor = agree(value < 0.8 * max(good.values())) if good and c not in good else ""
        yield Claim(f"c_puct = {write_fraction(c)}", "poor", runs.with_interval(c), poor)
    if good:
        gap = max(runs.highest(c) - value for c, value in good.items())
        what, paper = "from the last WR_p to the highest, at most", '"did not differ too much"'
        yield Claim(what, paper, f"{100 * gap:.2f} points", agree(gap < 0.03))


def claims_fig9(runs: VariantRuns) -> Claims:
    """Errors are high at both ends."""
    paper = '"for low and high values both went high"'
    for key, title in ERRORS.items():
        values = runs.values([*runs.labels[:1], 1.0, *runs.labels[-1:]], key).values()
        if len(values) == 3:
            first, middle, last = values
            what, ours = f"{title} at the lowest c_puct, at 1, at the highest", map(short, values)
            yield Claim(what, paper, ", ".join(ours), agree(first > middle < last))


def claims_fig10(runs: VariantRuns) -> Claims:
    """A higher c_puct updates more positions."""
    seen = runs.values((c for c in runs.labels if 1 / 8 <= c <= 8), "updated_1")
    what = "positions updated, c_puct from 1/8 to 8"
    paper = '"with a higher c_puct, the number went higher"'
    yield trend("rising", seen, what, paper, short, write_fraction)


def claims_alpha(runs: VariantRuns) -> Claims:
    """The shape of the noise hardly matters."""
    yield runs.all_close(runs.labels, "last WR_p over all α", '"all close to 50%"')
    errors = runs.values(key="err_p")
    yield Claim("ERR_p over all α", '"relatively low"', span(errors.values(), short))


def claims_fig11(runs: VariantRuns) -> Claims:
    """Any noise is enough; without noise only the two shortest games are learned."""
    noisy = runs.values(x for x in runs.labels if x > 0)
    yield runs.all_close(noisy, "last WR_p with ε from 0.1 to 0.5", '"close to 50%"')
    without = runs.value(0.0)
    if without is not None and noisy:
        expected = runs.variant in LEARNS_WITHOUT_NOISE
        paper = '"learned well"' if expected else '"relatively bad results"'
        learned = without >= min(noisy.values()) - 0.02
        yield Claim("ε = 0", paper, runs.with_interval(0.0), agree(learned == expected))


def claims_fig12(runs: VariantRuns) -> Claims:
    """Errors are low where there is noise."""
    for key, title in ERRORS.items():
        values = runs.values(key=key)
        without = values.pop(0.0, None)
        if without is None or not values:
            continue
        ours = span(values.values(), short)
        if runs.variant in LEARNS_WITHOUT_NOISE:
            yield Claim(f"{title} with ε > 0", '"relatively low"', ours)
        else:
            what = f"{title} with ε > 0, and without noise"
            paper = '"relatively low"; higher without'
            remark = agree(without > max(values.values()))
            yield Claim(what, paper, f"{ours}; {without:.4f}", remark)


def claims_fig13(runs: VariantRuns) -> Claims:
    """More noise updates more positions."""
    paper = '"the numbers increased as ε increased"'
    yield trend("rising", runs.values(key="updated_1"), "positions updated, by ε", paper)


def claims_fig14(runs: VariantRuns) -> Claims:
    """More simulations learn faster."""
    early = {n: runs.early_mean(n) for n in runs.labels}
    what = "mean WR_p of the first half, by N_sim"
    paper = '"with higher N_sim, the curves grew more drastically"'
    yield trend("rising", early, what, paper, percent, tolerance=0.1)


def _plan_fig15(planner: Planner, variant: str) -> Mapping[Any, Recipe]:
    runs: dict[Any, Recipe] = {**planner.along(variant, "simulations")}
    if variant == FEW_VARIANT:
        runs[FEW] = planner.few_iterations(variant)
    return runs


def claims_fig15(runs: VariantRuns) -> Claims:
    """How many simulations are enough; many of them in few iterations learn less."""
    values = runs.values(n for n in runs.labels if n != FEW)
    enough = ENOUGH.get(runs.variant, 100)
    many = [n for n in values if n >= enough]
    yield runs.all_close(many, f"{enough} simulations or more", '"approximately optimal play"')
    if 6 in values:
        best = max((value for n, value in values.items() if n > 6), default=0)
        fails = agree(values[6] < 0.6 * best)
        yield Claim("6 simulations", '"failed"', runs.with_interval(6), fails)
    if runs.variant == FEW_VARIANT:
        default = runs.planner.run(runs.variant).settings
        usual = default.search.simulations
        lengths = (usual, default.iterations), runs.planner.scale(runs.variant).few_iterations
        for label, (n, iterations), about in zip((usual, FEW), lengths, FOOTNOTE, strict=True):
            what = f"{n:,} simulations, {iterations} iterations"
            yield runs.stated(label, what, FOOTNOTE[about], about)


def _games_panel(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
    lines = [PlotLine(one.name, one.labels, [*map(one.mean_games, one.labels)]) for one in runs]
    return [PlotPanel("equal self-play time", lines)]


def claims_fig16(runs: VariantRuns) -> Claims:
    """The number of games at equal self-play time."""
    games = {n: runs.mean_games(n) for n in runs.labels}
    paper = "fall as N_sim rises; about 40 with 25,600"
    writers = "{:,.0f}".format, "{:,}".format
    yield trend("falling", games, "games an iteration, by N_sim", paper, *writers)


def claims_fig17(runs: VariantRuns) -> Claims:
    """A moderate number of simulations is best at equal self-play time."""
    values = runs.values()
    if not values:
        yield Claim("last WR_p", "", NO_RUN)
        return
    best = max(values, key=lambda n: values[n])
    moderate = max((value for n, value in values.items() if 50 <= n <= 400), default=-1.0)
    # Two points are within chance.
    remark = agree(moderate >= values[best] - 0.02) + f"; best with {best:,}"
    what, paper = "last WR_p, by N_sim", '"N_sim between 50 and 400 seemed promising"'
    yield Claim(what, paper, listed(values, percent, "{:,}".format), remark)
    if 6 in values:
        fails = agree(values[6] < 0.6 * values[best])
        what, paper = "6 simulations, with more games", '"still failed to learn"'
        yield Claim(what, paper, runs.with_interval(6), fails)


def claims_fig18(runs: VariantRuns) -> Claims:
    """More simulations make smaller errors."""
    paper = '"generally decreased as N_sim increased"'
    for key, title in ERRORS.items():
        values = runs.values(key=key)
        ends = [*values.values()] or [0.0]
        decreased = ends[-1] < ends[0] * (0.5 if runs.full else 1.0)
        yield Claim(f"{title}, by N_sim", paper, listed(values), agree(decreased))


def claims_fig19(runs: VariantRuns) -> Claims:
    """More simulations update fewer positions."""
    seen = runs.values((n for n in runs.labels if n >= 100), "updated_1")
    what = "positions updated with 100 simulations or more"
    yield trend("falling", seen, what, '"steadily decreased as N_sim increased"')


_ALPHA = {
    "name": "alpha",
    "title": "Section V-C: different α of Dirichlet noise",
    "variants": ALL_VARIANTS,
    "quick_variants": MAIN_VARIANTS,
    "text": "The paper leaves this figure out, as all α were alike.",
}
_FIG14 = {"caption": "WR_p during training with different N_sim and equally many games"}
_FIG17 = {
    "plan": Planner.timed,
    "timed": True,
    "title": "Figure 17: training at equal self-play time",
    "caption": "WR_p during training with different N_sim and the same time for self-play",
}

EXPERIMENTS = (
    axis_figure(7, "curves", "c", claims_fig7, variants=ALL_VARIANTS, panels=curves("c", CS[::2])),
    axis_figure(8, "last", "c", claims_fig8, variants=ALL_VARIANTS),
    axis_figure(9, "errors", "c", claims_fig9),
    axis_figure(10, "updated", "c", claims_fig10),
    axis_figure(0, "last", "alpha", claims_alpha, **_ALPHA),
    axis_figure(11, "last", "epsilon", claims_fig11, variants=ALL_VARIANTS),
    axis_figure(12, "errors", "epsilon", claims_fig12),
    axis_figure(13, "updated", "epsilon", claims_fig13),
    axis_figure(14, "curves", "simulations", claims_fig14, **_FIG14),
    axis_figure(15, "last", "simulations", claims_fig15, plan=_plan_fig15),
    TrainingFigure(
        name="fig16",
        title="Figure 16: games at equal self-play time",
        variants=MAIN_VARIANTS,
        plan=Planner.timed,
        timed=True,
        panels=_games_panel,
        style=along("simulations", PlotStyle("", "games an iteration", yscale=10, size=(6, 3.6))),
        claims=claims_fig16,
        caption="Games an iteration has, by N_sim, when all have the same time for self-play",
    ),
    axis_figure(17, "curves", "simulations", claims_fig17, **_FIG17),
    axis_figure(18, "errors", "simulations", claims_fig18),
    axis_figure(19, "updated", "simulations", claims_fig19),
)
