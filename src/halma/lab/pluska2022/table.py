"""Section 3: the round robin of seven, with enough games for intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from halma.lab.matches import Match, MatchPlayer, MatchScore
from halma.lab.pluska2022.settings import (
    EASY,
    RANDOM,
    STAGES,
    match,
    paper_run,
    scale,
    versions,
)
from halma.lab.report import AGREES, DIFFERS, Claim, ReportSection
from halma.lab.trained import MatchExperiment
from halma.lab.workspace import Workspace
from halma.learn import Recipe

#: What tables call the two that are no networks.
RANDOM_LABEL, EASY_LABEL = "random", "easy"
LABELS = (*STAGES, RANDOM_LABEL, EASY_LABEL)
#: The paper's table as it is printed: the points of a row's agent against a column's, a game each.
#: The entries of four pairs do not add up to 1.
PAPER_POINTS: Mapping[str, Sequence[float | None]] = {
    "bootstrapped": (None, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5),
    "endgame": (0.0, None, 0.0, 0.0, 0.5, 0.0, 0.0),
    "100 games": (0.0, 1.0, None, 0.5, 0.5, 1.0, 0.0),
    "200 games": (0.0, 1.0, 0.5, None, 1.0, 0.5, 0.0),
    "300 games": (0.0, 0.5, 0.0, 1.0, None, 1.0, 0.0),
    RANDOM_LABEL: (0.0, 0.5, 0.0, 0.0, 0.0, None, 0.0),
    EASY_LABEL: (0.5, 1.0, 1.0, 1.0, 1.0, 1.0, None),
}

#: What the paper concludes from it: the first agent is stronger than the second. Nothing is
#: compared with what it says of "easy", which is another program here.
ORDER = (
    ("bootstrapped", "endgame"),
    ("bootstrapped", "100 games"),
    ("bootstrapped", "200 games"),
    ("bootstrapped", "300 games"),
    ("bootstrapped", RANDOM_LABEL),
)
CUTOFFS = (
    "an agent is stronger than another if the 95% interval of its points against it is above 50%; "
    "the order differs if it is below. This was written down after the runs."
)

_TEXT = (
    "Points of the row's agent against the column's, with 95% intervals over pairs of games: "
    "{games} games each, both sides of openings of four random plies, {expansions} expansions a "
    "move. A fixed-depth alpha-beta, {easy}, plays in place of the engine 'easy'. The paper has "
    "one game of each pair, and the entries of four pairs do not add up to 1."
)


class RoundRobin(MatchExperiment):
    """The crosstable of seven."""

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the paper's run."""
        return {"the paper's run": paper_run(workspace)}

    def matches(self, workspace: Workspace) -> Mapping[tuple[str, str], Match]:
        """Return a match for each pair of agents that there are."""
        chosen, found = scale(workspace), versions(workspace, paper_run(workspace))
        players: dict[str, MatchPlayer] = {
            label: found[number].player(chosen.expansions)
            for label, number in STAGES.items()
            if number in found
        }
        players |= {RANDOM_LABEL: RANDOM, EASY_LABEL: EASY} if players else {}
        return {
            pair: match(
                f"table,{'-'.join(pair)}".replace(" ", "_"),
                (players[pair[0]], players[pair[1]]),
                chosen.table_games,
                chosen.expansions,
            )
            for pair in combinations(players, 2)
        }

    def sections(
        self, workspace: Workspace, scores: Mapping[tuple[str, str], MatchScore]
    ) -> Sequence[ReportSection]:
        """Return the crosstable, and the totals beside the paper's."""
        if not scores:
            return []
        chosen = scale(workspace)
        text = _TEXT.format(games=chosen.table_games, expansions=chosen.expansions, easy=EASY.name)
        table = [[label, *(_cell(scores, label, other) for other in LABELS)] for label in LABELS]
        totals = [list(row) for row in _totals(scores)]
        return [
            ReportSection(self.title, text, table, columns=("", *LABELS)),
            ReportSection(
                "Points against the other six",
                "Means over the six matches; the paper's are of six games.",
                totals,
                columns=("", "paper", "ours"),
            ),
            ReportSection(
                "Who is stronger",
                "Whether the agents that the paper found stronger are.",
                [*_claims(scores)],
            ),
        ]


def _points(scores: Mapping[tuple[str, str], MatchScore], one: str, other: str) -> float | None:
    """Return the share of points of one agent against another, where they played."""
    if (one, other) in scores:
        return scores[one, other].points.value
    return 1 - scores[other, one].points.value if (other, one) in scores else None


def _cell(scores: Mapping[tuple[str, str], MatchScore], one: str, other: str) -> str:
    points = _points(scores, one, other)
    if points is None:
        return ""
    interval = (scores.get((one, other)) or scores[other, one]).points.interval
    width = "" if interval is None else f" ± {(interval[1] - interval[0]) / 2:.1%}"
    return f"{points:.1%}{width}"


def _claims(scores: Mapping[tuple[str, str], MatchScore]) -> Iterator[Claim]:
    """Yield whether the agents that the paper found stronger are."""
    for one, other in ORDER:
        points = _points(scores, one, other)
        if points is None:
            continue
        interval = (scores.get((one, other)) or scores[other, one]).points.interval or (0.0, 1.0)
        half = (interval[1] - interval[0]) / 2
        decided = abs(points - 0.5) > half
        remark = (AGREES if points > 0.5 else DIFFERS) if decided else "no clear difference"
        paper = PAPER_POINTS[one][LABELS.index(other)]
        yield Claim(
            f"{one} against {other}", f"{paper:.1f} of 1", _cell(scores, one, other), remark
        )


def _totals(scores: Mapping[tuple[str, str], MatchScore]) -> Iterator[tuple[str, str, str]]:
    """Yield the mean points of every agent, the paper's and ours."""
    for label in LABELS:
        paper = [points for points in PAPER_POINTS[label] if points is not None]
        ours = [p for other in LABELS if (p := _points(scores, label, other)) is not None]
        if ours:
            yield label, f"{sum(paper) / len(paper):.1%}", f"{sum(ours) / len(ours):.1%}"


EXPERIMENTS = (RoundRobin(name="table", title="Section 3: the round robin of seven"),)
