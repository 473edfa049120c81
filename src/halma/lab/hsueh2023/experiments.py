"""The experiments of hsueh2023: which runs, how they are drawn, what is said about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from halma.lab.hsueh2023 import claims as claims
from halma.lab.hsueh2023 import figures as figures
from halma.lab.hsueh2023 import further as further
from halma.lab.hsueh2023 import networks as networks
from halma.lab.hsueh2023 import table1 as table1
from halma.lab.hsueh2023.figures import ERRORS, UPDATED, Found
from halma.lab.hsueh2023.plan import TWO, UNTRIED, VARIANTS, Planner
from halma.lab.report import Row
from halma.lab.runs import Store
from halma.learn import Recipe

SIX = tuple(VARIANTS)


class Context:
    """Where the runs of one call come from."""

    def __init__(self, planner: Planner, store: Store) -> None:
        self.planner = planner
        self.store = store

    def self_play_seconds(self, variant: str) -> float | None:
        """Return T_self: what an iteration of the default setting takes to play, on average.

        It is known once that run is finished.
        """
        default = self.planner.run(variant)
        if not self.store.is_finished(default):
            return None
        metrics = self.store.metrics(default)
        return float(f"{sum(line['play_seconds'] for line in metrics) / len(metrics):.3g}")


Plan = Callable[[Context, str], Mapping[Any, Recipe]]


@dataclass(frozen=True)
class Experiment:
    """One figure: which runs, how they are drawn, what the paper says about them."""

    title: str
    variants: Sequence[str]
    plan: Plan
    draw: figures.Draw
    rows: Callable[[Found], list[Row]]
    caption: str
    #: prose above the table
    text: str = ""
    #: the default runs must have been run before the plan is known
    timed: bool = False
    #: runs are as long as the paper's even in the quick form
    never_reduced: bool = False
    #: how its runs are sized, where they are not the tables'
    describe: Callable[[bool], str] | None = None
    #: pictures besides the plotted one: name of the file -> its text, SVG
    extra: Callable[[], Mapping[str, str]] = field(default=lambda: {})


def _by_untried(name: str) -> Plan:
    """Plan four lines, one for each value of untried moves."""

    def plan(context: Context, variant: str) -> dict[Any, Recipe]:
        make = getattr(context.planner, name)
        return {
            (untried, x): recipe
            for untried in UNTRIED
            for x, recipe in make(variant, untried).items()
        }

    return plan


def _with_few_iterations(context: Context, variant: str) -> dict[Any, Recipe]:
    runs: dict[Any, Recipe] = {**context.planner.by_simulations(variant)}
    if variant == claims.FEW_VARIANT:
        runs[claims.FEW] = context.planner.few_iterations(variant)
    return runs


def _timed(context: Context, variant: str) -> Mapping[Any, Recipe]:
    seconds = context.self_play_seconds(variant)
    return {} if seconds is None else context.planner.by_time(variant, seconds)


def _plan(name: str) -> Plan:
    def plan(context: Context, variant: str) -> Mapping[Any, Recipe]:
        found: Mapping[Any, Recipe] = getattr(context.planner, name)(variant)
        return found

    return plan


_C, _EPSILON, _ALPHA = _plan("by_c"), _plan("by_epsilon"), _plan("by_alpha")
_SIMULATIONS, _TRIALS = _plan("by_simulations"), _plan("trials")
_UNTRIED_SIMULATIONS = _by_untried("by_untried_simulations")
_UNTRIED_C = _by_untried("by_c")
_last_error = "ERR_p and MAE_v of the last iteration"
_updated = "Positions updated at least 1, 4 and 16 times during training"

EXPERIMENTS: dict[str, Experiment] = {
    "fig7": Experiment(
        "Figure 7: training with different c_puct",
        SIX,
        _C,
        figures.draw_curves("c", figures.CURVES_OF_C),
        claims.fig7,
        "WR_p during training with different c_puct",
    ),
    "fig8": Experiment(
        "Figure 8: last and highest WR_p with different c_puct",
        SIX,
        _C,
        figures.draw_last_and_max("c"),
        claims.fig8,
        "Last WR_p with its 95% interval, and the highest during training, by c_puct",
    ),
    "fig9": Experiment(
        "Figure 9: errors with different c_puct",
        TWO,
        _C,
        figures.draw_keys("c", ERRORS, "error"),
        claims.fig9,
        f"{_last_error}, by c_puct",
    ),
    "fig10": Experiment(
        "Figure 10: positions updated with different c_puct",
        TWO,
        _C,
        figures.draw_keys("c", UPDATED, "positions"),
        claims.fig10,
        f"{_updated}, by c_puct",
    ),
    "alpha": Experiment(
        "Section V-C: different α of Dirichlet noise",
        SIX,
        _ALPHA,
        figures.draw_last_and_max("alpha"),
        claims.alpha,
        "Last WR_p with its 95% interval, and the highest during training, by α",
        text="The paper leaves this figure out, as all α were alike.",
    ),
    "fig11": Experiment(
        "Figure 11: last and highest WR_p with different ε",
        SIX,
        _EPSILON,
        figures.draw_last_and_max("epsilon"),
        claims.fig11,
        "Last WR_p with its 95% interval, and the highest during training, by ε",
    ),
    "fig12": Experiment(
        "Figure 12: errors with different ε",
        TWO,
        _EPSILON,
        figures.draw_keys("epsilon", ERRORS, "error"),
        claims.fig12,
        f"{_last_error}, by ε",
    ),
    "fig13": Experiment(
        "Figure 13: positions updated with different ε",
        TWO,
        _EPSILON,
        figures.draw_keys("epsilon", UPDATED, "positions"),
        claims.fig13,
        f"{_updated}, by ε",
    ),
    "fig14": Experiment(
        "Figure 14: training with different N_sim",
        TWO,
        _SIMULATIONS,
        figures.draw_curves("simulations"),
        claims.fig14,
        "WR_p during training with different N_sim and equally many games",
    ),
    "fig15": Experiment(
        "Figure 15: last and highest WR_p with different N_sim",
        TWO,
        _with_few_iterations,
        figures.draw_last_and_max("simulations"),
        claims.fig15,
        "Last WR_p with its 95% interval, and the highest during training, by N_sim",
    ),
    "fig16": Experiment(
        "Figure 16: games at equal self-play time",
        TWO,
        _timed,
        figures.draw_games,
        claims.fig16,
        "Games an iteration has, by N_sim, when all have the same time for self-play",
        timed=True,
    ),
    "fig17": Experiment(
        "Figure 17: training at equal self-play time",
        TWO,
        _timed,
        figures.draw_curves("simulations"),
        claims.fig17,
        "WR_p during training with different N_sim and the same time for self-play",
        timed=True,
    ),
    "fig18": Experiment(
        "Figure 18: errors with different N_sim",
        TWO,
        _SIMULATIONS,
        figures.draw_keys("simulations", ERRORS, "error"),
        claims.fig18,
        f"{_last_error}, by N_sim",
    ),
    "fig19": Experiment(
        "Figure 19: positions updated with different N_sim",
        TWO,
        _SIMULATIONS,
        figures.draw_keys("simulations", UPDATED, "positions"),
        claims.fig19,
        f"{_updated}, by N_sim",
    ),
    "fig20": Experiment(
        "Figure 20: untried moves and N_sim",
        TWO,
        _UNTRIED_SIMULATIONS,
        figures.draw_by_untried("simulations"),
        claims.fig20,
        "Last WR_p with its 95% interval, by N_sim, for four values of untried moves",
    ),
    "fig21": Experiment(
        "Figure 21: training with different values of untried moves",
        TWO,
        _UNTRIED_SIMULATIONS,
        figures.draw_untried_curves,
        claims.fig21,
        "WR_p during training for four values of untried moves",
        text="The paper does not say which N_sim it selected for this figure.",
    ),
    "fig22": Experiment(
        "Figure 22: how one policy is learnt",
        TWO[:1],
        _plan("watched"),
        figures.draw_watched,
        claims.fig22,
        "The policy of this position during training",
        text="The paper calls b1-c2 the diagonal move, b1-b2 → and b1-c1 ↓.",
        extra=claims.watched_position,
        never_reduced=True,
    ),
    "fig23": Experiment(
        "Figure 23: untried moves and c_puct",
        TWO,
        _UNTRIED_C,
        figures.draw_by_untried("c"),
        claims.fig23,
        "Last WR_p with its 95% interval, by c_puct, for four values of untried moves",
    ),
    "fig24": Experiment(
        "Figure 24: a network in place of the table",
        (networks.VARIANT,),
        lambda context, _: networks.plan(context.planner.full, context.planner.seed),
        networks.draw,
        networks.rows,
        "Last WR_p with its 95% interval, by N_sim, c_puct and ε, for four values of untried moves",
        describe=networks.describe,
    ),
    "fig25": Experiment(
        "Figure 25: trials of the default setting",
        SIX,
        _TRIALS,
        figures.draw_trials,
        claims.fig25,
        "WR_p during training with different seeds",
    ),
}
#: Figures of the appendix that show the other four variants.
APPENDIX = {
    "fig26": "fig9",
    "fig27": "fig10",
    "fig28": "fig12",
    "fig29": "fig13",
    "fig30": "fig14",
    "fig31": "fig15",
    "fig32": "fig18",
    "fig33": "fig19",
    "fig34": "fig20",
    "fig35": "fig23",
}
#: Everything that can be asked for by name.
NAMES = ("table1", *EXPERIMENTS, "further", *APPENDIX)
#: Figure 24 is left to be asked for: it needs torch, and longer than all the others.
ALL = ("table1", *(name for name in EXPERIMENTS if name != "fig24"), "further")
#: Figures about one variant, whatever else is asked for.
OF_ONE_VARIANT = ("fig22", "fig24")
