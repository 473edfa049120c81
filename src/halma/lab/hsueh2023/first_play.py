"""Sections VII and VIII: first-play urgency, with a table and a network; trials of figure 25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from halma.errors import HalmaError
from halma.games import game
from halma.lab.hsueh2023.figures import (
    CURVES,
    ERRORS,
    along,
    axis_figure,
    by_fpu,
    by_variant,
    curve,
)
from halma.lab.hsueh2023.runs import (
    NEAR,
    NO_RUN,
    Claims,
    VariantRuns,
    agree,
    listed,
    listed_by_fpu,
    percent,
    short,
    span,
)
from halma.lab.hsueh2023.settings import (
    ALL_VARIANTS,
    CS,
    DEFAULT_FPU,
    FPU,
    MAIN_VARIANTS,
    NETWORK,
    WATCHED_POSITION,
    Planner,
    write_fraction,
)
from halma.lab.hsueh2023.training import TrainingFigure
from halma.lab.plots import PlotLine, PlotPanel
from halma.lab.report import Claim
from halma.learn import Recipe
from halma.learn.reports.events import Metrics

#: WR_p with 6 simulations in figure 20; the paper has "about" for those of `_ABOUT`.
SIX_SIMULATIONS = {
    "ewn-3x3-3": {"loss": 0.1062, "draw": 0.4305, "win": 0.34, "infinite": 0.34},
    "cdc-2x4-PPPP": {"loss": 0.0190, "draw": 0.1672, "win": 0.05, "infinite": 0.05},
}
_ABOUT = ("win", "infinite")
#: The numbers of simulations of figure 21; the paper does not say which it selected.
CURVES_OF = (6, 25, 100)
#: The exact values of figure 22's moves.
WATCHED_VALUES = {"b1-c2": 0.827, "b1-b2": 0.193, "b1-c1": 0.144}
#: Figure 24: its variant and its axes. The paper only mentions ε, which has a third panel here.
NETWORK_VARIANT = "cdc-2x4-PPPP"
_NETWORK_AXES = ("simulations", "c", "epsilon")
_NETWORK_STYLE = partial(along, columns=len(_NETWORK_AXES), legend="initial W/N")
#: What counts as close to 50% with a network, and in reduced runs as on the way there.
_NEAR_HALF, _PROMISING = 0.48, 0.4
#: Share of the WR_p of the usual setting that counts as close to it.
_CLOSE = 0.85


def claims_fig20(runs: VariantRuns) -> Claims:
    """First-play urgency matters where simulations are few."""
    for fpu, value in SIX_SIMULATIONS.get(runs.variant, {}).items():
        what = f"6 simulations, initial W/N {FPU[fpu]}"
        yield runs.stated((fpu, 6), what, value, "about " if fpu in _ABOUT else "")
    six = runs.by_fpu(6)
    if len(six) == len(FPU):
        what, paper = "6 simulations, from the worst to the best", "+0, then +1 and +∞, then +0.5"
        ours = ", ".join(FPU[fpu] for fpu in sorted(six, key=lambda fpu: six[fpu]))
        yield Claim(what, paper, ours, _loss_to_draw(six))
    yield from _similar_with_many(runs)


def _loss_to_draw(values: Mapping[str, float]) -> str:
    """Return the remark that +0 is the worst and +0.5 the best."""
    worst, best = (choose(values, key=lambda fpu: values[fpu]) for choose in (min, max))
    return agree((worst, best) == ("loss", "draw"))


def _similar_with_many(runs: VariantRuns) -> Claims:
    values = runs.by_fpu(100).values()
    if len(values) == len(FPU):
        similar = max(values) - min(values) < (0.03 if runs.full else 0.1)
        paper = '"did not differ too much, and all were close to 50%"'
        yield Claim("100 simulations, all initial W/N", paper, span(values), agree(similar))


def _panels_fig21(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
    """A row for each variant, a panel for each number of simulations."""
    return [
        PlotPanel(
            f"{one.name}, N_sim = {n}",
            [curve(one, (fpu, n), name) for fpu, name in FPU.items() if (fpu, n) in one.labels],
        )
        for one in runs
        for n in CURVES_OF
    ]


def claims_fig21(runs: VariantRuns) -> Claims:
    """The same during training."""
    early = {fpu: runs.early_mean((fpu, 6)) for fpu in runs.by_fpu(6)}
    if early:
        what, paper = "6 simulations, mean WR_p of the first half", "+0.5 best, +0 worst"
        yield Claim(what, paper, listed_by_fpu(early), _loss_to_draw(early))
    yield from _similar_with_many(runs)


def _panels_fig22(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
    """The policy of the watched position by iteration, a panel for each run."""
    panels = []
    for one in runs:
        for (n, fpu), metrics in one.metrics.items():
            x = [entry["iteration"] for entry in metrics]
            policies = [watched_policy(entry) for entry in metrics]
            moves = policies[0] if policies else ()
            lines = [PlotLine(m, x, [policy.get(m, 0.0) for policy in policies]) for m in moves]
            panels.append(PlotPanel(f"{one.name}, N_sim = {n}, initial W/N {FPU[fpu]}", lines))
    return panels


def watched_policy(metrics: Metrics) -> dict[str, float]:
    """Return the policy of the watched position after an iteration."""
    policies = [watched["policy"] for watched in metrics.get("watched") or ()]
    if not policies or not policies[0].keys() >= WATCHED_VALUES.keys():
        raise HalmaError("A run of figure 22 has no policy of the position that it watches.")
    found: dict[str, float] = policies[0]
    return found


def claims_fig22(runs: VariantRuns) -> Claims:
    """Which move the policy of one position learns."""
    exact = exact_watched_values()
    paper = ", ".join(f"{value:.3f}" for value in WATCHED_VALUES.values())
    ours = ", ".join(f"{exact[move]:.3f}" for move in WATCHED_VALUES)
    agrees = all(abs(exact[move] - value) < 0.001 for move, value in WATCHED_VALUES.items())
    yield Claim("theoretical values of b1-c2, b1-b2, b1-c1", paper, ours, agree(agrees))
    for (n, fpu), metrics in runs.metrics.items():
        what = f"N_sim = {n}, initial W/N {FPU[fpu]}: last policy"
        fails = (n, fpu) == (6, "loss")
        claim = '"almost all to ↓" (b1-c1), the worst' if fails else "b1-c2 almost 100%"
        if not metrics:
            yield Claim(what, claim, NO_RUN)
            continue
        policy = watched_policy(metrics[-1])
        is_best = policy["b1-c2"] > 0.5
        remark = agree(is_best != fails)
        if is_best and fails:
            remark += " with this seed: the first move tried takes all, here the best by chance"
        ours = ", ".join(f"{move} {percent(policy[move])}" for move in WATCHED_VALUES)
        yield Claim(what, claim, ours, remark)


def exact_watched_values() -> dict[str, float]:
    """Return the exact values of the moves in figure 22's position."""
    from halma.learn.truth import find_solution

    solution = find_solution(game("ewn-3x3-3"))
    moves = solution.moves(solution.game.position(WATCHED_POSITION))
    return {move.move.text: float(move.value) for move in moves}


def claims_fig23(runs: VariantRuns) -> Claims:
    """A low c_puct fails with +0 only."""
    for c in sorted({c for _, c in runs.labels if c <= 1 / 16}):
        values = runs.by_fpu(c)
        others = [value for fpu, value in values.items() if fpu != DEFAULT_FPU]
        if DEFAULT_FPU in values and others:
            paper = '"+0 was the worst and the remaining three were all close to 50%"'
            agrees = values[DEFAULT_FPU] < min(others) and runs.is_close(others)
            what = f"c_puct = {write_fraction(c)}"
            yield Claim(what, paper, listed_by_fpu(values), agree(agrees))


def plan_fig24(planner: Planner, variant: str) -> dict[tuple[str, str, float], Recipe]:
    """Return the runs with a network by axis, first-play urgency and value."""
    return {
        (axis, fpu, x): recipe
        for axis in planner.scale(NETWORK).axes
        for (fpu, x), recipe in planner.by_fpu(NETWORK, axis).items()
    }


def _panels_fig24(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
    (one,) = runs
    title = f"{one.name} with a network"
    return [PlotPanel(title, by_fpu(one, axis), _NETWORK_STYLE(axis)) for axis in _NETWORK_AXES]


def claims_fig24(runs: VariantRuns) -> Claims:
    """The paper finds the same as with tables."""
    few = runs.by_fpu(6, "simulations")
    if len(few) == len(FPU):
        what, paper = "6 simulations, by initial W/N", "as with tables: +0 fails, +0.5 is best"
        yield Claim(what, paper, listed_by_fpu(few), _loss_to_draw(few))
    low, usual = runs.by_fpu(CS[0], "c"), runs.value(("c", DEFAULT_FPU, 1.0))
    if len(low) == len(FPU) and usual is not None:
        fail = [fpu for fpu, value in low.items() if value < _CLOSE * usual]
        what, paper = "c_puct = 1/64, by initial W/N", "as with tables: +0 fails, the others do not"
        yield Claim(what, paper, listed_by_fpu(low), agree(fail == [DEFAULT_FPU]))
    noise = runs.values(sorted(label for label in runs.labels if label[0] == "epsilon"))
    if noise:
        ours = listed(noise, percent, lambda label: f"ε = {label[-1]:g}")
        paper = "close to 50% for ε ≥ 0.15; unstable below, e.g. 42.0%"
        yield Claim("noise at the root", paper, ours)
    most = max(runs.planner.scale(NETWORK).axes["simulations"])
    label = ("simulations", DEFAULT_FPU, most)
    value = runs.value(label)
    if value is not None:
        what = f"{most:,g} simulations, initial W/N +0"
        close = _NEAR_HALF if runs.full else _PROMISING
        yield Claim(what, "close to 50%", runs.with_interval(label), agree(value >= close))


def _trial_curves(runs: VariantRuns) -> list[PlotLine]:
    return [curve(runs, seed, f"trial {number}") for number, seed in enumerate(runs.labels, 1)]


def claims_fig25(runs: VariantRuns) -> Claims:
    """Trials of the default setting are alike."""
    values = runs.values().values()
    if not values:
        yield Claim("last WR_p", "", NO_RUN)
        return
    mean = sum(values) / len(values)
    remark = agree(abs(mean - 0.5) <= NEAR) if runs.full else ""
    what = f"last WR_p, mean of all trials ({len(values)})"
    yield Claim(what, "close to 50%", percent(mean), remark)
    if len(values) > 1:
        spread = max(values) - min(values)
        what, paper = "last WR_p of each trial", '"the differences were very limited"'
        ours = f"{', '.join(map(percent, values))}; {100 * spread:.2f} points apart"
        yield Claim(what, paper, ours, agree(spread < 0.03))
    for key, title in ERRORS.items():
        yield Claim(f"{title} of the trials", "", span(runs.values(key=key).values(), short))


EXPERIMENTS = (
    axis_figure(20, "fpu", "simulations", claims_fig20),
    TrainingFigure(
        name="fig21",
        title="Figure 21: training with different first-play urgencies",
        variants=MAIN_VARIANTS,
        plan=partial(Planner.by_fpu, axis="simulations"),
        panels=_panels_fig21,
        style=replace(CURVES, columns=len(CURVES_OF), size=(3.6, 2.8), legend="initial W/N"),
        claims=claims_fig21,
        caption="WR_p during training for four first-play urgencies",
        text="The paper does not say which N_sim it selected for this figure.",
    ),
    TrainingFigure(
        name="fig22",
        title="Figure 22: how one policy is learned",
        variants=("ewn-3x3-3",),
        fixed_variants=True,
        plan=Planner.watched,
        panels=_panels_fig22,
        style=replace(
            CURVES, ylabel="probability", ylim=(0.0, 1.0), level=None, columns=3, size=(3.9, 2.9)
        ),
        claims=claims_fig22,
        caption="The policy of this position during training",
        text="The paper calls b1-c2 the diagonal move, b1-b2 → and b1-c1 ↓.",
        position=WATCHED_POSITION,
        always_full=True,
    ),
    axis_figure(23, "fpu", "c", claims_fig23),
    TrainingFigure(
        name="fig24",
        title="Figure 24: a network in place of the table",
        libraries=("matplotlib", "torch", "onnx"),
        # It takes longer than all the others.
        group="",
        variants=(NETWORK_VARIANT,),
        fixed_variants=True,
        recipe=NETWORK,
        plan=plan_fig24,
        panels=_panels_fig24,
        style=_NETWORK_STYLE("c"),
        claims=claims_fig24,
        caption="Last WR_p with its 95% interval, by N_sim, c_puct and ε, for four first-play "
        "urgencies",
    ),
    TrainingFigure(
        name="fig25",
        title="Figure 25: trials of the default setting",
        variants=ALL_VARIANTS,
        plan=Planner.trials,
        panels=by_variant(_trial_curves),
        style=CURVES,
        claims=claims_fig25,
        caption="WR_p during training with different seeds",
    ),
)
