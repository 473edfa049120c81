"""Papers and their experiments: what each runs, draws and compares, and the page it writes."""

from __future__ import annotations

import os
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from halma import __version__
from halma.errors import HalmaError, suggestion
from halma.lab.jobs import Job
from halma.lab.report import PaperReport, ReportSection
from halma.lab.run_store import full_run_name, run_name
from halma.lab.workspace import Workspace
from halma.learn import Recipe


@dataclass(frozen=True)
class ExperimentPage:
    """What an experiment found: the sections of its page, its settings, its numbers."""

    sections: Sequence[ReportSection]
    about: Mapping[str, Any] = field(default_factory=dict)
    #: for programs
    data: Mapping[str, Any] = field(default_factory=dict)


class Coverage(NamedTuple):
    """How much of an experiment has been done at one scale: of its runs and measurements."""

    #: part of the experiment, such as a variant -> how many are done, and how many there are
    parts: Mapping[str, tuple[int, int]]
    seeds: frozenset[int] = frozenset()
    #: by the clock of one worker, of all that has been done
    seconds: float = 0.0
    #: of halma, with which it was done
    revisions: frozenset[str] = frozenset()
    #: runs that got part of the way, and extra ones -> iterations done, and how many there are;
    #: of experiments without variants, which have few
    runs: Mapping[str, tuple[int, int]] = MappingProxyType({})

    @property
    def done(self) -> int:
        """How many are done."""
        return sum(done for done, _ in self.parts.values())

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(total for _, total in self.parts.values())


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """A table or a figure of a paper.

    Without `--full` all experiments run a reduction that keeps the shape of the figure; with it,
    the paper's own settings.
    """

    #: what the command line calls it, such as "fig8"
    name: str
    title: str
    #: game variants that it is run on, for papers with several
    variants: tuple[str, ...] = ()
    #: ... in the reduced form, where they are fewer
    quick_variants: tuple[str, ...] | None = None
    #: whether it is about its variants alone, whatever others are chosen
    fixed_variants: bool = False
    #: experiments with the same group are run together under that name
    group: str = "all"
    #: ... and under this one
    also: str = ""
    #: libraries that it needs beyond those of a plain install; figures need matplotlib
    libraries: tuple[str, ...] = ("matplotlib",)
    #: variants chosen by the user in place of its own
    chosen: tuple[str, ...] = ()
    #: whether it is about something that the paper has
    in_paper: bool = True

    def jobs(self, workspace: Workspace) -> Iterable[Job]:
        """Return the jobs that are not done, as far as they are known."""
        return ()

    def recipes(self, workspace: Workspace) -> Iterable[Recipe]:
        """Return the training runs that it needs, as far as they are known."""
        return ()

    def extra_recipes(self, workspace: Workspace) -> Iterable[Recipe]:
        """Return training runs that it uses where they are there; it is complete without them."""
        return ()

    def part(self, recipe: Recipe) -> str:
        """Return the part of the experiment that a run belongs to."""
        return ""

    def coverage(self, workspace: Workspace) -> Coverage:
        """Return how much of it has been done in a workspace."""
        runs, measured = workspace.runs, workspace.measurements
        recipes = {run_name(recipe): recipe for recipe in self.recipes(workspace)}
        parts: dict[str, tuple[int, int]] = {}
        seeds, revisions, seconds = set(), set(), 0.0
        named: dict[str, tuple[int, int]] = {}
        for recipe in recipes.values():
            done, total = parts.get(self.part(recipe), (0, 0))
            finished = runs.is_finished(recipe)
            parts[self.part(recipe)] = done + finished, total + 1
            if finished:
                seeds.add(recipe.settings.seed)
        for recipe in (*recipes.values(), *self.extra_recipes(workspace)):
            if metrics := runs.metrics(recipe):
                seconds += metrics[-1]["seconds"]
                revisions.add(runs.revision(recipe))
                is_extra = run_name(recipe) not in recipes
                if not self.variants and (is_extra or not runs.is_finished(recipe)):
                    state = runs.iterations(recipe), recipe.settings.iterations
                    named[full_run_name(recipe)] = state
        jobs = [job.name for job in self.jobs(workspace) if job.name not in recipes]
        found = [name for name in jobs if name in measured]
        if jobs or not recipes:
            # Without jobs it is computed when its page is made.
            counts = (len(found), len(jobs)) if jobs else (1, 1)
            before = parts.get("", (0, 0))
            parts[""] = before[0] + counts[0], before[1] + counts[1]
        if found:
            seeds.add(measured.settings.get("seed", workspace.seed))
            revisions |= set(map(measured.revision, found))
            seconds += sum(measured.seconds.get(name, 0.0) for name in found)
        known = frozenset(revisions - {""})
        return Coverage(parts, frozenset(seeds), seconds, known, named)

    @abstractmethod
    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw the figures into the workspace and compare the results with the paper."""

    @property
    def file(self) -> str:
        """The name of the page's files, without their suffix."""
        return "-".join((self.name, *self.chosen))

    def on(self, variants: Sequence[str], full: bool) -> Experiment:
        """Return the experiment on these variants; without any, on its own."""
        usual = self.variants if full or self.quick_variants is None else self.quick_variants
        if not variants or self.fixed_variants or tuple(variants) == usual:
            return replace(self, variants=usual)
        return replace(self, variants=tuple(variants), chosen=tuple(variants))


class Deviation(NamedTuple):
    """Where we do something else than a paper, or where its text can be read in several ways."""

    what: str
    paper: str
    ours: str
    effect: str


@dataclass(frozen=True)
class Paper:
    """A paper and its experiments, in the order of its pages."""

    name: str
    title: str
    experiments: Sequence[Experiment]
    #: the variants there are
    variants: Sequence[str] = ()
    #: sections in front of those of the experiments
    introduction: Sequence[ReportSection] = ()
    #: settings that all experiments share
    about: Callable[[Workspace], Mapping[str, Any]] = lambda workspace: {}
    #: what counts as agreement, and whether that was stated before the full runs
    cutoffs: str = ""
    deviations: Sequence[Deviation] = ()
    #: tables and figures without a result, and what they show
    without_result: Mapping[str, str] = field(default_factory=dict)
    #: why nothing is kept of an experiment, by its name
    unkept: Mapping[str, str] = field(default_factory=dict)
    #: metrics of training runs that are kept along the iterations
    curves: Sequence[str] = ("wr_p",)
    #: more parts of its page of results that are generated, by their marks
    parts: Mapping[str, Callable[[], str]] = field(default_factory=dict)

    @property
    def kept(self) -> Path:
        """The folder of the summaries that are kept of its runs."""
        return Path(__file__).parent / self.name / "kept"

    def choose(self, name: str, variants: Sequence[str], full: bool) -> list[Experiment]:
        """Return an experiment by its name, or all of a group, on some variants."""
        for variant in variants:
            if variant not in self.variants:
                raise _unknown(self.name, "variant", variant, self.variants)
        found = [one for one in self.experiments if name in (one.name, one.group, one.also)]
        if not found:
            names = [one.name for one in self.experiments]
            groups = [group for one in self.experiments for group in (one.group, one.also) if group]
            known = tuple(dict.fromkeys([*names, *groups]))
            raise _unknown(self.name, "experiment", name, known)
        if name == found[0].name and found[0].fixed_variants:
            own = found[0].variants
            if variants and not set(own) & set(variants):
                raise HalmaError(f"{found[0].title.partition(':')[0]} is about {', '.join(own)}.")
        return [one.on(variants, full) for one in found]

    def report(
        self, experiment: Experiment, workspace: Workspace, failed: Mapping[str, str]
    ) -> PaperReport:
        """Make the report on one experiment and write it into the workspace."""
        page = experiment.page(workspace)
        about = {**self._about(workspace), **page.about}
        if failed:
            about["failed"] = ", ".join(failed)
        command = self._shown_command(experiment.name, workspace, experiment.chosen)
        report = PaperReport(self.title, command, about, page.sections, page.data)
        return report.write(workspace.pages, experiment.file)

    def overview(
        self, reports: Mapping[str, PaperReport], workspace: Workspace, group: str
    ) -> PaperReport:
        """Put the reports on several experiments into one, and write it into the workspace."""
        sections = [section for report in reports.values() for section in report.sections]
        command, about = self._shown_command(group, workspace), self._about(workspace)
        data = {name: report.data for name, report in reports.items()}
        whole = PaperReport(self.title, command, about, [*self.introduction, *sections], data)
        return whole.write(workspace.pages, "index")

    def _about(self, workspace: Workspace) -> dict[str, Any]:
        machine = {"machine": f"{platform.machine()}, {os.cpu_count()} cores"}
        if workspace.kept is not None:
            machine = {"kept": "drawn from summaries of runs in the package; nothing was run"}
        return {
            "halma": __version__,
            **machine,
            **self.about(workspace),
            "seed": workspace.seed,
        }

    def _shown_command(self, name: str, workspace: Workspace, variants: Sequence[str] = ()) -> str:
        command = self.command(name, workspace, variants)
        return command if workspace.kept is None else f"{command} --kept"

    def command(self, name: str, workspace: Workspace, variants: Sequence[str] = ()) -> str:
        """Return the command that runs an experiment or a group of them."""
        parts = ["halma reproduce", self.name, name, "--full" if workspace.full else "--quick"]
        parts += [f"--variant {variant}" for variant in variants]
        if workspace.seed:
            parts.append(f"--seed {workspace.seed}")
        return " ".join(parts)


def _unknown(paper: str, kind: str, name: str, known: Sequence[str]) -> HalmaError:
    choice = f"There are {', '.join(known)}." if known else "It has none to choose from."
    return HalmaError(f"{paper} has no {kind} '{name[:60]}'.{suggestion(name, known)} {choice}")
