"""Section VII: the value of a move before its first visit; and trials of the default setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from halma.lab.hsueh2023.axis_figure import axis_figure
from halma.lab.hsueh2023.claims import (
    NEAR,
    NO_RUN,
    Claims,
    agree,
    is_close,
    listed,
    percent,
    short,
    span,
    stated,
)
from halma.lab.hsueh2023.figures import CURVES, ERRORS, by_variant, curve
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import (
    ALL_VARIANTS,
    DEFAULT_FPU,
    FPU,
    MAIN_VARIANTS,
    WATCHED_POSITION,
    Planner,
    write_fraction,
)
from halma.lab.hsueh2023.training import TrainingFigure
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle
from halma.lab.report import Claim

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


def claims_fig20(runs: VariantRuns) -> Claims:
    """First-play urgency matters where simulations are few."""
    for fpu, paper in SIX_SIMULATIONS.get(runs.variant, {}).items():
        what = f"6 simulations, initial W/N {FPU[fpu]}"
        yield stated(runs, (fpu, 6), what, paper, "about " if fpu in _ABOUT else "")
    six = runs.values((fpu, 6) for fpu in FPU)
    if len(six) == len(FPU):
        order = [fpu for fpu, _ in sorted(six, key=lambda label: six[label])]
        yield Claim(
            "6 simulations, from the worst to the best",
            "+0, then +1 and +∞, then +0.5",
            ", ".join(FPU[fpu] for fpu in order),
            agree(order[0] == "loss" and order[-1] == "draw"),
        )
    yield from _similar_with_many(runs)


def _similar_with_many(runs: VariantRuns) -> Claims:
    values = runs.values((fpu, 100) for fpu in FPU)
    if len(values) == len(FPU):
        spread = max(values.values()) - min(values.values())
        yield Claim(
            "100 simulations, all initial W/N",
            '"did not differ too much, and all were close to 50%"',
            span(values.values()),
            agree(spread < (0.03 if runs.full else 0.1)),
        )


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
    early = {fpu: runs.early_mean((fpu, 6)) for fpu in FPU if (fpu, 6) in runs.labels}
    if early:
        best, worst = (choose(early, key=lambda fpu: early[fpu]) for choose in (max, min))
        yield Claim(
            "6 simulations, mean WR_p of the first half",
            "+0.5 best, +0 worst",
            listed(early, percent, FPU.__getitem__),
            agree((best, worst) == ("draw", "loss")),
        )
    yield from _similar_with_many(runs)


def _panels_fig22(runs: Sequence[VariantRuns]) -> list[PlotPanel]:
    """The policy of the watched position by iteration, a panel for each run."""
    panels = []
    for one in runs:
        for (n, fpu), metrics in one.metrics.items():
            x = [entry["iteration"] for entry in metrics]
            policies = [entry["watched"][0]["policy"] for entry in metrics]
            moves = policies[0] if policies else ()
            lines = [PlotLine(move, x, [policy[move] for policy in policies]) for move in moves]
            panels.append(PlotPanel(f"{one.name}, N_sim = {n}, initial W/N {FPU[fpu]}", lines))
    return panels


def claims_fig22(runs: VariantRuns) -> Claims:
    """Which move the policy of one position learns."""
    exact = exact_watched_values()
    yield Claim(
        "theoretical values of b1-c2, b1-b2, b1-c1",
        ", ".join(f"{value:.3f}" for value in WATCHED_VALUES.values()),
        ", ".join(f"{exact[move]:.3f}" for move in WATCHED_VALUES),
        agree(all(abs(exact[move] - value) < 0.001 for move, value in WATCHED_VALUES.items())),
    )
    for (n, fpu), metrics in runs.metrics.items():
        what = f"N_sim = {n}, initial W/N {FPU[fpu]}: last policy"
        fails = (n, fpu) == (6, "loss")
        claim = '"almost all to ↓" (b1-c1), the worst' if fails else "b1-c2 almost 100%"
        if not metrics:
            yield Claim(what, claim, NO_RUN)
            continue
        policy = metrics[-1]["watched"][0]["policy"]
        is_best = policy["b1-c2"] > 0.5
        remark = agree(is_best != fails)
        if is_best and fails:
            remark += " with this seed: the first move tried takes all, here the best by chance"
        ours = ", ".join(f"{move} {percent(policy[move])}" for move in WATCHED_VALUES)
        yield Claim(what, claim, ours, remark)


def exact_watched_values() -> dict[str, float]:
    """Return the exact values of the moves in figure 22's position."""
    from halma.games import game
    from halma.learn.truth import find_solution

    solution = find_solution(game("ewn-3x3-3"))
    moves = solution.moves(solution.game.position(WATCHED_POSITION))
    return {move.move.text: float(move.value) for move in moves}


def _watched_position() -> dict[str, str]:
    from halma.games import game

    return {"fig22-position.svg": game("ewn-3x3-3").position(WATCHED_POSITION).svg(size=220)}


def claims_fig23(runs: VariantRuns) -> Claims:
    """A low c_puct fails with +0 only."""
    for c in sorted({c for _, c in runs.labels if c <= 1 / 16}):
        values = {fpu: value for (fpu, _), value in runs.values((f, c) for f in FPU).items()}
        others = [value for fpu, value in values.items() if fpu != DEFAULT_FPU]
        if DEFAULT_FPU in values and others:
            yield Claim(
                f"c_puct = {write_fraction(c)}",
                '"+0 was the worst and the remaining three were all close to 50%"',
                listed(values, percent, FPU.__getitem__),
                agree(values[DEFAULT_FPU] < min(others) and is_close(runs, others)),
            )


def _trial_curves(runs: VariantRuns) -> list[PlotLine]:
    return [curve(runs, seed, f"trial {number}") for number, seed in enumerate(runs.labels, 1)]


def claims_fig25(runs: VariantRuns) -> Claims:
    """Trials of the default setting are alike."""
    values = runs.values()
    if not values:
        yield Claim("last WR_p", "", NO_RUN)
        return
    mean = sum(values.values()) / len(values)
    yield Claim(
        f"last WR_p, mean of all trials ({len(values)})",
        "close to 50%",
        percent(mean),
        agree(abs(mean - 0.5) <= NEAR) if runs.full else "",
    )
    if len(values) > 1:
        spread = max(values.values()) - min(values.values())
        yield Claim(
            "last WR_p of each trial",
            '"the differences were very limited"',
            f"{', '.join(map(percent, values.values()))}; {100 * spread:.2f} points apart",
            agree(spread < 0.03),
        )
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
        style=PlotStyle(
            "iteration",
            "probability",
            columns=3,
            percent=True,
            ylim=(0.0, 1.0),
            marked=False,
            shared_legend=True,
            size=(3.9, 2.9),
        ),
        claims=claims_fig22,
        caption="The policy of this position during training",
        text="The paper calls b1-c2 the diagonal move, b1-b2 → and b1-c1 ↓.",
        images=_watched_position,
        always_full=True,
    ),
    axis_figure(23, "fpu", "c", claims_fig23),
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
