"""Matches as experiments have them: blocks of paired games between two players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from halma.agents import Agent, agent
from halma.arena.games import MatchGame, PlayedGame
from halma.arena.lockstep import AgentPlayer, play_out, player_in
from halma.arena.plan import Plan
from halma.arena.sprt import Sprt
from halma.executors import ReportProgress
from halma.games import game
from halma.lab.jobs import GameBlocks
from halma.statistics import Proportion, elo, elo_interval, proportion
from halma.structure import one_of, tuple_of, whole

#: What `play_and_score` returns: the first player's points, and plies.
_RESULT = tuple_of(one_of(0.0, 0.5, 1.0), whole(0, 1_000_000))


@dataclass(frozen=True)
class MatchPlayer:
    """An agent by its name; a network that it plays may be any file.

    Directories of runs have commas in their names, which the names of agents cannot have.
    """

    #: of an agent, such as "greedy" or "net:best.onnx,sims=180"
    name: str
    #: the network in place of the one that the name has
    file: Path | None = None
    #: of the network, which names its measurements
    digest: str = ""

    def build(self) -> Agent:
        """Return the agent."""
        made: Any = agent(self.name)
        found: Agent = made if self.file is None else replace(made, file=self.file)
        return found


@dataclass(frozen=True)
class Match:
    """Paired games: both sides of one opening of random plies."""

    #: comma-separated parts, which name its measurements
    name: str
    variant: str
    players: tuple[MatchPlayer, MatchPlayer]
    games: int
    #: random plies of both players together
    opening_plies: int
    #: start positions of the pairs in place of the game's own
    book: tuple[str, ...] = ()
    #: of one game, in seconds of a core
    cost: float = 1.0

    @property
    def blocks(self) -> GameBlocks:
        """Its games, in blocks."""
        measure = partial(play_and_score, self.variant, self.players, self.opening_plies, self.book)
        return GameBlocks(self.name, measure, self.games, _RESULT, self.cost, together=True)

    def score(self, read: Callable[..., object]) -> MatchScore | None:
        """Return the result of the games that were measured, once they are all there."""
        played = self.blocks.results(read)
        return MatchScore(played) if len(played) == self.games else None


def play_and_score(
    variant: str,
    players: tuple[MatchPlayer, MatchPlayer],
    opening_plies: int,
    book: tuple[str, ...],
    numbers: Sequence[int],
    seed: int,
    report: ReportProgress,
) -> list[tuple[float, int]]:
    """Play games of a match; return the first player's points and the plies of each."""
    plan = Plan(variant, ("first", "second"), 2, seed, opening_plies, book)
    played = play_together(plan, players, numbers, report)
    return [(float(one.result[plan.seating(one.number).index(0)]), one.plies) for one in played]


def play_together(
    plan: Plan,
    players: Sequence[MatchPlayer],
    numbers: Sequence[int],
    report: ReportProgress,
    device: str = "cpu",
) -> list[PlayedGame]:
    """Play games of a plan at the same time, so that networks evaluate positions in batches."""
    games = [MatchGame(_game(plan.game), plan, number) for number in numbers]
    agents = [_player(one, plan.game, device) for one in players]
    for done in play_out([(one, agents) for one in games]):
        report(done / len(games))
    return [one.played() for one in games]


_game = cache(game)


@lru_cache(maxsize=4)
def _player(one: MatchPlayer, variant: str, device: str) -> AgentPlayer:
    return player_in(one.build(), _game(variant), device)


class MatchScore:
    """What came of a match, for its first player."""

    def __init__(self, games: Sequence[tuple[float, int]]) -> None:
        points = [one for one, _ in games]
        self.games = len(games)
        self.wins, self.draws, self.losses = (points.count(x) for x in (1.0, 0.5, 0.0))
        self.mean_plies = sum(plies for _, plies in games) / len(games)
        pairs = [points[i : i + 2] for i in range(0, len(points), 2)]
        self._pairs = [sum(pair) for pair in pairs]
        self._won = [float(pair.count(1.0)) for pair in pairs]

    @property
    def points(self) -> Proportion:
        """The share of points; its interval is that of independent pairs."""
        return proportion(self._pairs, [2.0] * len(self._pairs))

    @property
    def rate(self) -> Proportion:
        """The share of games won."""
        return proportion(self._won, [2.0] * len(self._won))

    @property
    def elo(self) -> float:
        """The Elo difference."""
        return elo(self.points.value, self.games)

    @property
    def elo_interval(self) -> tuple[float, float] | None:
        """Its 95% interval, where there are pairs enough."""
        return elo_interval(self.points, self.games)

    def sprt(self, test: Sprt) -> tuple[str | None, int]:
        """Return what a sequential test accepts, and after how many of the games in their order."""
        counts: Counter[float] = Counter()
        for number, pair in enumerate(self._pairs, start=1):
            counts[pair / 2] += 1
            if accepted := test.accepted(counts):
                return accepted, 2 * number
        return None, self.games

    def __str__(self) -> str:
        """Return wins, draws and losses, and the share of points with its interval."""
        counts = f"{self.wins}-{self.draws}-{self.losses}"
        return f"{counts}: {written(self.points)}"

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values."""
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "points": self.points.value,
            "points_interval": self.points.interval,
            "elo": self.elo,
            "elo_interval": self.elo_interval,
            "mean_plies": self.mean_plies,
        }


def written(share: Proportion) -> str:
    """Write a share of points with its 95% interval."""
    if share.interval is None:
        return f"{share.value:.1%}"
    low, high = share.interval
    return f"{share.value:.1%} [{low:.1%}, {high:.1%}]"
