"""Figures 4 to 6 and the rejected features: winning steps of two players each, compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.he2016.games import (
    BENCHMARK,
    Contestant,
    MeasuredGame,
    as_data,
    find_blocks,
    find_games,
    summary,
)
from halma.lab.he2016.settings import PAPER_TUNED, PROGRAM, READINGS, REJECTED, agreement, settings
from halma.lab.he2016.tuning import all_jobs, extra_jobs
from halma.lab.jobs import Job
from halma.lab.plots import plot_histograms
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.workspace import Workspace

BETTER, ALIKE = "better", "no clear difference"

_TEXT = (
    f"{{games}} games each against the benchmark. By the text it is `{BENCHMARK}`, the first move "
    "changes hands, and a player wins with all pieces in the target, so that games may block: "
    "they are stopped after 200 plies and count 0. In the program the benchmark moves first, "
    "weighs a move's gain in squared rows and the rows of the next one, and a target counts once "
    "it is full. Winning steps are the moves the loser still needs: the fewest found in which it "
    "could finish if the winner's pieces stood still, negative where the benchmark wins. In "
    "brackets: wins, draws and losses, and how many of the games are different; equal games "
    "count as one observation of the 95% interval. 'Tuned' are our weights, 'paper' the paper's."
)

Pair = tuple[Contestant, Contestant]


class Comparison(NamedTuple):
    """What the paper says of pairs of players."""

    claim: str
    #: what the second player of a pair may be for the claim to stand
    expected: Sequence[str]
    pairs: Sequence[Pair]

    def rows(self, found: Mapping[Contestant, Sequence[MeasuredGame]]) -> Iterator[Claim]:
        """Yield a row for each pair that has played."""
        for pair in self.pairs:
            if not all(player in found for player in pair):
                continue
            first, second = (summary(found[player]) for player in pair)
            gain = second["mean"] - first["mean"]
            error = math.hypot(first["error"], second["error"])
            ours = f"{_written(first)} -> {_written(second)}; gain {gain:+.2f} ± {error:.2f}"
            remark = "open: one game over and over"
            if math.isfinite(error):
                change = BETTER if gain > error else "worse" if gain < -error else ALIKE
                verdict = "agrees" if change in self.expected else "differs"
                remark = f"{verdict}: {change}"
            yield Claim(_name(pair), self.claim, ours, remark)


def _name(pair: Pair) -> str:
    """Return what two players have in common, and what they differ in."""
    parts = list(zip(*(player.parts for player in pair), strict=True))
    common = ", ".join(first for first, second in parts if first == second)
    return f"{common}: {' -> '.join(_differing(pair))}"


def _differing(pair: Pair) -> tuple[str, str]:
    parts = zip(*(player.parts for player in pair), strict=True)
    ((first, second),) = (both for both in parts if both[0] != both[1])
    return first, second


def _written(found: Mapping[str, float]) -> str:
    return (
        f"{found['mean']:+.2f} ± {found['error']:.2f} "
        f"({found['wins']:g}-{found['draws']:g}-{found['losses']:g}, {found['distinct']:g} "
        "different)"
    )


@dataclass(frozen=True, kw_only=True)
class MatchFigure(Experiment):
    """Histograms of winning steps, a panel for each pair of players."""

    text: str
    comparisons: Sequence[Comparison]
    caption: str
    #: whether players have weights of rejected features
    extra: bool = False

    @property
    def pairs(self) -> list[Pair]:
        """All pairs, in the order of the panels."""
        return [pair for comparison in self.comparisons for pair in comparison.pairs]

    @property
    def players(self) -> list[Contestant]:
        """All players."""
        return list(dict.fromkeys(player for pair in self.pairs for player in pair))

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the tunings; once they are done, blocks of games of all players."""
        yield from all_jobs(workspace)
        if self.extra:
            yield from extra_jobs(workspace)
        for blocks in find_blocks(workspace, self.players).values():
            yield from blocks.jobs(workspace.seed)

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw the histograms and compare the players of each pair."""
        found = find_games(workspace, self.players)
        played = [pair for pair in self.pairs if all(player in found for player in pair)]
        if not played:
            return ExperimentPage([ReportSection(self.title, "Not run yet.")])
        panels = []
        for pair in played:
            names = _differing(pair)
            steps = [[one.steps for one in found[player]] for player in pair]
            title = f"{' and '.join(names)},\n{_name(pair).partition(':')[0]}"
            panels.append((title, dict(zip(names, steps, strict=True))))
        file = f"{self.file}.png"
        plot_histograms(workspace.pages / file, panels, "winning steps", "games")
        rows = [row for comparison in self.comparisons for row in comparison.rows(found)]
        figures = [ReportFigure(file, self.caption)]
        text = f"{self.text.format(games=settings(workspace).games)}\n\n{agreement(rows)}"
        section = ReportSection(self.title, text, rows, figures)
        return ExperimentPage([section], data={"games": as_data(found)})


_DEPTHS = tuple(PAPER_TUNED)
_WEIGHTS = ("tuned", "paper")


def _pairs(*, depths: Sequence[int] = _DEPTHS) -> Iterator[Contestant]:
    for reading, weights, depth in product(READINGS, _WEIGHTS, depths):
        yield Contestant(reading, weights, depth)


_TUNING = [(Contestant(p.reading, "untuned", p.depth), p) for p in _pairs()]
_DEEPENING = [(p, Contestant(p.reading, p.weights, 4)) for p in _pairs(depths=[2])]
_MODIFYING = {
    depth: [(p, Contestant(p.reading, p.weights, depth, True)) for p in _pairs(depths=[depth])]
    for depth in _DEPTHS
}
_ADDING = [
    (Contestant(PROGRAM.name, "tuned", 2), Contestant(PROGRAM.name, extra, 2)) for extra in REJECTED
]

EXPERIMENTS = (
    MatchFigure(
        name="fig4",
        title="Figure 4: effects of weights",
        text=_TEXT,
        comparisons=[
            Comparison('"tuned performs significantly better than untuned"', [BETTER], _TUNING)
        ],
        caption="Winning steps with untuned and tuned weights",
    ),
    MatchFigure(
        name="fig5",
        title="Figure 5: effects of search depth",
        text="Games as in figure 4, {games} each; depth 2 beside depth 4.",
        comparisons=[Comparison('"depth 4 outperforms depth 2"', [BETTER], _DEEPENING)],
        caption="Winning steps at depth 2 and 4",
    ),
    MatchFigure(
        name="fig6",
        title="Figure 6: effects of the modified strategy",
        text="Games as in figure 4, {games} each. The modified player searches only while the "
        "armies are in contact. By the text it takes the best next position before, and the best "
        "advance in two moves afterwards. In the program the midgame begins when the fronts are "
        "two rows apart; before, it takes the best position after two own moves (three at depth "
        "4), and afterwards that after two to four own moves.",
        comparisons=[
            Comparison(
                '"improves the performance tremendously for depth 2"', [BETTER], _MODIFYING[2]
            ),
            Comparison('"no significant improvement for depth 4"', [ALIKE], _MODIFYING[4]),
        ],
        caption="Winning steps of the basic and the modified strategy",
    ),
    MatchFigure(
        name="features",
        title="Section III: features found unnecessary",
        text="Three features were tried and left out. Each is tuned together with A, B and C as "
        "the program has them, and {games} games are played with the weights, as in figure 4.",
        comparisons=[Comparison('"found unnecessary"', [ALIKE, "worse"], _ADDING)],
        caption="Winning steps with and without one more feature",
        extra=True,
    ),
)
