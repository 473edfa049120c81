"""Beyond the paper: other search and learning methods on its smallest games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from halma.lab.hsueh2023.figures import WIN_RATE, by_variant
from halma.lab.hsueh2023.runs import VariantRuns, span
from halma.lab.hsueh2023.settings import FPU_KEY, MAIN_VARIANTS, Planner, Scale
from halma.lab.hsueh2023.training import TrainingExperiment
from halma.lab.plots import PlotLine, plot_lines
from halma.lab.report import ReportFigure, ReportSection
from halma.learn import Recipe
from halma.learn.settings import Plain
from halma.statistics import difference, half_width

#: Ways to search or to learn: the settings that each changes. To compare one more, add it here.
METHODS: Mapping[str, Mapping[str, Plain]] = {
    "PUCT +0": {},
    "PUCT +0.5": {FPU_KEY: "draw"},
    "Gumbel": {"search.rule": "gumbel"},
    "RPO": {"search.rule": "rpo", "search.c": 1.25, FPU_KEY: "parent"},
    "proven values": {"search.solver": True},
    "symmetry": {"learning.symmetry": True},
}
#: What the methods do that are not in the paper.
_DESCRIPTIONS = {
    "Gumbel": "samples the moves of the root without replacement and selects among them by "
    "sequential halving",
    "RPO": "samples moves from the regularised policy of Grill et al. 2020, in the tree and in "
    "play",
    "proven values": "back up wins, draws and losses that the search has proven",
    "symmetry": "learns from the mirror images of a position as well",
}
#: The paper's method, and what it finds best with few simulations; other selection rules are
#: compared with both.
BASE, BEST_BASE = "PUCT +0", "PUCT +0.5"

#: Method, simulations, seed.
Label = tuple[str, int, int]
#: What is compared: a number for every run.
MEASURES: Mapping[str, Callable[[VariantRuns, Label], float]] = {
    "last WR_p": lambda runs, label: runs.value(label) or 0.0,
    "mean WR_p": VariantRuns.mean,
}

_TEXT = (
    "The default setting, with other ways to search or to learn: "
    + "; ".join(f"{name} {text}" for name, text in _DESCRIPTIONS.items())
    + ". The root does not count as a simulation here, as it does in the paper: of 2 simulations "
    "only one would be left.\n\n"
    "Two numbers are compared: WR_p at the end, and its mean over the whole training, which is "
    "higher the faster a run learns. Intervals are Student's, over seeds. Other selection rules "
    "are also compared with PUCT +0.5, the first-play urgency that the paper finds best with few "
    "simulations."
)
_STYLE = replace(
    WIN_RATE, xlabel="simulations", xscale=2, xticks=Scale().further_simulations, shared_legend=True
)
_COLUMNS = ("", "PUCT", "instead", "gain, in points")


def plan(planner: Planner, variant: str) -> dict[Label, Recipe]:
    """Return the runs by method, simulations and seed."""
    scale = planner.scale(variant)
    fixed = {"search.count_root": False}
    return {
        (method, n, seed): planner.run(
            variant, {**fixed, "search.simulations": n, "seed": seed, **changes}
        )
        for method, changes in METHODS.items()
        for n in scale.further_simulations
        for seed in range(planner.seed, planner.seed + scale.further_seeds)
    }


def comparisons() -> list[tuple[str, str]]:
    """Return the pairs of methods that are compared."""
    rules = [name for name, changes in METHODS.items() if "search.rule" in changes]
    others = [name for name in METHODS if name != BASE]
    return [(name, BASE) for name in others] + [(name, BEST_BASE) for name in rules]


def _measured(runs: VariantRuns) -> dict[str, dict[tuple[str, int], list[float]]]:
    """Return the measures of all finished seeds, by method and simulations."""
    runs = runs.finished()
    numbers = sorted({n for _, n, _ in runs.labels})
    return {
        measure: {
            (method, n): [read(runs, label) for label in runs.labels if label[:2] == (method, n)]
            for method in METHODS
            for n in numbers
        }
        for measure, read in MEASURES.items()
    }


def _lines(runs: VariantRuns, measure: str) -> list[PlotLine]:
    """Return mean and interval over seeds by simulations, a line for each method."""
    measured = _measured(runs)[measure]
    lines = []
    for method in METHODS:
        values = {n: seeds for (name, n), seeds in measured.items() if name == method and seeds}
        means = [fmean(seeds) for seeds in values.values()]
        # The interval of a single seed is infinite.
        widths = [half_width(seeds) if len(seeds) > 1 else 0.0 for seeds in values.values()]
        low = [mean - width for mean, width in zip(means, widths, strict=True)]
        high = [mean + width for mean, width in zip(means, widths, strict=True)]
        lines.append(PlotLine(method, list(values), means, low, high))
    return lines


def _compare(runs: VariantRuns) -> tuple[list[Sequence[str]], list[str]]:
    """Return a row for every comparison, and a sentence for every pair of methods."""
    rows: list[Sequence[str]] = []
    sentences = []
    measures = _measured(runs)
    for method, base in comparisons():
        for measure, measured in measures.items():
            clear: dict[int, float] = {}
            for n in dict.fromkeys(n for _, n in measured):
                ours, theirs = measured[method, n], measured[base, n]
                if not ours or not theirs:
                    continue
                gain, width = difference(ours, theirs)
                word = "no clear difference"
                if abs(gain) > width:
                    clear[n] = gain
                    word = "better" if gain > 0 else "worse"
                what = f"{measure}, {n} simulations: {method} instead of {base}"
                points = f"{100 * gain:+.2f} ± {100 * width:.2f}: {word}"
                rows.append((what, f"{fmean(theirs):.2%}", f"{fmean(ours):.2%}", points))
            sentences.append(f"By {measure}, {method} {_summary(clear, base)}.")
    return rows, sentences


def _summary(gains: Mapping[int, float], base: str) -> str:
    """Say with which numbers of simulations a method is clearly better or worse."""
    parts = []
    for verb, sign in (("beats", 1), ("loses to", -1)):
        found = {n: 100 * abs(gain) for n, gain in gains.items() if sign * gain > 0}
        if found:
            points = span(found.values(), "{:.1f}".format)
            parts.append(f"{verb} {base} with {', '.join(map(str, found))} ({points} points)")
    return " and ".join(parts) or f"is not clearly different from {base} anywhere"


class MethodComparison(TrainingExperiment):
    """Several seeds of every method, compared with the paper's; unfinished runs are left out."""

    def sections(self, folder: Path, runs: Sequence[VariantRuns]) -> list[ReportSection]:
        """Draw an image of every measure; return a section for every variant."""
        images = []
        for number, measure in enumerate(MEASURES, start=1):
            file = f"{self.file}-{number}.png"
            panels = by_variant(partial(_lines, measure=measure))(runs)
            plot_lines(folder / file, panels, replace(_STYLE, ylabel=measure))
            caption = f"{measure} by simulations: mean and 95% interval over seeds"
            images.append(ReportFigure(file, caption))
        sections = [ReportSection(self.title, _TEXT, figures=images)]
        for one in runs:
            rows, sentences = _compare(one)
            title, text = f"Beyond the paper: {one.name}", " ".join(sentences)
            sections.append(ReportSection(title, text, rows, columns=_COLUMNS))
        return sections

    def data(self, runs: Sequence[VariantRuns]) -> dict[str, Any]:
        """Return the measures of all seeds."""
        return {
            one.variant: {
                measure: {f"{method} {n}": seeds for (method, n), seeds in measured.items()}
                for measure, measured in _measured(one).items()
            }
            for one in runs
        }


EXPERIMENTS = (
    MethodComparison(
        name="further",
        title=f"Beyond the paper: {', '.join(_DESCRIPTIONS)}",
        variants=MAIN_VARIANTS,
        plan=plan,
        in_paper=False,
    ),
)
