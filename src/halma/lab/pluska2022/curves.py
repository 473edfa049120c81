"""When and why training hurts: strength, loss and what is left of the material, by iteration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from halma.executors import ReportProgress
from halma.games import game
from halma.lab.jobs import Job
from halma.lab.matches import Match, MatchScore
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.pluska2022.settings import (
    VARIANT,
    Version,
    long_run,
    match,
    paper_runs,
    scale,
    versions,
)
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.run_store import base_recipe
from halma.lab.trained import MatchExperiment
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.learn.evaluated_positions import evaluated_positions
from halma.networks import load
from halma.selfplay import FinishedGames
from halma.structure import real

#: Random positions that no run was trained on, and the seed that draws them.
_POSITIONS, _SEED = 2000, 2**40
_LONG = "the long run"

_TEXT = (
    "Every line is a training run: the paper's, with one thing changed, and the long one. "
    "Iterations 1 to 10 play from random endgames, 11 to 40 from the start; the vertical axis "
    "of the first panel is the share of points against the run's own bootstrapped version, "
    "iteration 0, over {games} games with {expansions} expansions a move. The second has the "
    "mean difference between the network's value and the value of the material on "
    "{positions:,} random positions: what the first stage taught, and self-play may unteach. "
    "The third has the loss on the games that the network was trained on."
)
_ITERATION = "iteration"


class Curves(MatchExperiment):
    """The paper's run, its variations and the long run, iteration by iteration."""

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return all runs."""
        return {**paper_runs(workspace), _LONG: long_run(workspace)}

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield runs and matches, and the comparison of each version with the material."""
        yield from super().jobs(workspace)
        for recipe in self.runs(workspace).values():
            for version in versions(workspace, recipe).values():
                yield Job(_job_name(version), material_error, (version.network.file,))

    def matches(self, workspace: Workspace) -> Mapping[tuple[str, int], Match]:
        """Return a match of some versions of each run against its first."""
        chosen = scale(workspace)
        found = {}
        for label, recipe in self.runs(workspace).items():
            kept = versions(workspace, recipe)
            for number in range(
                chosen.curve_step, recipe.settings.iterations + 1, chosen.curve_step
            ):
                if {0, number} <= kept.keys():
                    players = (
                        kept[number].player(chosen.expansions),
                        kept[0].player(chosen.expansions),
                    )
                    what = f"curves,{recipe.name},version={number}"
                    found[label, number] = match(
                        what, players, chosen.curve_games, chosen.expansions
                    )
        return found

    def sections(
        self, workspace: Workspace, scores: Mapping[tuple[str, int], MatchScore]
    ) -> Sequence[ReportSection]:
        """Draw strength, forgetting and loss; return the end of each run."""
        if not scores:
            return []
        chosen = scale(workspace)
        errors, losses = {}, {}
        for label, recipe in self.runs(workspace).items():
            kept = versions(workspace, recipe)
            if not kept:
                continue
            errors[label] = {
                number: error
                for number, version in sorted(kept.items())
                if (error := workspace.measurements.read(_job_name(version), real(0, 1)))
                is not None
            }
            losses[label] = [entry["value_loss"] for entry in workspace.runs.metrics(recipe)]
        panels = [
            PlotPanel(
                "against its bootstrapped version",
                [_strength(label, scores) for label in errors],
                PlotStyle(_ITERATION, "points", percent=True, ylim=(0, 1), level=0.5),
            ),
            PlotPanel(
                "difference from material",
                [PlotLine(name, list(line), list(line.values())) for name, line in errors.items()],
                PlotStyle(_ITERATION, "mean absolute difference", ylim=(0, 0.1), marked=False),
            ),
            PlotPanel(
                "loss in training",
                [PlotLine(name, range(1, len(y) + 1), y) for name, y in losses.items()],
                PlotStyle(_ITERATION, "cross-entropy", ylim=(0, 0.1), marked=False),
            ),
        ]
        file = f"{self.file}.png"
        style = PlotStyle(_ITERATION, "", columns=3, shared_legend=True)
        plot_lines(workspace.pages / file, panels, style)
        text = _TEXT.format(
            games=chosen.curve_games, expansions=chosen.expansions, positions=_POSITIONS
        )
        image = ReportFigure(file, "Strength, difference from material, and loss, by iteration")
        rows = list(_rows(scores, errors))
        return [ReportSection(self.title, text, rows, [image])]


def _strength(label: str, scores: Mapping[tuple[str, int], MatchScore]) -> PlotLine:
    """Return a run's points against its first version, with intervals."""
    points = {n: score.points for (name, n), score in sorted(scores.items()) if name == label}
    shares = {0: 0.5, **{n: share.value for n, share in points.items()}}
    ends = [share.interval or (share.value, share.value) for share in points.values()]
    low, high = zip((0.5, 0.5), *ends, strict=True)
    return PlotLine(label, list(shares), list(shares.values()), low, high)


def _rows(
    scores: Mapping[tuple[str, int], MatchScore], errors: Mapping[str, Mapping[int, float]]
) -> Iterator[Claim]:
    """Yield the strength of the last version of each run, and how far it is from material."""
    for label, line in errors.items():
        played = sorted(n for name, n in scores if name == label)
        if not played:
            continue
        last = played[-1]
        paper = "weaker" if label != _LONG else ""
        points = scores[label, last].points
        low, high = points.interval or (0.0, 1.0)
        verdict = "weaker" if high < 0.5 else "stronger" if low > 0.5 else "no clear difference"
        remark = verdict
        if {0, last} <= line.keys():
            remark += f"; difference from material {line[0]:.3f}, then {line[last]:.3f}"
        yield Claim(f"{label}, iteration {last} against 0", paper, str(scores[label, last]), remark)


def _job_name(version: Version) -> str:
    return f"material,network={version.network.digest}"


@cache
def _positions() -> tuple[FinishedGames, Any]:
    """Return random positions with the value of their material, and their planes."""
    rules = game(VARIANT)
    warm = base_recipe("pluska2022").changed({"warm_start.games": _POSITIONS}).settings.warm_start
    found = evaluated_positions(rules, warm, _SEED)
    return found, found.encode(rules, np.arange(_POSITIONS))


def material_error(file: Path, report: ReportProgress) -> float:
    """Return the mean difference between a network's value and the material's."""
    found, planes = _positions()
    values = load(file, game(VARIANT)).evaluate(planes)[1]
    return float(np.abs(values[:, 0] - found.outcomes[:, 0]).mean())


EXPERIMENTS = (Curves(name="curves", title="When and why training hurts", in_paper=False),)
