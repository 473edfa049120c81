"""Section 3.2: the two greedy players, the length of games and their branching factor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halma import _core
from halma.executors import ReportProgress
from halma.games import game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.jobs import Job
from halma.lab.liu2019.settings import OPENING_PLIES, RANDOM_MOVES, VARIANT, scale
from halma.lab.matches import Match, MatchPlayer, written
from halma.lab.report import Claim, ReportSection
from halma.lab.workspace import Workspace
from halma.search import greedy_games
from halma.statistics import Proportion, proportion, ratio_of_sums
from halma.structure import fields, list_of, real, whole

#: wins of the deterministic player, wins of the stochastic one, draws
PAPER_COUNTS = (9_908, 9_766, 326)
PAPER_LENGTH, PAPER_BRANCHING = 45, 30
#: Pairings whose games are measured: what they are called, the variant, stochastic players.
PAIRINGS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "greedy against greedy:stochastic": (VARIANT, (1,)),
    "greedy against itself": (VARIANT, ()),
    "greedy against itself, hops over neighbours alone": (f"{VARIANT},hops=adjacent", ()),
}

_COUNTED = fields({"wins": list_of(whole(), 2), "draws": whole()})
_MEASURED = fields({"plies": list_of(real(0, 1e6), 2), "moves": list_of(real(0, 1e6), 2)})

_TEXT = (
    f"Each player begins with {RANDOM_MOVES} random moves, uniformly chosen among its legal moves, "
    "and the players take turns to start. The stochastic player picks a move with a probability "
    "in proportion to its forward distance, as the paper defines it. Games end in a draw after "
    "100 plies or when 16 moves end on fewer than six holes. Intervals are 95%, one seed.\n\n"
    "The paper's counts are those of two players of equal strength: 9,908 of the 19,674 decided "
    "games are 50.4%, one standard error from a half. A player that samples its moves in "
    "proportion to their length is not that strong here. One that takes the longest move and "
    "breaks ties at random is nearer, and is counted as well. The code that the authors published "
    "has no "
    "stochastic player to compare with. Length and branching come near with hops over any "
    "distance and not with hops over neighbours alone, which supports that reading of the mirror "
    "hops."
)


def count_results(games: int, seed: int, report: ReportProgress) -> dict[str, Any]:
    """Play the deterministic player against the stochastic one, each first in half of the games."""
    wins, draws = [0, 0], 0
    for first in (0, 1):  # the seat of the deterministic player
        totals = greedy_games(game(VARIANT), games // 2, seed, RANDOM_MOVES, [1 - first])
        wins[0] += totals.wins[first]
        wins[1] += totals.wins[1 - first]
        draws += totals.draws
        report((first + 1) / 2)
    return {"wins": wins, "draws": draws}


def measure_games(
    variant: str, stochastic: Sequence[int], games: int, seed: int, report: ReportProgress
) -> dict[str, Any]:
    """Return mean plies of a game and mean legal moves of a position, each with its half-width."""
    found = game(variant)
    core = found.core
    plies, moves = [], []
    for number in range(games):
        events = _core.greedy_game(core, found.limits, number, seed, RANDOM_MOVES, stochastic)
        state, legal = core.initial(), 0
        for _, move in events:
            legal += len(core.legal(state))
            state = core.play(state, move)
        plies.append(len(events))
        moves.append(legal)
        report((number + 1) / games)
    return {
        "plies": list(ratio_of_sums(plies, [1] * games)),
        "moves": list(ratio_of_sums(moves, plies)),
    }


def share(won: int, drawn: int, games: int) -> Proportion:
    """Return a share of points of independent games."""
    points = [1.0] * won + [0.5] * drawn + [0.0] * (games - won - drawn)
    return proportion(points, [1.0] * games)


@dataclass(frozen=True, kw_only=True)
class GreedyTable(Experiment):
    """The 20,000 games, and what games are like. All of it is quick enough to run in full."""

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the games of the core, and those with another way to break ties."""
        yield from (job for job, _ in self._jobs(workspace).values())
        yield from self._ties(workspace).blocks.jobs(workspace.seed)

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare what was measured with the paper."""
        read, data = workspace.measurements.read, {}
        for what, (job, check) in self._jobs(workspace).items():
            data[what] = read(job.name, check)
        if any(found is None for found in data.values()):
            return ExperimentPage([ReportSection(self.title, "Not run yet.")])
        rows = list(self._count_rows(data["results"]))
        ties = self._ties(workspace).score(read)
        if ties is not None:
            data["greedy:ties=random"] = ties.as_dict()
            paper = f"{_paper_share():.1%} of the points"
            rows.append(
                Claim(
                    f"greedy against greedy:ties=random, {ties.games:,} games",
                    paper,
                    str(ties),
                    "nearer, still more than the paper's",
                )
            )
        for what in PAIRINGS:
            rows += _game_rows(what, data[what])
        return ExperimentPage([ReportSection(self.title, _TEXT, rows)], data=data)

    def _count_rows(self, counted: Mapping[str, Any]) -> Iterator[Claim]:
        ours = (*counted["wins"], counted["draws"])
        games = sum(ours)
        names = "greedy wins", "greedy:stochastic wins", "draws"
        for name, theirs, count in zip(names, PAPER_COUNTS, ours, strict=True):
            part = share(count, 0, games)
            low, high = part.interval or (0.0, 1.0)
            agrees = low <= theirs / sum(PAPER_COUNTS) <= high
            remark = "agrees" if agrees else "differs"
            yield Claim(
                f"{name}, of {games:,} games",
                f"{theirs:,} ({theirs / sum(PAPER_COUNTS):.1%})",
                f"{count:,}: {written(part)}",
                remark,
            )
        points = share(ours[0], ours[2], games)
        yield Claim(
            "points of greedy",
            f'{_paper_share():.1%}: "slightly better"',
            written(points),
            "better, as in the paper, but by far more",
        )

    def _jobs(self, workspace: Workspace) -> dict[str, tuple[Job, Any]]:
        size, seed = scale(workspace), workspace.seed
        total = sum(PAPER_COUNTS)
        found: dict[str, tuple[Job, Any]] = {
            "results": (Job(f"greedy,games={total}", count_results, (total, seed)), _COUNTED)
        }
        for what, (variant, stochastic) in PAIRINGS.items():
            job = Job(
                f"length,{what},measured={size.measured_games}",
                measure_games,
                (variant, stochastic, size.measured_games, seed),
                cost=size.measured_games / 1000,
            )
            found[what] = job, _MEASURED
        return found

    def _ties(self, workspace: Workspace) -> Match:
        games = scale(workspace).tie_games
        players = MatchPlayer("greedy"), MatchPlayer("greedy:ties=random")
        name = f"ties,games={games}"
        return Match(name, VARIANT, players, games, OPENING_PLIES, cost=0.01)


def _paper_share() -> float:
    wins, losses, draws = PAPER_COUNTS
    return (wins + draws / 2) / (wins + losses + draws)


def _game_rows(what: str, found: Mapping[str, Any]) -> Iterator[Claim]:
    papers = (
        ("plies", "plies of a game", PAPER_LENGTH),
        ("moves", "legal moves of a position", PAPER_BRANCHING),
    )
    for key, title, paper in papers:
        mean, width = found[key]
        # The paper rounds to whole numbers and does not say whose games it measured.
        apart = abs(mean - paper) / paper
        remark = (
            "agrees" if apart <= 0.02 else "differs" + (", but is near" if apart <= 0.1 else "")
        )
        ours = f"{mean:.1f} ± {width:.1f}"
        yield Claim(f"{title}, {what}", str(paper), ours, remark)


EXPERIMENTS = (
    GreedyTable(
        name="greedy", title="Section 3.2: the greedy players, length and branching", libraries=()
    ),
)
