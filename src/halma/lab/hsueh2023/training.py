"""Experiments made of training runs: which runs, how they are drawn, what the paper says."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halma.files import replace_file
from halma.games import game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.hsueh2023.runs import NO_RUN, VariantRuns, reduced_remark
from halma.lab.hsueh2023.settings import (
    VARIANTS,
    Planner,
    cost,
    describe_run,
    seconds_of_self_play,
)
from halma.lab.jobs import Job
from halma.lab.plots import PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.workspace import Workspace
from halma.learn import Recipe

#: Makes the panels of a figure of the runs of some variants.
Panels = Callable[[Sequence[VariantRuns]], list[PlotPanel]]

#: Seconds of self-play an iteration had on the paper's machine in figures 16 and 17.
PAPER_SECONDS = {"ewn-3x3-3": 2.143, "cdc-2x4-PPPP": 18.418}

_REDUCED = (
    "fewer, shorter runs than the paper's, which --full has. WR_p stays below what full runs "
    "reach, so 'close to 50%' is read as close to the best of a variant. Fewer simulations make "
    "a given c_puct explore less: its axis is shifted to the right by the root of their ratio, "
    "one or two ticks"
)


@dataclass(frozen=True, kw_only=True)
class TrainingExperiment(Experiment):
    """Runs of several settings on each variant."""

    #: the runs of a variant that are known, by label
    plan: Callable[[Planner, str], Mapping[Any, Recipe]]
    #: the recipe of the runs, where it is not named like the variant
    recipe: str = ""
    #: the plan depends on the self-play time of the default setting
    timed: bool = False
    #: runs are as long as the paper's without --full as well
    always_full: bool = False

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the runs that are not finished."""
        planner = _planner(workspace)
        for variant in self.variants:
            default = [planner.run(variant)] if self.timed else []
            recipes = [*default, *self.plan(planner, variant).values()]
            yield from workspace.runs.jobs(recipes, cost)

    def recipes(self, workspace: Workspace) -> Iterator[Recipe]:
        """Yield the runs of all variants.

        Those at equal time have the self-play time that is expected, while it is not known: they
        are to be counted, though they cannot be run yet.
        """
        planner = _planner(workspace)
        for variant in self.variants:
            planned = self.plan(planner, variant)
            if self.timed and not planned:
                planned = planner.timed(variant, seconds_of_self_play(planner.run(variant)))
            yield from planned.values()

    def part(self, recipe: Recipe) -> str:
        """Return the paper's name of the variant."""
        return VARIANTS[recipe.game.name]

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw all runs, as far as they got, and compare the finished ones with the paper."""
        runs = [self._find(workspace, variant) for variant in self.variants]
        about = self._about(_planner(workspace))
        if unfinished := sum(len(one.unfinished) for one in runs):
            total = sum(len(one.metrics) for one in runs)
            about["unfinished"] = f"{unfinished} of {total} runs, which are not compared"
        return ExperimentPage(self.sections(workspace.pages, runs), about, self.data(runs))

    @abstractmethod
    def sections(self, folder: Path, runs: Sequence[VariantRuns]) -> list[ReportSection]:
        """Draw the images into a folder; return the sections of the page."""

    def data(self, runs: Sequence[VariantRuns]) -> dict[str, Any]:
        """Return the last metrics of all runs, for programs."""
        return {one.variant: {str(label): one.last(label) for label in one.metrics} for one in runs}

    def _find(self, workspace: Workspace, variant: str) -> VariantRuns:
        planner = _planner(workspace)
        recipes = self.plan(planner, variant)
        metrics = {label: workspace.runs.metrics(recipe) for label, recipe in recipes.items()}
        unfinished = (x for x, recipe in recipes.items() if not workspace.runs.is_finished(recipe))
        return VariantRuns(variant, planner, metrics, frozenset(unfinished))

    def _about(self, planner: Planner) -> dict[str, Any]:
        sized = Planner(full=True, seed=0) if self.always_full else planner
        names = {variant: VARIANTS[variant] for variant in self.variants}
        about = {name: describe_run(sized.run(self.recipe or v)) for v, name in names.items()}
        if not sized.full:
            about["reduced"] = _REDUCED
        if self.timed:
            about |= {f"T_self of {name}": _describe_time(planner, v) for v, name in names.items()}
        return about


def _describe_time(planner: Planner, variant: str) -> str:
    seconds = planner.self_play_seconds(variant)
    if seconds is None:
        return "not known yet"
    default = planner.run(variant).settings
    return (
        f"{seconds} s of processor time, which {default.selfplay.games:,} games with "
        f"{default.search.simulations:,} simulations took on this machine, the mean of all "
        f"iterations (the paper's machine took {PAPER_SECONDS.get(variant, '?')} s for 1,000 "
        "games with 800)"
    )


@dataclass(frozen=True, kw_only=True)
class TrainingFigure(TrainingExperiment):
    """A figure: one image, and claims about each variant."""

    panels: Panels
    style: PlotStyle
    #: what the paper says of the runs on one variant
    claims: Callable[[VariantRuns], Iterable[Claim]]
    caption: str
    #: above the table
    text: str = ""
    #: a position to show
    position: str = ""

    def sections(self, folder: Path, runs: Sequence[VariantRuns]) -> list[ReportSection]:
        """Draw the figure; return it with the claims."""
        images = [ReportFigure(f"{self.file}.png", self.caption)]
        plot_lines(folder / images[0].file, self.panels(runs), self.style)
        if self.position:
            images.insert(0, ReportFigure(f"{self.file}-position.svg", "The position"))
            shown = game(self.variants[0]).position(self.position).svg(size=220)
            replace_file(folder / images[0].file, shown)
        return [ReportSection(self.title, self.text, self.rows(runs), images)]

    def rows(self, runs: Sequence[VariantRuns]) -> list[Claim]:
        """Return the claims about all variants, of finished runs."""
        rows = []
        for one in runs:
            prefix = "" if self.fixed_variants else f"{one.name}: "
            for claim in self.claims(one.finished()):
                remark = "" if claim.ours == NO_RUN else claim.remark
                if not one.full and not self.always_full:
                    remark = reduced_remark(remark)
                rows.append(claim._replace(what=prefix + claim.what, remark=remark))
        return rows


def _planner(workspace: Workspace) -> Planner:
    return Planner(workspace.full, workspace.seed, workspace.runs)
