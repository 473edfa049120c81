"""Algorithm 1 and figure 3: weights tuned by self-play."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from halma import _core
from halma.games import game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.he2016.settings import (
    INITIAL,
    PAPER_TUNED,
    VARIANT,
    as_means,
    core_weights,
    settings,
    unit,
    written,
)
from halma.lab.jobs import Job
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.workspace import Workspace
from halma.processes import ReportProgress
from halma.structure import fields, list_of, real

#: depth -> initial weights -> what `tune` returns
Tunings = Mapping[int, Mapping[str, Mapping[str, Any]]]

_TEXT = (
    "Both players search to the given depth with the same weights; the features of every turn "
    "are fitted to its minimax score by least squares, and the weights move towards the fit by a "
    "decreasing step, 0.3 / (1 + game / 5). The paper's step is not given. Weights are shown at "
    "length 1.\n\n"
    "Both initial weights lead to the same final weights. The fit itself does not converge: "
    "deterministic players repeat a few games in turn, and each game fits slightly different "
    "weights, which the decreasing step averages. The paper saw the same: \"the algorithm didn't "
    'necessarily converge".\n\n'
    "Our fits give C, what the next move can gain, more weight than the paper's. This follows "
    "from the fit: one row of advance is worth several units of A, and a search turns potential "
    "C into A. In units six times as large for A and B, as if they were means over the pieces, "
    "the paper's weights of A and C are near ours. The text of the paper does not decide between "
    "the two, so the games below are played in both readings."
)


def step_size(iteration: int) -> float:
    """Return the decreasing step of Algorithm 1; the paper does not say how it decreases."""
    return 0.3 / (1 + iteration / 5)


def tune(
    variant: str, initial: Sequence[float], depth: int, games: int, report: ReportProgress
) -> dict[str, list[Any]]:
    """Tune weights by Algorithm 1.

    Return `trace`, the weights before and after each game, and `wanted`, the distance of each
    game's fit from the weights. Each game is played by two minimax players with the same weights.
    It ends when a position repeats, as deterministic players would repeat it forever. Positions
    with a forced win or loss carry no information about weights.
    """
    import numpy as np

    core = game(variant).core
    weights = list(initial)
    trace, wanted = [unit(weights)], []
    for iteration in range(games):
        rows, scores = _self_play(core, weights, depth)
        fitted = np.linalg.lstsq(np.array(rows), np.array(scores), rcond=None)[0].tolist()
        wanted.append(math.dist(unit(fitted), unit(weights)))
        step = step_size(iteration)
        weights = [w + step * (new - w) for w, new in zip(weights, fitted, strict=True)]
        trace.append(unit(weights))
        report((iteration + 1) / games)
    return {"trace": trace, "wanted": wanted}


def _self_play(
    core: _core.AnyGame, weights: Sequence[float], depth: int
) -> tuple[list[list[float]], list[float]]:
    """Play one game; return features (turns x 3) and minimax scores, both for player 1."""
    options = _core.MinimaxOptions()
    options.weights = list(core_weights(weights))
    options.deepen = options.quiescence = False
    options.limits = "rules"
    search = _core.Minimax(core, options)
    # The paper's games end when a position recurs.
    record = _core.Record(core, _core.Limits(repetitions=2), core.initial())
    rows, scores = [], []
    while record.end == _core.End.NONE:
        state = record.state()
        found = search.search(record, depth=depth)
        if abs(found.value) < _core.MINIMAX_DECIDED:
            own, other = (_core.features(core, state, player) for player in (0, 1))
            rows.append([other[0] - own[0], other[1] - own[1], own[2] - other[2]])
            scores.append(found.value if core.mover(state) == 0 else -found.value)
        record.play(found.best)
    return rows, scores


def tuning_jobs(workspace: Workspace) -> dict[tuple[int, str], Job]:
    """Return a tuning for both depths and both initial weights."""
    games = settings(workspace).tuning
    jobs = {}
    for depth, (label, initial) in product(PAPER_TUNED, INITIAL.items()):
        name = f"tuning,depth={depth},initial={label},games={games}"
        jobs[depth, label] = Job(name, tune, (VARIANT, initial, depth, games), cost=10.0**depth)
    return jobs


def find_tunings(workspace: Workspace) -> Tunings | None:
    """Return what was tuned, once all four tunings are done."""
    jobs, measured = tuning_jobs(workspace), workspace.measurements
    if not all(job.name in measured for job in jobs.values()):
        return None
    games, weights = settings(workspace).tuning, list_of(real(-1e6, 1e6), 3)
    check = fields({"trace": list_of(weights, games + 1), "wanted": list_of(real(0, 1e6), games)})
    return {d: {x: measured.read(jobs[d, x].name, check) for x in INITIAL} for d in PAPER_TUNED}


def final_weights(tunings: Tunings) -> dict[int, dict[str, list[float]]]:
    """Return the final weights by depth and initial weights."""
    return {d: {x: found["trace"][-1] for x, found in both.items()} for d, both in tunings.items()}


def tuned_weights(tunings: Tunings) -> dict[int, list[float]]:
    """Return the mean of both final weights, by depth."""
    ends = final_weights(tunings)
    return {d: unit([sum(w) for w in zip(*both.values(), strict=True)]) for d, both in ends.items()}


def compare(tunings: Tunings) -> list[Claim]:
    """Compare the final weights with the paper's."""
    rows = []
    for depth, ends in final_weights(tunings).items():
        paper = PAPER_TUNED[depth]
        for label, end in ends.items():
            what = f"depth {depth}, from {written(INITIAL[label])}"
            rows.append(Claim(what, written(paper), written(end)))
        distance = math.dist(*ends.values())
        what, ours = f"depth {depth}, distance between the two", f"{distance:.3f}"
        rows.append(Claim(what, '"very close"', ours, _remark(distance)))
        what = f"depth {depth}, the paper's if A and B are means over six pieces"
        ours = written(tuned_weights(tunings)[depth])
        remark = "a guess at the paper's units that would explain the weight of C"
        rows.append(Claim(what, written(as_means(paper)), ours, remark))
    return rows


def _remark(distance: float) -> str:
    if distance < 0.1:
        return "close: the start does not matter"
    return "similar, not close" if distance < 0.3 else "apart: the start matters"


def _draw(folder: Path, tunings: Tunings) -> None:
    """Draw the distances of figure 3, and the weights themselves."""
    style = PlotStyle("game", "weight", marked=False, shared_legend=True, sharey=True)
    distances, weights = [], []
    for depth, both in tunings.items():
        lines = [_line(f"from {label} weights", found["wanted"]) for label, found in both.items()]
        distances.append(PlotPanel(f"depth {depth}", lines))
        for label, found in both.items():
            traces = zip(*found["trace"], strict=True)
            lines = [_line(f"w{i}", trace) for i, trace in enumerate(traces, start=1)]
            weights.append(PlotPanel(f"depth {depth}, from {label} weights", lines))
    distance_style = replace(style, ylabel="distance to the fit", yscale=10)
    plot_lines(folder / "fig3.png", distances, distance_style)
    plot_lines(folder / "weights.png", weights, style)


def _line(name: str, values: Sequence[float]) -> PlotLine:
    return PlotLine(name, range(1, len(values) + 1), values)


class TuningFigure(Experiment):
    """Figure 3."""

    def jobs(self, workspace: Workspace) -> Iterable[Job]:
        """Return the four tunings."""
        return tuning_jobs(workspace).values()

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw and compare the tunings."""
        tunings = find_tunings(workspace)
        if tunings is None:
            return ExperimentPage([ReportSection(self.title, "Not run yet.")])
        _draw(workspace.pages, tunings)
        images = [
            ReportFigure("fig3.png", "Distance between fitted and current weights, game by game"),
            ReportFigure("weights.png", "The weights themselves"),
        ]
        data = {"tuned": tuned_weights(tunings), "tunings": final_weights(tunings)}
        return ExperimentPage(
            [ReportSection(self.title, _TEXT, compare(tunings), images)], data=data
        )


EXPERIMENTS = (TuningFigure(name="fig3", title="Weight tuning (Algorithm 1, figure 3)"),)
