"""Section 9.6: does the order of the players matter? Placements by seat, of several agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from halma.lab.experiment import ExperimentPage
from halma.lab.matches import MatchPlayer
from halma.lab.report import Claim, ReportSection
from halma.lab.schulte2021.games import AgentMatches
from halma.lab.schulte2021.settings import GREEDY, OPENING_PLIES, VARIANT, scale
from halma.lab.seat_matches import SeatMatch, SeatTable
from halma.lab.trained import NOT_RUN
from halma.lab.workspace import Workspace

#: Agents that need no training, the thesis' greedy first, and what a game costs.
AGENTS: Mapping[str, float] = {
    GREEDY: 0.002,
    "greedy": 0.002,
    "paranoid:depth=2": 0.01,
    "mcts:sims=200,evaluator=linear": 0.015,
}

_TEXT = (
    "Games of one agent against itself, each from an opening of two random moves a player, as in "
    "the thesis' evaluations. Scores are 3, 1 and 0; in a fair game every seat has a mean of 4/3. "
    f"{GREEDY} is the thesis' greedy player, which draws lots among the longest moves. The thesis "
    "played 120 games, after which the mean score of a seat is known to ±0.23 and no better, and "
    "its figures have no numbers in the text. Intervals are 95%."
)


def seat_rows(label: str, games: int, table: SeatTable) -> Iterator[Sequence[str]]:
    """Yield a row for each seat: placements and mean score."""
    for seat, (places, (mean, width)) in enumerate(
        zip(table.places, table.scores, strict=True), start=1
    ):
        first, second, last = (f"{share:.1%}" for share in places)
        what = f"{label}, {games:,} games" if seat == 1 else ""
        yield what, f"player {seat}", first, second, last, f"{mean:.3f} ± {width:.3f}"


SEAT_COLUMNS = ("", "seat", "first", "second", "neither", "mean score")


def order_verdict(table: SeatTable) -> str:
    """Return whether earlier seats score more, as far as the intervals tell."""
    if all(table.leads[seat][seat + 1] for seat in range(len(table.scores) - 1)):
        return "the earlier, the better"
    ranked = sorted(range(len(table.scores)), key=lambda seat: table.scores[seat][0])
    worst, best = ranked[0], ranked[-1]
    if not table.leads[best][worst]:
        return "no clear difference"
    return f"player {best + 1} above player {worst + 1}"


def first_seat_verdict(table: SeatTable) -> str:
    """Return how our scores stand to the claim that player 1 has the worst."""
    others = range(1, len(table.scores))
    if all(table.leads[seat][0] for seat in others):
        return "agrees"
    return "differs" if any(table.leads[0][seat] for seat in others) else "not decided"


@dataclass(frozen=True, kw_only=True)
class SeatsOfAgents(AgentMatches):
    """Agents that need no training, against themselves."""

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare seats, and greedy's with what the thesis says."""
        matches = self._matches(workspace)
        played = {a: match.played(workspace.measurements.read) for a, match in matches.items()}
        tables = {agent: (len(g), SeatTable.of(g)) for agent, g in played.items() if g}
        if not tables:
            return ExperimentPage([ReportSection(self.title, NOT_RUN)])
        rows = [
            row for name, (games, table) in tables.items() for row in seat_rows(name, games, table)
        ]
        sections = [ReportSection(self.title, _TEXT, rows, columns=SEAT_COLUMNS)]
        claims = list(_claims({name: table for name, (_, table) in tables.items()}))
        sections.append(ReportSection("What the thesis says of seats", rows=claims))
        return ExperimentPage(sections, data={name: t._asdict() for name, (_, t) in tables.items()})

    def _matches(self, workspace: Workspace) -> dict[str, SeatMatch]:
        games = scale(workspace).seat_games
        return {
            name: SeatMatch(
                f"seats,{name.replace(',', ' ')},total={games[name]}",
                VARIANT,
                (MatchPlayer(name),),
                games[name],
                OPENING_PLIES,
                cost,
            )
            for name, cost in AGENTS.items()
        }


def _claims(tables: Mapping[str, SeatTable]) -> Iterator[Claim]:
    for name, table in tables.items():
        means = ", ".join(f"{mean:.2f}" for mean, _ in table.scores)
        if name != GREEDY:
            yield Claim(f"{name}: mean scores of players 1 to 3", "", means, order_verdict(table))
            continue
        yield Claim(
            f"{name}: mean scores of players 1 to 3",
            '"player 1 received the worst scores on average"',
            means,
            f"{first_seat_verdict(table)}: {order_verdict(table)}",
        )


EXPERIMENTS = (SeatsOfAgents(name="seats", title="Section 9.6: seats of agents that do not learn"),)
