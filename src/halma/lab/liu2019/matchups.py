"""Table 2, the sweeps of section 4.4, and the rivals against the main agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from halma.lab.liu2019.contenders import (
    Contender,
    main_contenders,
    trained,
    undecided,
    verdict,
)
from halma.lab.liu2019.settings import (
    MAIN,
    SIMULATIONS,
    TABLE_SIMULATIONS,
    C,
    main_runs,
    rival_runs,
    scale,
)
from halma.lab.matches import Match, MatchScore
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.trained import MatchExperiment
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.statistics import half_width

#: Table 2: wins, abandoned games and losses, and what they make of points and Elo.
PAPER_TABLE, PAPER_POINTS, PAPER_ELO = (271, 1, 28), 271.5 / 300, 392

_TABLE_TEXT = (
    "Paired games against greedy: both sides of an opening of three random moves each, with "
    f"{TABLE_SIMULATIONS} simulations a move and the most visited move played. The paper does not "
    "say how its games began. Abandoned games are draws here. Its 100 games against a human, of "
    "which the agent won 63, cannot be repeated. Each seed is a training run of its own; intervals "
    "are 95%, over pairs of games for a run and over runs for the mean."
)


class Table2(MatchExperiment):
    """The main agent against greedy."""

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the main runs."""
        return main_runs(workspace)

    def matches(self, workspace: Workspace) -> Mapping[str, Match]:
        """Return a match for each main agent."""
        games = scale(workspace).table_games
        return {
            one.label: one.match("table2", games, TABLE_SIMULATIONS)
            for one in main_contenders(workspace)
        }

    def sections(
        self, workspace: Workspace, scores: Mapping[str, MatchScore]
    ) -> Sequence[ReportSection]:
        """Return wins, draws and losses of each agent, and the mean over seeds."""
        if not scores:
            return []
        rows: list[Claim] = []
        for one in main_contenders(workspace):
            if one.label in scores:
                rows += undecided(_table_rows(one.label, scores[one.label]), one.state)
        shares = [s.points.value for label, s in scores.items() if label in main_runs(workspace)]
        if len(shares) > 1:
            mean, width = fmean(shares), half_width(shares)
            paper = f"{PAPER_POINTS:.1%}, one run"
            rows.append(Claim(f"mean of {len(shares)} seeds", paper, f"{mean:.1%} ± {width:.1%}"))
        return [ReportSection(self.title, _TABLE_TEXT, rows)]


def _table_rows(label: str, score: MatchScore) -> Iterator[Claim]:
    wins, draws, losses = PAPER_TABLE
    paper = f"{wins}-{draws}-{losses}: {PAPER_POINTS:.1%}"
    what = f"{label}, {score.games} games"
    # Only the runs repeat the paper's; what comes with halma was trained in another way.
    remark = "" if label == f"net:{MAIN}" else verdict(PAPER_POINTS, score)
    yield Claim(what, paper, str(score), remark)
    low, high = score.elo_interval or (score.elo, score.elo)
    ours = f"{score.elo:+.0f} [{low:+.0f}, {high:+.0f}]"
    yield Claim(f"{label}, Elo against greedy", f"{PAPER_ELO:+}", ours)


@dataclass(frozen=True, kw_only=True)
class Sweep(MatchExperiment):
    """One main agent against greedy, with other values of its search."""

    #: the points: simulations and c
    points: Callable[[Workspace], Sequence[tuple[int, float]]]
    #: what stands on the x axis: 0 for simulations, 1 for c
    axis: int
    style: PlotStyle
    text: str
    claims: Callable[[Mapping[tuple[int, float], MatchScore]], Iterator[Claim]]

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the first main run."""
        label, recipe = next(iter(main_runs(workspace).items()))
        return {label: recipe}

    def matches(self, workspace: Workspace) -> Mapping[tuple[int, float], Match]:
        """Return a match for each point."""
        agents = main_contenders(workspace)
        games = scale(workspace).sweep_games
        return {
            (simulations, c): agents[0].match("sweep", games, simulations, c)
            for simulations, c in (self.points(workspace) if agents else ())
        }

    def sections(
        self, workspace: Workspace, scores: Mapping[tuple[int, float], MatchScore]
    ) -> Sequence[ReportSection]:
        """Draw the points; return them as rows, after what the paper says of them."""
        if not scores:
            return []
        lines: dict[str, dict[float, MatchScore]] = {}
        for point, score in scores.items():
            name = f"{point[0]:,} simulations" if self.axis else f"c = {point[1]:g}"
            lines.setdefault(name, {})[point[self.axis]] = score
        drawn = [_line(name, points) for name, points in lines.items()]
        file = f"{self.file}.png"
        plot_lines(workspace.pages / file, [PlotPanel("", drawn)], self.style)
        agent = main_contenders(workspace)[0]
        rows = undecided(self.claims(scores), agent.state)
        rows += [_point_row(*each) for each in scores.items()]
        image = ReportFigure(file, f"{self.style.ylabel} by {self.style.xlabel}, 95% intervals")
        text = f"{self.text} Network: {agent.label}."
        return [ReportSection(self.title, text, rows, [image])]


def _line(name: str, points: Mapping[float, MatchScore]) -> PlotLine:
    shares = [score.points for score in points.values()]
    intervals = [share.interval or (share.value, share.value) for share in shares]
    low, high = zip(*intervals, strict=True)
    return PlotLine(name, list(points), [share.value for share in shares], low, high)


def _point_row(point: tuple[int, float], score: MatchScore) -> Claim:
    return Claim(f"{point[0]:,} simulations, c = {point[1]:g}", "", str(score))


def _simulation_claims(scores: Mapping[tuple[int, float], MatchScore]) -> Iterator[Claim]:
    """More simulations are at least as good, and gain little above 500."""
    shares = {n: score.points for (n, _), score in sorted(scores.items())}
    listed = ", ".join(f"{n:,}: {share.value:.1%}" for n, share in shares.items())
    # A fall counts where the intervals of neighbours do not overlap.
    falls = [
        more
        for (_, a), (more, b) in zip(list(shares.items()), list(shares.items())[1:], strict=False)
        if a.interval and b.interval and b.interval[1] < a.interval[0]
    ]
    remark = f"falls at {falls}" if falls else "agrees: no clear fall"
    yield Claim("more simulations", "at least as good", listed, remark)
    if {175, 500, 1000} <= shares.keys():
        gains = [shares[b].value - shares[a].value for a, b in ((175, 500), (500, 1000))]
        ours = f"175 to 500: {gains[0]:+.1%}; 500 to 1,000: {gains[1]:+.1%}"
        remark = "agrees" if gains[1] < max(gains[0], 0.02) else "differs"
        yield Claim("more than 500", "marginal gain decreases sharply", ours, remark)


def _c_claims(scores: Mapping[tuple[int, float], MatchScore]) -> Iterator[Claim]:
    """C matters little; a large one gains about two points, and loses with few simulations."""
    for simulations in sorted({n for n, _ in scores}):
        shares = {c: score.points for (n, c), score in sorted(scores.items()) if n == simulations}
        listed = ", ".join(f"{c:g}: {share.value:.1%}" for c, share in shares.items())
        few = simulations < 100
        paper = "worse above 3.5" if few else "c = 3.5 about 2 points above c = 1"
        remark = ""
        if {1.0, C} <= shares.keys():
            gain = shares[C].value - shares[1.0].value
            width = 1.96 * (shares[C].error ** 2 + shares[1.0].error ** 2) ** 0.5
            remark = f"3.5 against 1: {100 * gain:+.1f} ± {100 * width:.1f} points"
        yield Claim(f"c with {simulations:,} simulations", paper, listed, remark)


def _simulation_points(workspace: Workspace) -> list[tuple[int, float]]:
    return [(n, C) for n in scale(workspace).sweep_simulations]


def _c_points(workspace: Workspace) -> list[tuple[int, float]]:
    chosen = scale(workspace)
    return [(n, c) for n in chosen.c_simulations for c in chosen.sweep_cs]


@dataclass(frozen=True, kw_only=True)
class RivalMatches(MatchExperiment):
    """A rival against the main agent, and against greedy."""

    #: which of the rivals
    rival: str

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the main runs and the rival's run."""
        return {**main_runs(workspace), self.rival: rival_runs(workspace)[self.rival]}

    def matches(self, workspace: Workspace) -> Mapping[str, Match]:
        """Return the rival's match against greedy, and against the first main agent."""
        rival, agents = self._rival(workspace), main_contenders(workspace)
        if rival is None:
            return {}
        games, simulations = scale(workspace).rival_games, 1 if rival.is_q else SIMULATIONS
        found = {f"{rival.label} against greedy": rival.match("rivals", games, simulations)}
        if agents:
            against = agents[0].player(SIMULATIONS)
            label = f"{rival.label} against the main agent ({agents[0].label})"
            found[label] = rival.match("rivals", games, simulations, opponent=against)
        return found

    def sections(
        self, workspace: Workspace, scores: Mapping[str, MatchScore]
    ) -> Sequence[ReportSection]:
        """Return a row for each match."""
        if not scores:
            return []
        players = [*main_contenders(workspace)[:1], self._rival(workspace)]
        rows: list[Claim] = []
        for label, score in scores.items():
            states = [one.state for one in players if one and one.state and one.label in label]
            rows += undecided([_rival_row(label, score)], "; ".join(states))
        return [ReportSection(self.title, _RIVALS_TEXT, rows)]

    def _rival(self, workspace: Workspace) -> Contender | None:
        """Return the rival, if there is one."""
        return trained(workspace, self.rival, rival_runs(workspace)[self.rival])


def _rival_row(label: str, score: MatchScore) -> Claim:
    is_dqn, paper, remark = label.startswith("DQN"), "", ""
    high = (score.points.interval or (0.0, 1.0))[1]
    if "main agent" in label and is_dqn:
        paper = '"outperforms to a significant extent"'
        remark = "agrees" if high < 0.5 else "not clearly worse, unlike the paper's"
    elif "main agent" in label:
        paper = "0 of 100 won"
        remark = "agrees" if score.wins == 0 else f"{score.wins} won, unlike the paper's"
    elif is_dqn:
        paper = '"almost always ends with a tie"'
        remark = "agrees" if score.draws > score.games / 2 else "differs"
    return Claim(f"{label}, {score.games} games", paper, str(score), remark)


_RIVALS_TEXT = (
    "Paired games from openings of three random moves each. The main agent and tabula rasa search "
    f"with {SIMULATIONS} simulations; a Q network plays its best move without a search, as in "
    "the paper. Wins, draws and losses are those of the rival."
)

EXPERIMENTS = (
    Table2(name="table2", title="Table 2: the main agent against greedy"),
    Sweep(
        name="simulations",
        title="Section 4.4: the number of simulations",
        points=_simulation_points,
        axis=0,
        style=PlotStyle(
            "simulations",
            "points against greedy",
            xscale=10,
            xticks=(1, 10, 30, 50, 100, 175, 500, 1000),
            percent=True,
        ),
        text="The main agent against greedy, with c = 3.5 as the paper counts it.",
        claims=_simulation_claims,
    ),
    Sweep(
        name="exploration",
        title="Section 4.4: the exploration constant",
        points=_c_points,
        axis=1,
        style=PlotStyle("c as the paper counts it", "points against greedy", percent=True),
        text="The main agent against greedy. Values lie in [0, 1] here, so the search has c / 2.",
        claims=_c_claims,
    ),
    RivalMatches(
        name="rival-dqn",
        title="Section 4.2: deep Q-learning against the main agent",
        rival="DQN",
        also="rivals",
    ),
    RivalMatches(
        name="rival-tabula-rasa",
        title="Section 4.2: tabula rasa against the main agent",
        rival="Tabula rasa",
        also="rivals",
    ),
)
