"""Figures 10 and 11: loss, and wins against the first version, of runs that keep their versions.

Beside them stand two runs that the paper does not have: with fewer passes, and as the authors'
program differs from the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from halma.lab.liu2019.contenders import Contender, undecided, verdict
from halma.lab.liu2019.curves import sum_of
from halma.lab.liu2019.matchups import PAPER_POINTS
from halma.lab.liu2019.settings import (
    TABLE_SIMULATIONS,
    few_passes_run,
    main_runs,
    overfitting_run,
    program_run,
    scale,
)
from halma.lab.liu2019.starts import PAPER_WINS
from halma.lab.matches import Match, MatchScore
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.trained import MatchExperiment, unfinished
from halma.lab.workspace import Workspace
from halma.learn import Recipe

#: The curves of the panel of losses; the first is what claims are about.
_LOSSES = {
    "training": ("policy_loss", "value_loss"),
    "validation": ("validation_policy_loss", "validation_value_loss"),
}
_LOSS = PlotStyle("version", "loss", marked=False)
_WINS = PlotStyle("version", "wins", ylim=(0.0, 1.0), percent=True)

_TEXT = (
    "A version is the network after an iteration of self-play and training; the first is the one "
    "after the stage of heuristic games. Loss is that of policy and value together, without the "
    "L2 term, which the paper's includes; validation, where a run has it, is the loss on new games "
    "before training on them. Wins are those of {games} paired games with "
    "{simulations} simulations against the first version. The paper does not say how many games "
    "it played. "
)


@dataclass(frozen=True, kw_only=True)
class VersionFigure(MatchExperiment):
    """The loss of a run, and its versions against the first of them."""

    recipe: Callable[[Workspace], Recipe]
    #: what the run has that others do not
    text: str
    #: what the paper says of shares of wins by version, and of losses by iteration
    claims: Callable[[Mapping[int, float], Sequence[float]], Iterator[Claim]]

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the run."""
        return {"run": self.recipe(workspace)}

    def matches(self, workspace: Workspace) -> Mapping[Any, Match]:
        """Return a match for each version of the run that there is."""
        chosen = scale(workspace)
        versions = self._versions(workspace)
        first = versions.pop(0, None)
        if first is None:
            return {}
        simulations = chosen.version_simulations
        against = first.player(simulations)
        return {
            n: one.match("versions", chosen.version_games, simulations, opponent=against)
            for n, one in versions.items()
        }

    def _versions(self, workspace: Workspace) -> dict[int, Contender]:
        """Return the versions that there are, by their iterations."""
        found = workspace.runs.versions(self.recipe(workspace))
        return {n: Contender(str(n), network) for n, network in found.items()}

    def sections(
        self, workspace: Workspace, scores: Mapping[Any, MatchScore]
    ) -> Sequence[ReportSection]:
        """Draw loss and wins; compare their course with the paper's once the run is finished."""
        recipe = self.recipe(workspace)
        metrics = workspace.runs.metrics(recipe)
        if not metrics:
            return []
        lines = [
            PlotLine(name, [x for x, _ in points], [y for _, y in points])
            for name, keys in _LOSSES.items()
            if (points := sum_of(metrics, "iteration", *keys))
        ]
        losses = lines[0].y
        wins = {n: score.rate.value for n, score in sorted(scores.items())}
        intervals = [scores[n].rate.interval or (wins[n], wins[n]) for n in wins]
        low, high = zip(*intervals, strict=True) if intervals else ((), ())
        panels = [
            PlotPanel("loss", lines, _LOSS),
            PlotPanel(
                "wins against the first version",
                [PlotLine("wins", list(wins), list(wins.values()), low, high)],
                _WINS,
            ),
        ]
        file = f"{self.file}.png"
        plot_lines(workspace.pages / file, panels, _WINS)
        chosen = scale(workspace)
        text = _TEXT.format(games=chosen.version_games, simulations=chosen.version_simulations)
        rows = list(self.claims(wins, losses)) if wins else []
        rows = undecided(rows, unfinished(workspace, recipe))
        image = ReportFigure(file, "Loss, and share of games won against the first version")
        return [ReportSection(self.title, text + self.text, rows, [image])]


class ProgramFigure(VersionFigure):
    """Such a figure, with the first and the last version against greedy beside it."""

    def matches(self, workspace: Workspace) -> Mapping[Any, Match]:
        """Return the matches of the figure, and those against greedy by their rows' names."""
        versions, games = self._versions(workspace), scale(workspace).table_games
        ends = {_FIRST_STAGE: min(versions, default=0), _BOTH_STAGES: max(versions, default=0)}
        against_greedy = {
            row: versions[n].match("program", games, TABLE_SIMULATIONS)
            for row, n in ends.items()
            if n in versions
        }
        return {**super().matches(workspace), **against_greedy}

    def sections(
        self, workspace: Workspace, scores: Mapping[Any, MatchScore]
    ) -> Sequence[ReportSection]:
        """Add rows of the games against greedy."""
        versions = {n: score for n, score in scores.items() if isinstance(n, int)}
        found = list(super().sections(workspace, versions))
        rows = [
            Claim(f"{row}, {score.games} games", f"{paper:.1%}", str(score), verdict(paper, score))
            for row, paper in _PAPER_AGAINST_GREEDY.items()
            if (score := scores.get(row)) is not None
        ]
        state = unfinished(workspace, self.recipe(workspace))
        if found and rows:
            first, *others = rows
            more = [first, *undecided(others, state)]
            found[0] = replace(found[0], rows=[*found[0].rows, *more])
        return found


_FIRST_STAGE = "network of the first stage against greedy"
_BOTH_STAGES = "last network of both stages against greedy"
_PAPER_AGAINST_GREEDY = {_FIRST_STAGE: PAPER_WINS["M_S"], _BOTH_STAGES: PAPER_POINTS}


def _loss_row(losses: Sequence[float]) -> Claim:
    ours = f"{losses[0]:.3f} to {losses[-1]:.3f}"
    return Claim("loss", "falls", ours, "agrees" if losses[-1] < losses[0] else "differs")


def _overfitting(wins: Mapping[int, float], losses: Sequence[float]) -> Iterator[Claim]:
    yield _loss_row(losses)
    steps = {n: wins[n] - before for before, n in zip(wins.values(), list(wins)[1:], strict=False)}
    last = max(steps, key=lambda n: steps[n]) if steps else None
    ours = f"{min(wins.values()):.0%} to {max(wins.values()):.0%}"
    if last is not None:
        ours += f"; largest step {steps[last]:+.0%} at version {last}"
    sudden = last is not None and steps[last] > 0.3
    paper = "few wins, then a sudden increase at version 46"
    yield Claim("wins against the first version", paper, ours, "agrees" if sudden else "differs")


def _improving(wins: Mapping[int, float], losses: Sequence[float]) -> Iterator[Claim]:
    yield _loss_row(losses)
    half = len(wins) // 2 or 1
    early, late = list(wins.values())[:half], list(wins.values())[-half:]
    means = sum(early) / len(early), sum(late) / len(late)
    ours = f"first half of the versions {means[0]:.0%}, second half {means[1]:.0%}"
    agrees = "agrees" if means[1] > means[0] else "differs"
    yield Claim("wins against the first version", "gradually increasing", ours, agrees)


def _not_in_the_paper(wins: Mapping[int, float], losses: Sequence[float]) -> Iterator[Claim]:
    """The rows of the paper's figure, without what it says."""
    for row in _improving(wins, losses):
        yield row._replace(paper="", remark="")


def _first_main_run(workspace: Workspace) -> Recipe:
    return next(iter(main_runs(workspace).values()))


EXPERIMENTS = (
    VersionFigure(
        name="fig10",
        title="Figure 10: overfitting in the second stage",
        recipe=overfitting_run,
        text="The paper does not give the settings of this run, and says that its opponent was the "
        "first version. Ours plays against that alone, keeps the weak regularisation of the first "
        "stage and makes four times as many passes over the samples.",
        claims=_overfitting,
    ),
    VersionFigure(
        name="fig11",
        title="Figure 11: suitable regularisation in the second stage",
        recipe=_first_main_run,
        text="This is the main run.",
        claims=_improving,
    ),
    VersionFigure(
        name="passes",
        title="The second stage with fewer passes over its games",
        recipe=few_passes_run,
        text="The main run from the same first stage, with a fifth of its steps: the network sees "
        "every position of a game twice, where the main run sees a half of them twenty times.",
        claims=_not_in_the_paper,
        in_paper=False,
    ),
    ProgramFigure(
        name="program",
        title="The second stage as the authors' program has it",
        recipe=program_run,
        text="The main run with what the program does in another way than the paper: the newest "
        "network plays itself, without a gate, with t = 1 for the exploratory moves; and a half of "
        "the data of two episodes is drawn anew in every episode. Its policy loss, over the moves "
        "whose label is not zero, is left out: a label of one move teaches the policy nothing then "
        "(docs/log.md). Against "
        f"greedy both networks have {TABLE_SIMULATIONS} simulations, as in Table 2.",
        claims=_improving,
        in_paper=False,
    ),
)
