"""What the text says of run times and of the number of moves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence

from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.he2016.games import (
    FEWEST_MOVES,
    MOST_MOVES,
    Contestant,
    MeasuredGame,
    find_blocks,
    find_games,
    mean_of,
)
from halma.lab.he2016.settings import PROGRAM, READINGS, TEXT
from halma.lab.he2016.tuning import all_jobs
from halma.lab.jobs import Job
from halma.lab.report import Claim, ReportSection
from halma.lab.workspace import Workspace

#: "Orders of magnitude": the modified player takes at most this share of the basic one's effort.
FASTER = 0.1
#: "Usually": at least this share of the turns has 20 to 100 moves.
USUALLY = 0.5

Played = Mapping[Contestant, Sequence[MeasuredGame]]


class EffortTable(Experiment):
    """A table about the games of tuned players, which figures 4 to 6 have as well."""

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the tunings and the games of the tuned players."""
        yield from all_jobs(workspace)
        for blocks in find_blocks(workspace, _players()).values():
            yield from blocks.jobs(workspace.seed)

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare the games with what the paper says of them."""
        found = find_games(workspace, _players())
        if len(found) < len(_players()):
            return ExperimentPage([ReportSection(self.title, "Not run yet.")])
        return ExperimentPage([ReportSection(self.title, self.method(), list(self.rows(found)))])

    @abstractmethod
    def method(self) -> str:
        """Return what was measured, and how."""

    @abstractmethod
    def rows(self, found: Played) -> Iterator[Claim]:
        """Yield the rows of the table."""


class RuntimeTable(EffortTable):
    """Run times of the basic and the modified player, and what the worst games took."""

    def method(self) -> str:
        """Return what was measured, and how."""
        return (
            "Read by the text, the effort of a player is its processor time, summed over the moves "
            "of a game. The program's players are partly in Python here, so their effort is "
            "counted in positions visited, by searches that visit most positions once. The paper's "
            "seconds are those of its machine, language and search: only ratios are compared."
        )

    def rows(self, found: Played) -> Iterator[Claim]:
        """Yield the effort of each player, and the ratios."""
        for reading, what in ((TEXT.name, "seconds"), (PROGRAM.name, "visited")):
            unit = "{:.3g} s" if what == "seconds" else "{:,.0f} positions"
            for depth, paper in ((2, '"under 5 seconds"'), (4, '"over 900 seconds"')):
                games = found[Contestant(reading, "tuned", depth)]
                worst = max(getattr(one, what) for one in games)
                yield Claim(f"{reading}, depth {depth}, worst game", paper, unit.format(worst))
            for depth in (2, 4):
                basic, modified = (
                    mean_of(found[Contestant(reading, "tuned", depth, m)], what)
                    for m in (False, True)
                )
                ours = f"{unit.format(basic)} -> {unit.format(modified)} a game"
                share = modified / basic if basic else 1.0
                if depth == 4:
                    paper = '"an average of 400 seconds to less than 10 seconds"'
                    verdict = "agrees" if share <= FASTER else "differs"
                    remark = f"{verdict}: {share:.1%} of the effort"
                else:
                    paper, remark = "", f"{share:.1%} of the effort"
                yield Claim(f"{reading}, depth {depth}, basic -> modified", paper, ours, remark)


class MovesTable(EffortTable):
    """How many moves players have in a turn."""

    def method(self) -> str:
        """Return what was measured, and how."""
        return (
            "Turns of both players in the games of the tuned players, basic and modified, at both "
            "depths; each game counts as often as it was played."
        )

    def rows(self, found: Played) -> Iterator[Claim]:
        """Yield a row for each reading."""
        for reading in READINGS:
            games = [one for p, games in found.items() if p.reading == reading for one in games]
            share = sum(one.usual_turns for one in games) / sum(one.turns for one in games)
            ours = (
                f"{share:.1%} of the turns have {FEWEST_MOVES} to {MOST_MOVES}; the fewest are "
                f"{min(one.fewest for one in games)}, the most {max(one.most for one in games)}"
            )
            verdict = "agrees" if share >= USUALLY else "differs"
            paper = f'"usually around {FEWEST_MOVES} - {MOST_MOVES} feasible moves"'
            yield Claim(f"{reading}, moves in a turn", paper, ours, verdict)


def _players() -> list[Contestant]:
    return [
        Contestant(reading, "tuned", depth, modified)
        for reading in READINGS
        for depth in (2, 4)
        for modified in (False, True)
    ]


EXPERIMENTS = (
    RuntimeTable(name="runtime", title="Section VI: run times", libraries=()),
    MovesTable(name="moves", title="Section IV: moves in a turn", libraries=()),
)
