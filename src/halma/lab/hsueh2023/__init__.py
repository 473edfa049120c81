"""hsueh2023, "Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games", run again.

Every figure is a set of training runs (`plan`), kept in a store that all figures share, a
picture (`figures`) and a table of what the paper says beside what came out (`claims`). Table 1
needs no training; `further` asks what the paper leaves open.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from halma import __version__
from halma.errors import HalmaError, suggestion
from halma.lab.hsueh2023 import claims as claims
from halma.lab.hsueh2023 import figures as figures
from halma.lab.hsueh2023 import further as further
from halma.lab.hsueh2023 import networks as networks
from halma.lab.hsueh2023 import table1 as table1
from halma.lab.hsueh2023.experiments import (
    ALL,
    APPENDIX,
    EXPERIMENTS,
    NAMES,
    OF_ONE_VARIANT,
    SIX,
    Context,
    Experiment,
    Plan,
)
from halma.lab.hsueh2023.figures import Found
from halma.lab.hsueh2023.plan import FOUR, TWO, VARIANTS, Planner, cost
from halma.lab.report import Figure, Report, Section
from halma.lab.request import Request
from halma.lab.runs import Store, run_name
from halma.learn import Recipe

TITLE = "hsueh2023: Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games"


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
    if name in OF_ONE_VARIANT and wanted:
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
    command = _command(name, request)
    if name == "table1":
        section, numbers = table1.build_section(variants, pages, request, about)
        return Report(TITLE, command, about, [section], numbers)
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
        _tell_unfinished(found, about, "which are left out")
        # Curves may be shown half-way, means over seeds may not.
        whole = found.finished()
        sections = further.build_sections(whole, pages, page)
        return Report(
            f"{TITLE}, and one step further", command, about, sections, further.data(whole)
        )
    definition = _definition(name)
    found = _find(context, variants, definition.plan)
    _tell_unfinished(found, about, "shown as far as they got, and not judged")
    if definition.timed:
        for variant in variants:
            about[f"T_self of {VARIANTS[variant]}"] = _told_seconds(context, variant)
    pictures = []
    for file, text in definition.extra().items():
        (pages / file).write_text(text, encoding="utf-8")
        pictures.append(Figure(file, "The position"))
    definition.draw(pages / f"{page}.png", found)
    pictures.append(Figure(f"{page}.png", definition.caption))
    rows = definition.rows(found.finished())
    if reduced:
        rows = [replace(row, remark=claims.of_reduced(row.remark)) for row in rows]
    section = Section(definition.title, definition.text, rows, pictures)
    return Report(TITLE, command, about, [section], _data(found))


def _find(context: Context, variants: Sequence[str], plan: Plan) -> Found:
    planned = {variant: plan(context, variant) for variant in variants}
    runs = {
        variant: {label: context.store.metrics(recipe) for label, recipe in recipes.items()}
        for variant, recipes in planned.items()
    }
    unfinished = {
        (variant, label)
        for variant, recipes in planned.items()
        for label, recipe in recipes.items()
        if not context.store.is_finished(recipe)
    }
    return Found(context.planner, runs, frozenset(unfinished))


def _tell_unfinished(found: Found, about: dict[str, Any], so: str) -> None:
    if found.unfinished:
        number = sum(map(len, found.runs.values()))
        about["unfinished"] = f"{len(found.unfinished)} of {number} runs, {so}"


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
