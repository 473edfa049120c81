"""Section 4.3: where the games of the first stage start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from halma.lab.liu2019.contenders import Contender, verdict
from halma.lab.liu2019.settings import SIMULATIONS, scale, start_runs
from halma.lab.matches import Match, MatchScore
from halma.lab.report import Claim, ReportSection
from halma.lab.trained import MatchExperiment
from halma.lab.workspace import Workspace
from halma.learn import Recipe

#: The paper's shares of games won against greedy.
PAPER_WINS = {"M_S": 0.77, "M_N (50:50)": 0.67}
PAPER_BEATS = 0.8

_TEXT = (
    "Networks of the first stage alone: M_R has games from random placements, M_N games from the "
    "usual start, M_N (50:50) half of each, and M_S half from random placements, 30% with three "
    "random moves of each player and 20% from the usual start. M_N meets M_R by the best move of "
    "the policy and with search; the paper does not say which. Against greedy both search with "
    f"{SIMULATIONS} simulations, as in the paper. Games are paired, from openings of three random "
    "moves each. One training run of each."
)


class Starts(MatchExperiment):
    """Four networks of the first stage."""

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the four runs."""
        return start_runs(workspace)

    def _networks(self, workspace: Workspace) -> dict[str, Contender]:
        found = {}
        for label, recipe in start_runs(workspace).items():
            network = workspace.runs.versions(recipe).get(0)
            if network is not None:
                found[label] = Contender(label, network)
        return found

    def matches(self, workspace: Workspace) -> Mapping[str, Match]:
        """Return M_N against M_R, and the others against greedy."""
        networks, games = self._networks(workspace), scale(workspace).start_games
        found = {}
        if {"M_N", "M_R"} <= networks.keys():
            for simulations in (1, SIMULATIONS):
                against = networks["M_R"].player(simulations)
                match = networks["M_N"].match("starts", games, simulations, opponent=against)
                found[_label(simulations)] = match
        for name in PAPER_WINS:
            if name in networks:
                found[name] = networks[name].match("starts", games, SIMULATIONS)
        return found

    def sections(
        self, workspace: Workspace, scores: Mapping[str, MatchScore]
    ) -> Sequence[ReportSection]:
        """Return a row for each match."""
        return [ReportSection(self.title, _TEXT, list(_rows(scores)))] if scores else []


def _label(simulations: int) -> str:
    how = "without search" if simulations == 1 else f"{simulations} simulations"
    return f"M_N against M_R, {how}"


def _rows(scores: Mapping[str, MatchScore]) -> Iterator[Claim]:
    for label, score in scores.items():
        if label in PAPER_WINS:
            paper = PAPER_WINS[label]
            what, stated = f"{label} against greedy", f"{paper:.0%} of 100 games won"
            remark = verdict(paper, score)
        else:
            what, stated = label, f"over {PAPER_BEATS:.0%} won"
            remark = "agrees" if score.rate.value > PAPER_BEATS else "differs"
        yield Claim(f"{what}, {score.games} games", stated, str(score), remark)
    if PAPER_WINS.keys() <= scores.keys():
        first, second = (scores[name].points for name in PAPER_WINS)
        gain = first.value - second.value
        width = 1.96 * (first.error**2 + second.error**2) ** 0.5
        clear = "no clear difference" if abs(gain) <= width else "agrees" if gain > 0 else "differs"
        ours = f"{100 * gain:+.1f} ± {100 * width:.1f} points"
        yield Claim("M_S better than M_N (50:50)", "+10 points", ours, clear)


EXPERIMENTS = (Starts(name="starts", title="Section 4.3: where games of the first stage start"),)
