"""Figure 3: how the weights converge, and what they converge to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.he2016.settings import INITIAL, PAPER_TUNED, READINGS, agreement, written
from halma.lab.he2016.tuning import Tunings, all_jobs, final_weights, find_tunings, tuned_weights
from halma.lab.jobs import Job
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.workspace import Workspace

#: Final weights of two tunings are similar, and near the paper's, up to these distances.
SIMILAR, NEAR_PAPER = 0.1, 0.2
#: The distances to the fits have diminished if those of the last games are, on average, less than
#: this share of those of the first.
DIMINISHED, FIRST, LAST = 0.5, 5, 10

_TEXT = (
    "Both players search to the given depth with the same weights; the features of turns are "
    "fitted to their minimax scores by least squares. Read by the text: A, B and C are sums, all "
    "turns of a game are fitted, and the weights move towards the fit by a decreasing step, 0.3 / "
    "(1 + game / 5); the paper does not give its step. As the program does it: A and B are means "
    "over the pieces, B in half holes, and in place of C there is the mean of its squares; only "
    "the midgame is fitted; fits are scaled to length 1, taken as they are for five games and "
    "then averaged. Weights are shown at length 1."
)


def compare(reading: str, tunings: Tunings) -> Iterator[Claim]:
    """Compare convergence and final weights with the paper's."""
    for depth, ends in final_weights(tunings).items():
        where = f"{reading}, depth {depth}"
        for label in ends:
            wanted = tunings[depth][label]["wanted"]
            first, last = fmean(wanted[:FIRST]), fmean(wanted[-LAST:])
            ours = f"{first:.3f} in the first {FIRST} games, {last:.3f} in the last {LAST}"
            paper = '"the difference of weights diminished"'
            yield _claim(f"{where}, {label} start", paper, ours, last < DIMINISHED * first)
        distance = math.dist(*ends.values())
        both = " and ".join(written(end) for end in ends.values())
        ours = f"{both}, {distance:.3f} apart"
        yield _claim(f"{where}, two starts", '"similar values"', ours, distance < SIMILAR)
        tuned, paper_weights = tuned_weights(tunings)[depth], PAPER_TUNED[depth]
        distance = math.dist(tuned, paper_weights)
        ours = f"{written(tuned)}, {distance:.3f} away"
        near = distance < NEAR_PAPER
        yield _claim(f"{where}, tuned weights", written(paper_weights), ours, near)


def _claim(what: str, paper: str, ours: str, stands: bool) -> Claim:
    return Claim(what, paper, ours, "agrees" if stands else "differs")


def _draw(folder: Path, found: Mapping[str, Tunings]) -> None:
    """Draw the distances of figure 3, and the weights themselves."""
    style = PlotStyle("self-play game", "weight", marked=False, shared_legend=True, sharey=True)
    distances, weights = [], []
    for reading, tunings in found.items():
        for depth, both in tunings.items():
            where = f"{reading}, search depth {depth}"
            lines = [_line(f"{label} start", one["wanted"]) for label, one in both.items()]
            distances.append(PlotPanel(where, lines))
            lines = [
                _line(f"w{i}, {label} start", trace, first=0)
                for label, one in both.items()
                for i, trace in enumerate(zip(*one["trace"], strict=True), start=1)
            ]
            weights.append(PlotPanel(where, lines))
    distance_style = replace(style, ylabel="distance to the fit", yscale=10)
    plot_lines(folder / "fig3.png", distances, distance_style)
    plot_lines(folder / "weights.png", weights, style)


def _line(name: str, values: Sequence[float], first: int = 1) -> PlotLine:
    return PlotLine(name, range(first, first + len(values)), values)


class TuningFigure(Experiment):
    """Figure 3."""

    def jobs(self, workspace: Workspace) -> Iterable[Job]:
        """Return the tunings of both readings."""
        return all_jobs(workspace)

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw and compare the tunings."""
        tunings = {reading: find_tunings(workspace, reading) for reading in READINGS}
        found = {reading: those for reading, those in tunings.items() if those is not None}
        if not found:
            return ExperimentPage([ReportSection(self.title, "Not run yet.")])
        _draw(workspace.pages, found)
        rows = [row for reading, those in found.items() for row in compare(reading, those)]
        starts = ", ".join(f"{label}: {written(w)}" for label, w in INITIAL.items())
        images = [
            ReportFigure("fig3.png", "Distance between fitted and current weights, game by game"),
            ReportFigure("weights.png", f"The weights themselves; {starts}"),
        ]
        data = {
            reading: {"tuned": tuned_weights(those), "tunings": final_weights(those)}
            for reading, those in found.items()
        }
        text = f"{_TEXT}\n\n{agreement(rows)}"
        return ExperimentPage([ReportSection(self.title, text, rows, images)], data=data)


EXPERIMENTS = (TuningFigure(name="fig3", title="Figure 3: convergence of weight tuning"),)
