"""hsueh2023, "Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games", run again.

Every figure is a set of training runs (`hsueh2023_plan`), kept in a store that all figures
share, a picture (`hsueh2023_figures`) and a table of what the paper says beside what came out
(`hsueh2023_claims`). Table 1 needs no training; `further` asks what the paper leaves open.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from halma import __version__
from halma.errors import HalmaError, suggestion
from halma.lab import hsueh2023_claims as claims
from halma.lab import hsueh2023_figures as figures
from halma.lab import hsueh2023_further as further
from halma.lab import hsueh2023_networks as networks
from halma.lab import hsueh2023_table1 as table1
from halma.lab.hsueh2023_figures import ERRORS, UPDATED, Found
from halma.lab.hsueh2023_plan import FOUR, TWO, UNTRIED, VARIANTS, Planner, cost
from halma.lab.report import Figure, Report, Row, Section
from halma.lab.request import Request
from halma.lab.runs import Store, run_name
from halma.learn import Recipe

SIX = tuple(VARIANTS)
TITLE = "hsueh2023: Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games"


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
_OF_ONE_VARIANT = ("fig22", "fig24")


def reproduce(request: Request) -> Report:
    """Run the experiments that are asked for and write a page for each; return the last report.

    Runs are kept in `runs` of the folder, one directory for each setting, and are shared;
    pages are in `quick` or `full`.
    """
    names = _chosen(request.experiment or "all")
    planner = Planner(request.full, request.seed)
    context = Context(planner, Store(request.folder / "runs", request.adopt))
    pages = request.folder / ("full" if request.full else "quick")
    pages.mkdir(parents=True, exist_ok=True)
    variants = {name: _variants(name, request) for name in names}
    faults = {} if request.draw_only else _train(context, names, variants, request)
    reports = {}
    for name in names:
        report = _report(name, variants[name], context, pages, request, faults)
        page = _page(name, variants[name], request.full)
        report.write(pages, page)
        reports[page] = report
        request.note(f"{report.sections[0].title}: {pages / page}.html")
    if faults:
        request.note(f"{len(faults)} runs failed; the same command tries them again.")
    if len(reports) == 1:
        return report
    whole = _together(reports, request)
    whole.write(pages, "index")
    return whole


def _chosen(name: str) -> tuple[str, ...]:
    if name == "all":
        return ALL
    if name == "appendix":
        return tuple(APPENDIX)
    if name in NAMES:
        return (name,)
    known = (*NAMES, "default", "all", "appendix")
    raise HalmaError(
        f"hsueh2023 has no experiment '{name[:60]}'.{suggestion(name, known)} "
        f"There are {', '.join(known)}."
    )


def _definition(name: str) -> Experiment:
    return EXPERIMENTS[APPENDIX.get(name, name)]


def default_variants(name: str, full: bool) -> Sequence[str]:
    """Return the variants that a figure shows, in quick runs fewer where the paper has none."""
    if name in APPENDIX:
        return FOUR
    if name == "table1":
        return SIX
    if name == "further" or (name == "alpha" and not full):
        return TWO
    return _definition(name).variants


def _variants(name: str, request: Request) -> Sequence[str]:
    wanted = request.variants
    for variant in wanted:
        if variant not in VARIANTS:
            raise HalmaError(
                f"hsueh2023 has no variant '{variant[:60]}'.{suggestion(variant, VARIANTS)} "
                f"There are {', '.join(VARIANTS)}."
            )
    if name in _OF_ONE_VARIANT and wanted:
        (only,) = EXPERIMENTS[name].variants
        if only not in wanted and request.experiment == name:
            raise HalmaError(f"Figure {name.removeprefix('fig')} is about {only}.")
        return EXPERIMENTS[name].variants
    return wanted or default_variants(name, request.full)


def _page(name: str, variants: Sequence[str], full: bool) -> str:
    """Return what the files of an experiment are called; other variants are part of the name."""
    usual = tuple(variants) == tuple(default_variants(name, full))
    return name if usual else "-".join((name, *variants))


def _train(
    context: Context,
    names: Sequence[str],
    variants: Mapping[str, Sequence[str]],
    request: Request,
) -> dict[str, str]:
    """Train all runs: first those that are known, then those that need the time of others."""
    workers = request.workers or os.cpu_count() or 1
    first: list[Recipe] = []
    for name in names:
        for variant in variants[name]:
            if name == "further":
                first += context.planner.further(variant).values()
            elif name != "table1" and _definition(name).timed:
                first.append(context.planner.run(variant))
            elif name != "table1":
                first += _definition(name).plan(context, variant).values()
    faults = context.store.train_all(_only(request, first), workers, cost)
    later = [
        recipe
        for name in names
        if name in EXPERIMENTS and EXPERIMENTS[name].timed
        for variant in variants[name]
        for recipe in _definition(name).plan(context, variant).values()
    ]
    return faults | context.store.train_all(_only(request, later), workers, cost)


def _only(request: Request, recipes: Sequence[Recipe]) -> list[Recipe]:
    """Leave out runs that are not asked for; their part of the page stays empty."""
    wanted = set(request.only)
    return [recipe for recipe in recipes if wanted <= set(run_name(recipe).split(","))]


def _report(
    name: str,
    variants: Sequence[str],
    context: Context,
    pages: Path,
    request: Request,
    faults: Mapping[str, str],
) -> Report:
    about = {
        "halma": __version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "seed": request.seed,
    }
    if name == "table1":
        return table1.build_report(variants, pages, request, about)
    planner = context.planner
    reduced = not request.full and not (name != "further" and _definition(name).never_reduced)
    described = None if name == "further" else _definition(name).describe
    for variant in variants:
        sized = planner if reduced else Planner(True, 0)
        about[VARIANTS[variant]] = (
            sized.describe(variant) if described is None else described(sized.full)
        )
    if reduced:
        about["reduced"] = (
            "fewer, shorter runs than the paper's, which --full has. WR_p stays below what full "
            "runs reach, so words such as 'close to 50%' are held against the best of a variant. "
            "Fewer simulations make a given c_puct explore less: its axis is shifted to the right "
            "by the root of their ratio, one or two ticks"
        )
    if faults:
        about["failed"] = ", ".join(faults)
    page = _page(name, variants, request.full)
    if name == "further":
        found = _find(context, variants, lambda _, variant: planner.further(variant))
        _tell_unfinished(found, about)
        return further.build_report(found, pages, page, request, about)
    definition = _definition(name)
    found = _find(context, variants, definition.plan)
    _tell_unfinished(found, about)
    if definition.timed:
        for variant in variants:
            about[f"T_self of {VARIANTS[variant]}"] = _told_seconds(context, variant)
    pictures = []
    for file, text in definition.extra().items():
        (pages / file).write_text(text, encoding="utf-8")
        pictures.append(Figure(file, "The position"))
    definition.draw(pages / f"{page}.png", found)
    pictures.append(Figure(f"{page}.png", definition.caption))
    rows = definition.rows(found)
    if reduced:
        rows = [replace(row, remark=claims.of_reduced(row.remark)) for row in rows]
    section = Section(definition.title, definition.text, rows, pictures)
    return Report(TITLE, _command(name, request), about, [section], _data(found))


def _find(context: Context, variants: Sequence[str], plan: Plan) -> Found:
    runs = {}
    unfinished = 0
    for variant in variants:
        planned = plan(context, variant)
        runs[variant] = {label: context.store.metrics(recipe) for label, recipe in planned.items()}
        unfinished += sum(not context.store.is_finished(recipe) for recipe in planned.values())
    return Found(context.planner, runs, unfinished)


def _tell_unfinished(found: Found, about: dict[str, Any]) -> None:
    if found.unfinished:
        number = sum(map(len, found.runs.values()))
        about["unfinished"] = f"{found.unfinished} of {number} runs, shown as far as they got"


def _told_seconds(context: Context, variant: str) -> str:
    amount = context.planner.amount(variant)
    seconds = context.self_play_seconds(variant)
    if seconds is None:
        return "not known yet"
    return (
        f"{seconds} s, which {amount.games:,} games with "
        f"{amount.simulations:,} simulations took on this machine, the mean of all iterations "
        f"(the paper's machine took {claims.T_SELF.get(variant, '?')} s for 1,000 games with 800)"
    )


def _data(found: Found) -> dict[str, Any]:
    """Return the last grades of all runs, for programs."""
    return {
        variant: {str(label): found.last(variant, label) for label in runs}
        for variant, runs in found.runs.items()
    }


def _command(name: str, request: Request) -> str:
    parts = ["halma reproduce hsueh2023", name, "--full" if request.full else "--quick"]
    parts += [f"--variant {variant}" for variant in request.variants]
    if request.seed:
        parts.append(f"--seed {request.seed}")
    return " ".join(parts)


def _together(reports: Mapping[str, Report], request: Request) -> Report:
    """Return all reports as one."""
    first = next(iter(reports.values()))
    return Report(
        TITLE,
        _command(request.experiment or "all", request),
        {key: value for key, value in first.about.items() if key in ("halma", "machine", "seed")},
        [section for report in reports.values() for section in report.sections],
        {page: report.data for page, report in reports.items()},
    )
