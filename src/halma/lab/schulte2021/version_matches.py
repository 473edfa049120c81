"""Sections 9.1, 9.2 and 9.4: versions against each other, against greedy, and without search."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from halma.lab.matches import written
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.schulte2021.networks import (
    SeatMatchExperiment,
    final_networks,
    how,
    run_versions,
)
from halma.lab.schulte2021.settings import ALONE, SEARCH, scale
from halma.lab.seat_matches import SeatedGame, SeatMatch, SideScore, side_scores, total_points
from halma.lab.workspace import Workspace
from halma.statistics import Proportion

#: A version, and its simulations.
Point = tuple[int, int]
KINDS = {1: "single games: one seat against two", 2: "double games: two seats against one"}

_GAMES = (
    "Every game begins with two random moves of each player; then the best moves are played. In a "
    "single game the agent has one seat and its opponent two, in a double game it is the other way "
    "round; all six ways to share the seats occur equally often. The thesis played 30 games with "
    "search and 120 without, and shows figures without numbers. Intervals are 95%."
)


@dataclass(frozen=True, kw_only=True)
class VersionMatches(SeatMatchExperiment):
    """Each version against the one before, or against greedy; with search, and without."""

    text: str
    ylabel: str

    @abstractmethod
    def measure(self, score: SideScore) -> Proportion:
        """Return what is drawn and listed of a score."""

    @abstractmethod
    def claims(self, played: Mapping[Point, Sequence[SeatedGame]]) -> Iterator[Claim]:
        """Yield what the thesis says of it, and what we found."""

    def sections(
        self, workspace: Workspace, played: Mapping[Point, Sequence[SeatedGame]]
    ) -> Sequence[ReportSection]:
        """Draw a panel for each kind of games; return the claims and a row for each version."""
        scores = {point: side_scores(games) for point, games in played.items()}
        file = f"{self.file}.png"
        panels = [self._panel(scores, held) for held in KINDS]
        plot_lines(workspace.pages / file, panels, panels[0].style or PlotStyle("", ""))
        image = ReportFigure(file, f"{self.ylabel} by version; dashed: equally strong agents")
        rows = [self._row(version, scores) for version in sorted({v for v, _ in scores})]
        columns = ["version"]
        for simulations in (SEARCH, ALONE):
            columns += [f"{how(simulations)}, {kind.partition(':')[0]}" for kind in KINDS.values()]
        claims = ReportSection(self.title, self.text + _GAMES, list(self.claims(played)), [image])
        table = ReportSection(f"{self.title}: {self.ylabel}", rows=rows, columns=columns)
        return [claims, table]

    def _panel(self, scores: Mapping[Point, Mapping[int, SideScore]], held: int) -> PlotPanel:
        lines = []
        for simulations in (SEARCH, ALONE):
            found = {v: self.measure(s[held]) for (v, n), s in scores.items() if n == simulations}
            ends = [one.interval or (one.value, one.value) for one in found.values()]
            low, high = zip(*ends, strict=True) if ends else ((), ())
            values = [one.value for one in found.values()]
            lines.append(PlotLine(how(simulations), list(found), values, low, high))
        some = next(iter(scores.values()))[held]
        style = PlotStyle(
            "version", self.ylabel, ylim=(0.0, 1.0), percent=True, level=some.by_chance
        )
        return PlotPanel(KINDS[held], lines, style)

    def _row(self, version: int, scores: Mapping[Point, Mapping[int, SideScore]]) -> list[str]:
        found = [scores.get((version, simulations), {}) for simulations in (SEARCH, ALONE)]
        cells = [written(self.measure(s[held])) if s else "" for s in found for held in KINDS]
        return [str(version), *cells]


class PreviousVersions(VersionMatches):
    """Figures 9.1.65 and 9.1.66."""

    def matches(self, workspace: Workspace) -> Mapping[Point, SeatMatch]:
        """Return matches of each version against the one before."""
        versions, games = run_versions(workspace), scale(workspace).version_games
        return {
            (number, n): one.match(workspace, "versions", games[n], n, (before, n))
            for (_, before), (number, one) in pairwise(versions.items())
            for n in (SEARCH, ALONE)
        }

    def measure(self, score: SideScore) -> Proportion:
        """Return the share of points, which the gate asks for."""
        return score.points

    def claims(self, played: Mapping[Point, Sequence[SeatedGame]]) -> Iterator[Claim]:
        """A version passed the gate with 55% of the points."""
        for simulations in (SEARCH, ALONE):
            shares = [total_points(games) for (_, n), games in played.items() if n == simulations]
            if not shares:
                continue
            mean = sum(share.value for share in shares) / len(shares)
            better = sum((share.interval or (0.0, 1.0))[0] > 0.5 for share in shares)
            worse = sum((share.interval or (0.0, 1.0))[1] < 0.5 for share in shares)
            yield Claim(
                f"points against the version before, single and double games, {how(simulations)}",
                "at least 55% in the gate, by search" if simulations == SEARCH else "",
                f"mean of {len(shares)} versions {mean:.1%}",
                f"{better} clearly better, {worse} clearly worse",
            )


class AgainstGreedy(VersionMatches):
    """Figures 9.2.67 and 9.2.68."""

    def matches(self, workspace: Workspace) -> Mapping[Point, SeatMatch]:
        """Return matches of each version against greedy."""
        games = scale(workspace).version_games
        return {
            (number, n): one.match(workspace, "versions", games[n], n)
            for number, one in run_versions(workspace).items()
            for n in (SEARCH, ALONE)
        }

    def measure(self, score: SideScore) -> Proportion:
        """Return the share of games in which the agent is first."""
        return score.first

    def claims(self, played: Mapping[Point, Sequence[SeatedGame]]) -> Iterator[Claim]:
        """Later versions are better, and the agent is better in double games."""
        for simulations in (SEARCH, ALONE):
            scores = {v: side_scores(g) for (v, n), g in played.items() if n == simulations}
            if len(scores) > 1:
                yield from _improvement(scores, simulations)
            if scores:
                yield _double_games(scores[max(scores)], max(scores), simulations)


def _improvement(
    scores: Mapping[int, Mapping[int, SideScore]], simulations: int
) -> Iterator[Claim]:
    first, last = min(scores), max(scores)
    for held, kind in KINDS.items():
        one, other = scores[first][held], scores[last][held]
        remark = compare(other.log_odds, one.log_odds)
        yield Claim(
            f"{kind.partition(':')[0]}, {how(simulations)}: first, version {first} to {last}",
            '"improvements are clearly visible"',
            f"{written(one.first)} to {written(other.first)}",
            {"more": "agrees", "less": "differs"}.get(remark, remark),
        )


def _double_games(scores: Mapping[int, SideScore], version: int, simulations: int) -> Claim:
    single, double = scores[1].log_odds, scores[2].log_odds
    remark = compare(double, single)
    gap, width = double[0] - single[0], math.hypot(double[1], single[1])
    low, middle, high = (math.exp(gap + sign * width) for sign in (-1, 0, 1))
    return Claim(
        f"strength of a seat of version {version}, {how(simulations)}, double against single games",
        '"performs better in double games, especially when using the tree search"',
        f"odds times {middle:.2f} [{low:.2f}, {high:.2f}]",
        {"more": "agrees", "less": "differs"}.get(remark, remark),
    )


def compare(one: tuple[float, float], other: tuple[float, float]) -> str:
    """Return whether a value is more or less than another, each with its half-width."""
    gap, width = one[0] - other[0], math.hypot(one[1], other[1])
    return "no clear difference" if abs(gap) <= width else "more" if gap > 0 else "less"


class SearchAgainstNetwork(SeatMatchExperiment):
    """Figure 9.4.69."""

    def matches(self, workspace: Workspace) -> Mapping[str, SeatMatch]:
        """Return each final network's match with search against itself without."""
        games = scale(workspace).search_games
        return {
            one.label: one.match(workspace, "search", games, SEARCH, (one, ALONE))
            for one in final_networks(workspace)
        }

    def sections(
        self, workspace: Workspace, played: Mapping[str, Sequence[SeatedGame]]
    ) -> Sequence[ReportSection]:
        """Return rows for single and double games."""
        rows = []
        for label, games in played.items():
            share = total_points(games)
            low, high = share.interval or (0.0, 1.0)
            remark = "agrees" if low > 0.5 else "differs" if high < 0.5 else "no clear difference"
            paper = '"significantly contributes to the performance"'
            what = f"{label}, {SEARCH} simulations against {how(ALONE)}"
            rows.append(Claim(f"{what}, points", paper, written(share), remark))
            for held, score in side_scores(games).items():
                rows.append(Claim(f"{what}, {KINDS[held].partition(':')[0]}", "", str(score)))
        return [ReportSection(self.title, _GAMES, rows)]


#: What the agent should reach, by simulations and seats: a share of first places, or of the
#: opponent's, which should be no more.
AIMS: Mapping[tuple[int, int], float] = {(SEARCH, 1): 0.85, (SEARCH, 2): 0.05, (ALONE, 1): 0.60}


class Strength(SeatMatchExperiment):
    """The final networks against greedy in many games."""

    def matches(self, workspace: Workspace) -> Mapping[tuple[str, int], SeatMatch]:
        """Return matches of the final networks against greedy."""
        games = scale(workspace).strength_games
        return {
            (one.label, n): one.match(workspace, "strength", games[n], n)
            for one in final_networks(workspace)
            for n in (SEARCH, ALONE)
        }

    def sections(
        self, workspace: Workspace, played: Mapping[tuple[str, int], Sequence[SeatedGame]]
    ) -> Sequence[ReportSection]:
        """Return a row for each network, with and without search, and each kind of games."""
        rows = [
            _strength_row(label, simulations, score)
            for (label, simulations), games in played.items()
            for score in side_scores(games).values()
        ]
        return [ReportSection(self.title, _GAMES, rows, columns=("", "aim", "ours", "remark"))]


def _strength_row(label: str, simulations: int, score: SideScore) -> Claim:
    kind = KINDS[score.held].partition(":")[0]
    what = f"{label}, {how(simulations)}, {score.games} {kind}"
    aim = AIMS.get((simulations, score.held))
    if score.held == 1:
        stated = "" if aim is None else f"first in at least {aim:.0%}"
        met = aim is not None and score.first.value >= aim
        ours = f"first in {written(score.first)}"
    else:
        stated = "" if aim is None else f"greedy first in at most {aim:.0%}"
        met = aim is not None and score.opponent_first.value <= aim
        ours = f"greedy first in {written(score.opponent_first)}"
    return Claim(what, stated, ours, "" if aim is None else "met" if met else "missed")


EXPERIMENTS = (
    PreviousVersions(
        name="versions",
        title="Section 9.1: each version against the one before",
        text="A version is a network that passed the gate; version 1 is that after the games of "
        "initialize. ",
        ylabel="points",
    ),
    AgainstGreedy(
        name="greedy",
        title="Section 9.2: versions against greedy",
        text="A seat that is w times as strong as each of greedy's is first with odds of w to 2 in "
        "single games and of 2 w to 1 in double games; that is how the two kinds are compared. ",
        ylabel="first",
    ),
    SearchAgainstNetwork(name="search", title="Section 9.4: tree search against the network alone"),
    Strength(name="strength", title="Strength against greedy", in_paper=False),
)
