"""Papers and their experiments: what each runs, draws and compares, and the page it writes."""

from __future__ import annotations

import os
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from halma import __version__
from halma.errors import HalmaError, suggestion
from halma.lab.jobs import Job
from halma.lab.report import PaperReport, ReportSection
from halma.lab.workspace import Workspace


@dataclass(frozen=True)
class ExperimentPage:
    """What an experiment found: the sections of its page, its settings, its numbers."""

    sections: Sequence[ReportSection]
    about: Mapping[str, Any] = field(default_factory=dict)
    #: for programs
    data: Mapping[str, Any] = field(default_factory=dict)


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
    #: libraries that it needs beyond those of a plain install; figures need matplotlib
    libraries: tuple[str, ...] = ("matplotlib",)
    #: variants chosen by the user in place of its own
    chosen: tuple[str, ...] = ()

    def jobs(self, workspace: Workspace) -> Iterable[Job]:
        """Return the jobs that are not done, as far as they are known."""
        return ()

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

    def choose(self, name: str, variants: Sequence[str], full: bool) -> list[Experiment]:
        """Return an experiment by its name, or all of a group, on some variants."""
        for variant in variants:
            if variant not in self.variants:
                raise _unknown(self.name, "variant", variant, self.variants)
        found = [one for one in self.experiments if name in (one.name, one.group)]
        if not found:
            groups = dict.fromkeys(one.group for one in self.experiments if one.group)
            known = (*(one.name for one in self.experiments), *groups)
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
        command = self._command(experiment.name, workspace, experiment.chosen)
        report = PaperReport(self.title, command, about, page.sections, page.data)
        return report.write(workspace.pages, experiment.file)

    def overview(
        self, reports: Mapping[str, PaperReport], workspace: Workspace, group: str
    ) -> PaperReport:
        """Put the reports on several experiments into one, and write it into the workspace."""
        sections = [section for report in reports.values() for section in report.sections]
        command, about = self._command(group, workspace), self._about(workspace)
        data = {name: report.data for name, report in reports.items()}
        whole = PaperReport(self.title, command, about, [*self.introduction, *sections], data)
        return whole.write(workspace.pages, "index")

    def _about(self, workspace: Workspace) -> dict[str, Any]:
        return {
            "halma": __version__,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            **self.about(workspace),
            "seed": workspace.seed,
        }

    def _command(self, name: str, workspace: Workspace, variants: Sequence[str] = ()) -> str:
        parts = ["halma reproduce", self.name, name, "--full" if workspace.full else "--quick"]
        parts += [f"--variant {variant}" for variant in variants]
        if workspace.seed:
            parts.append(f"--seed {workspace.seed}")
        return " ".join(parts)


def _unknown(paper: str, kind: str, name: str, known: Sequence[str]) -> HalmaError:
    choice = f"There are {', '.join(known)}." if known else "It has none to choose from."
    return HalmaError(f"{paper} has no {kind} '{name[:60]}'.{suggestion(name, known)} {choice}")
