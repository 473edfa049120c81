"""Figures 9, 12, 14 and 15: curves of the rivals' training runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from halma.lab.experiment import ExperimentPage
from halma.lab.liu2019.settings import rival_runs
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.trained import NOT_RUN, NetworkExperiment
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.learn.reports.events import Metrics

#: Points by name: where they are on the x axis, and their values.
Series = Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True, kw_only=True)
class CurveFigure(NetworkExperiment):
    """Metrics of a rival's run."""

    #: which of the rivals
    rival: str
    #: its metrics; the first of them is drawn
    series: Callable[[Sequence[Metrics]], Series]
    style: PlotStyle
    text: str
    #: what the paper says of the curves
    claims: Callable[[Series], Iterator[Claim]]

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the rival's run."""
        return {self.rival: rival_runs(workspace)[self.rival]}

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw the run as far as it got; compare it once it is finished."""
        recipe = rival_runs(workspace)[self.rival]
        about = self.about(workspace)
        found = self.series(workspace.runs.metrics(recipe))
        if not all(found.values()):
            return ExperimentPage([ReportSection(self.title, NOT_RUN)], about)
        name, points = next(iter(found.items()))
        x, y = zip(*points, strict=True)
        file = f"{self.file}.png"
        panel = PlotPanel("", [PlotLine(name, x, y)])
        plot_lines(workspace.pages / file, [panel], self.style)
        rows = list(self.claims(found)) if workspace.runs.is_finished(recipe) else []
        image = ReportFigure(file, self.title.partition(": ")[2])
        section = ReportSection(self.title, self.text, rows, [image])
        return ExperimentPage([section], about, {name: list(p) for name, p in found.items()})


def sum_of(metrics: Sequence[Metrics], x: str, *keys: str) -> list[tuple[float, float]]:
    """Return metric `x` and the sum of some metrics, of the iterations that have them."""
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


def _epsilon_claims(found: Series) -> Iterator[Claim]:
    points = found["epsilon"]
    ours = f"{points[0][1]:.2f} to {points[-1][1]:.2f}"
    yield Claim("epsilon", "from 1 to 0.1", ours, "agrees" if points[-1][1] <= 0.11 else "differs")


def _error_claims(found: Series) -> Iterator[Claim]:
    yield Claim("mean absolute error", "a curve without numbers", _fall(found["error"])[0])


def _reward_claims(found: Series) -> Iterator[Claim]:
    ours, fell = _fall(found["reward"])
    remark = "" if fell else "rises"
    yield Claim("accumulated reward of a test game", "a curve without numbers", ours, remark)
    tenth = found["won"][-max(1, len(found["won"]) // 10) :]
    share = sum(won for _, won in tenth) / len(tenth)
    remark = "agrees" if share < 0.1 else "differs"
    what, paper = "test games won, last tenth", '"almost always ends with a tie"'
    yield Claim(what, paper, f"{share:.1%}", remark)


def _tabula_rasa_claims(found: Series) -> Iterator[Claim]:
    ours, fell = _fall(found["loss"])
    yield Claim("loss", "slowly decreasing, volatile", ours, "agrees" if fell else "differs")


_EPISODES = "iterations, of 10,000 episodes in full"

EXPERIMENTS = (
    CurveFigure(
        name="fig9",
        title="Figure 9: epsilon of deep Q-learning",
        rival="DQN",
        series=lambda metrics: {"epsilon": sum_of(metrics, "iteration", "epsilon")},
        style=PlotStyle(_EPISODES, "epsilon", marked=False, ylim=(0.0, 1.0)),
        text="The share of random moves. The paper does not give the shape; ours is linear over "
        "the first half.",
        claims=_epsilon_claims,
    ),
    CurveFigure(
        name="fig12",
        title="Figure 12: mean absolute error of deep Q-learning",
        rival="DQN",
        series=lambda metrics: {"error": sum_of(metrics, "iteration", "td_error")},
        style=PlotStyle(_EPISODES, "mean absolute error", marked=False),
        text="The mean absolute difference between Q-values and their targets.",
        claims=_error_claims,
    ),
    CurveFigure(
        name="fig14",
        title="Figure 14: accumulated reward of deep Q-learning",
        rival="DQN",
        series=lambda metrics: {
            "reward": sum_of(metrics, "iteration", "test_reward"),
            "won": sum_of(metrics, "iteration", "test_won"),
        },
        style=PlotStyle(_EPISODES, "accumulated reward", marked=False),
        text="Test games against greedy without random moves, after every iteration: 0.01 for each "
        "row forward and 10 for a win, so that crossing the board without winning is worth about "
        "half a point.",
        claims=_reward_claims,
    ),
    CurveFigure(
        name="fig15",
        title="Figure 15: loss of tabula rasa",
        rival="Tabula rasa",
        series=lambda metrics: {"loss": sum_of(metrics, "iteration", "policy_loss", "value_loss")},
        style=PlotStyle("iteration", "loss", marked=False),
        text="The paper's loss includes the L2 term, and its x axis has five epochs for each "
        "iteration.",
        claims=_tabula_rasa_claims,
    ),
)
