"""Sections 2.2, 4.3, 7 and 7.4: actions, and games of agents that do not learn."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halma import _core
from halma.games import Game, game
from halma.games.record import END_TEXT
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.jobs import Job
from halma.lab.matches import MatchPlayer, written
from halma.lab.report import Claim, ReportSection
from halma.lab.schulte2021.settings import GREEDY, VARIANT, scale
from halma.lab.seat_matches import SeatedGame, SeatMatch
from halma.lab.trained import NOT_RUN
from halma.lab.workspace import Workspace
from halma.statistics import proportion, ratio_of_sums

#: Kinds of actions that are never legal: steps off the board, steps into closed zones, jumps to
#: their start, steps and jumps out of the target.
PAPER_NEVER = (22, 16, 25, 8, 31)
#: Agents whose games are measured.
AGENTS = ("random", "initialize", GREEDY)
#: The thesis stops games after 40 moves of each player; with the other limit hardly any is stopped.
LIMIT, FREE = 120, 2000
_COLUMNS = (
    "",
    "plies",
    "stopped by the limit",
    "without a winner",
    "triple wins",
    "plies without the limit",
)

_TEXT = (
    "Games of one agent against itself from the usual start. The thesis stops games after 40 moves "
    f"of each player, {LIMIT} plies; who has not finished then scores nothing. The last column is "
    f"of other games, with a limit of {FREE:,} plies. A triple win is a first place and two second "
    'places, which the thesis sees "very rarely"; random games are "very long" there. Its first '
    "network is trained on 500 games of initialize. Intervals are 95%."
)


def never_legal(found: Game) -> int:
    """Return the number of actions that are legal in no position, as player 1 counts them."""
    state = found.start().state
    moves = (found.core.move(state, action) for action in range(found.actions))
    return sum(move == _core.NO_MOVE for move in moves)


class Actions(Experiment):
    """Section 2.2: the numbers of the action space."""

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare the thesis' numbers with those of the rules."""
        found = game(VARIANT)
        planes = found.start().encode()
        rows = [
            _count("accessible holes", 25, int(planes[-1].sum())),
            _count("actions", 320, found.actions),
        ]
        never, paper = never_legal(found), sum(PAPER_NEVER)
        share = f"{never:,} ({never / found.actions:.1%})"
        kinds = " + ".join(map(str, PAPER_NEVER))
        remark = "two actions are of two kinds each" if never == paper - 2 else "differs"
        rows.append(
            Claim("actions that are never legal", f"{kinds} = {paper} (31.9%)", share, remark)
        )
        text = (
            "The thesis adds up kinds of actions that are never legal, and says that it takes "
            "their intersections into account; its sum is the plain one."
        )
        return ExperimentPage([ReportSection(self.title, text, rows)])


def _count(what: str, paper: int, ours: int) -> Claim:
    return Claim(what, f"{paper:,}", f"{ours:,}", "agrees" if ours == paper else "differs")


@dataclass(frozen=True, kw_only=True)
class AgentMatches(Experiment):
    """Matches of agents that need no training."""

    libraries: tuple[str, ...] = ()

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the games."""
        for match in self._matches(workspace).values():
            yield from match.blocks.jobs(workspace.seed)

    @abstractmethod
    def _matches(self, workspace: Workspace) -> Mapping[Any, SeatMatch]:
        """Return the matches by what tells them apart."""


@dataclass(frozen=True, kw_only=True)
class AgentGames(AgentMatches):
    """Games of random, initialize and greedy: how long they are and how they end."""

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Describe the games."""
        matches = self._matches(workspace)
        read = workspace.measurements.read
        played = {x: games for x, match in matches.items() if (games := match.played(read))}
        if not played:
            return ExperimentPage([ReportSection(self.title, NOT_RUN)])
        rows = [
            _row(name, played[name, LIMIT], played[name, FREE])
            for name in AGENTS
            if {(name, LIMIT), (name, FREE)} <= played.keys()
        ]
        data = {f"{name}, {limit} plies": _results(g) for (name, limit), g in played.items()}
        section = ReportSection(self.title, _TEXT, rows, columns=_COLUMNS)
        return ExperimentPage([section], data=data)

    def _matches(self, workspace: Workspace) -> dict[tuple[str, int], SeatMatch]:
        games = scale(workspace).agent_games
        return {
            (name, limit): SeatMatch(
                f"games,{name},limit={limit},total={games}",
                variant,
                (MatchPlayer(name),),
                games,
                opening_plies=0,
                cost=0.01,
            )
            for name in AGENTS
            for limit, variant in ((LIMIT, VARIANT), (FREE, f"{VARIANT}:plies={FREE}"))
        }


def _row(name: str, short: Sequence[SeatedGame], long: Sequence[SeatedGame]) -> Sequence[str]:
    """Return an agent's row, of games with the thesis' limit and without it."""

    def share(counts: Iterable[bool]) -> str:
        found = [float(one) for one in counts]
        return written(proportion(found, [1.0] * len(found)))

    plies = (ratio_of_sums([one.plies for one in g], [1.0] * len(g)) for g in (short, long))
    limited, free = (f"{mean:.1f} ± {width:.1f}" for mean, width in plies)
    stopped = share(one.end == END_TEXT[_core.End.PLIES] for one in short)
    nobody = share(not any(one.scores) for one in short)
    # Scores of 3, 1 and 1 in place of 3, 1 and 0.
    triple = share(sum(one.scores) > 4 for one in short)
    return f"{name}, {len(short):,} games", limited, stopped, nobody, triple, free


def _results(games: Sequence[SeatedGame]) -> dict[str, int]:
    """Return how often each set of scores occurs, with how games ended."""
    found = Counter((*sorted(one.scores, reverse=True), one.end) for one in games)
    return {" ".join(map(str, key)): number for key, number in found.items()}


EXPERIMENTS = (
    Actions(name="actions", title="Section 2.2: actions", libraries=()),
    AgentGames(name="initialize", title="Sections 4.3 and 7.4: games of agents that do not learn"),
)
