"""Figures 9, 12, 14 and 15: curves of the rivals' training runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.jobs import Job
from halma.lab.liu2019.contenders import NOT_RUN, TRAINING, describe_runs
from halma.lab.liu2019.settings import cost, rival_runs
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.workspace import Workspace
from halma.learn.reports.events import Metrics

#: Points by name: where they are on the x axis, and their values.
Series = Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True, kw_only=True)
class CurveFigure(Experiment):
    """Metrics of a rival's run."""

    libraries: tuple[str, ...] = TRAINING
    #: which of the rivals
    rival: str
    series: Callable[[Sequence[Metrics]], Series]
    style: PlotStyle
    text: str
    #: what the paper says of the curves
    claims: Callable[[Series], Iterator[Claim]]

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the run, unless it is finished."""
        yield from workspace.runs.jobs([rival_runs(workspace)[self.rival]], cost)

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw the run as far as it got; compare it once it is finished."""
        recipe = rival_runs(workspace)[self.rival]
        about = describe_runs(workspace, {self.rival: recipe})
        found = self.series(workspace.runs.metrics(recipe))
        if not any(found.values()):
            return ExperimentPage([ReportSection(self.title, NOT_RUN)], about)
        lines = [
            PlotLine(name, *zip(*points, strict=True)) for name, points in found.items() if points
        ]
        file = f"{self.file}.png"
        plot_lines(workspace.pages / file, [PlotPanel("", lines)], self.style)
        rows = list(self.claims(found)) if workspace.runs.is_finished(recipe) else []
        image = ReportFigure(file, self.title.partition(": ")[2])
        section = ReportSection(self.title, self.text, rows, [image])
        return ExperimentPage([section], about, {name: list(p) for name, p in found.items()})


def _of(metrics: Sequence[Metrics], x: str, *keys: str) -> list[tuple[float, float]]:
    """Return the sum of some metrics of the iterations that have them."""
    return [
        (entry[x], sum(entry[key] for key in keys))
        for entry in metrics
        if all(entry.get(key) is not None for key in keys)
    ]


def _fall(points: Sequence[tuple[float, float]]) -> tuple[str, bool]:
    """Return the means of the first and the last tenth of a curve, and whether it fell."""
    part = max(1, len(points) // 10)
    first, last = (sum(y for _, y in some) / part for some in (points[:part], points[-part:]))
    return f"{first:.3g} to {last:.3g}", last < first


def _tabula_rasa_claims(found: Series) -> Iterator[Claim]:
    ours, fell = _fall(found["loss"])
    yield Claim("loss", "slowly decreasing, volatile", ours, "agrees" if fell else "differs")


EXPERIMENTS = (
    CurveFigure(
        name="fig15",
        title="Figure 15: loss of tabula rasa",
        rival="Tabula rasa",
        series=lambda metrics: {"loss": _of(metrics, "iteration", "policy_loss", "value_loss")},
        style=PlotStyle("iteration", "loss", marked=False),
        text="The paper's loss includes the L2 term, and its x axis has five epochs for each "
        "iteration.",
        claims=_tabula_rasa_claims,
    ),
)
