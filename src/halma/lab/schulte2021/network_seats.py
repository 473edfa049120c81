"""Section 9.6: the network's placements by seat, and what it thinks of the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from halma.lab.jobs import Job
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.schulte2021.networks import (
    SeatMatchExperiment,
    every_network,
    final_networks,
    how,
    run_versions,
)
from halma.lab.schulte2021.policies import read_start, start_job
from halma.lab.schulte2021.seats import SEAT_COLUMNS, order_verdict, seat_rows
from halma.lab.schulte2021.settings import ALONE, SEARCH, scale
from halma.lab.seat_matches import SeatedGame, SeatMatch, SeatTable
from halma.lab.workspace import Workspace

_TEXT = (
    "Games of a network against itself, each from an opening of two random moves a player. The "
    "thesis played 120 games without search. In a fair game every seat has a mean score of 4/3. "
    "Intervals are 95%."
)
_VALUES = PlotStyle("version", "expected score at the start", ylim=(0.0, 3.0), level=4 / 3)


class NetworkSeats(SeatMatchExperiment):
    """The final networks against themselves, and every version's values of the start."""

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the run, the games, and the questions about the start."""
        yield from super().jobs(workspace)
        yield from (start_job(workspace, one) for one in every_network(workspace).values())

    def matches(self, workspace: Workspace) -> Mapping[tuple[str, int], SeatMatch]:
        """Return the games of the final networks against themselves."""
        games = scale(workspace).network_seat_games
        return {
            (one.label, n): one.match(workspace, "seats", games[n], n, None)
            for one in final_networks(workspace)
            for n in (ALONE, SEARCH)
        }

    def sections(
        self, workspace: Workspace, played: Mapping[tuple[str, int], Sequence[SeatedGame]]
    ) -> Sequence[ReportSection]:
        """Return placements by seat, values of the start, and what the thesis says of both."""
        tables = {x: SeatTable.of(games) for x, games in played.items()}
        rows = [
            row
            for (label, n), table in tables.items()
            for row in seat_rows(f"{label}, {how(n)}", len(played[label, n]), table)
        ]
        found = {
            label: read_start(workspace, one) for label, one in every_network(workspace).items()
        }
        values = {label: start["scores"] for label, start in found.items() if start}
        claims = list(_claims(tables, values))
        images = self._images(workspace, values)
        placements = ReportSection(self.title, _TEXT, rows, columns=SEAT_COLUMNS)
        return [placements, ReportSection("What the thesis says of the order", "", claims, images)]

    def _images(
        self, workspace: Workspace, values: Mapping[str, Sequence[float]]
    ) -> list[ReportFigure]:
        """Draw the values of the start by version, where there are several."""
        every = {n: values.get(one.label) for n, one in run_versions(workspace).items()}
        versions = {n: scores for n, scores in every.items() if scores}
        if len(versions) < 2:
            return []
        lines = [
            PlotLine(f"player {seat + 1}", list(versions), [v[seat] for v in versions.values()])
            for seat in range(3)
        ]
        file = f"{self.file}.png"
        plot_lines(workspace.pages / file, [PlotPanel("", lines)], _VALUES)
        return [ReportFigure(file, "Scores that each version expects at the start")]


def _claims(
    tables: Mapping[tuple[str, int], SeatTable], values: Mapping[str, Sequence[float]]
) -> Iterator[Claim]:
    for (label, simulations), table in tables.items():
        means = ", ".join(f"{mean:.2f}" for mean, _ in table.scores)
        paper, verdict = "", order_verdict(table)
        if simulations == ALONE:
            paper = '"strongest when playing for player 1, and weakest when playing for player 3"'
            scores = [mean for mean, _ in table.scores]
            verdict = f"{_agrees(scores, verdict)}: {verdict}"
        yield Claim(f"{label}, {how(simulations)}: mean scores by seat", paper, means, verdict)
    for label in dict.fromkeys(label for label, _ in tables):
        if label in values:
            ours = ", ".join(f"{value:.2f}" for value in values[label])
            falling = list(values[label]) == sorted(values[label], reverse=True)
            remark = "agrees" if falling else "differs"
            paper = "falls from player 1 to player 3"
            yield Claim(f"{label}: values of the start by seat", paper, ours, remark)


def _agrees(scores: Sequence[float], verdict: str) -> str:
    """Return how mean scores stand to the claim that they fall from seat to seat."""
    if verdict == "no clear difference":
        return "not decided"
    best, worst = scores.index(max(scores)), scores.index(min(scores))
    return "agrees" if (best, worst) == (0, len(scores) - 1) else "differs"


EXPERIMENTS = (
    NetworkSeats(name="network-seats", title="Section 9.6: seats of the network, and the start"),
)
