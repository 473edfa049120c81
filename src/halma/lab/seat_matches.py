"""Matches in games for three or more players: one agent in all seats, or two that share them.

With two agents a game is named by the seats that the first has: in a single game of three players
it has one, in a double game two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import NamedTuple

from halma.arena.plan import Plan
from halma.executors import ReportProgress
from halma.games import game
from halma.lab.jobs import BLOCK, GameBlocks
from halma.lab.matches import MatchPlayer, play_together, written
from halma.statistics import Proportion, Z, proportion, standard_error
from halma.structure import list_of, real, text, tuple_of, whole

#: What `play_seated` returns for a game: scores by seat, plies, and how it ended.
_RESULT = tuple_of(list_of(real(0, 1000)), whole(0, 1_000_000), text(200))


class SeatedGame(NamedTuple):
    """A finished game: the agent in each seat, scores by seat, plies, how it ended."""

    seating: tuple[int, ...]
    scores: tuple[float, ...]
    plies: int
    end: str


@dataclass(frozen=True)
class SeatMatch:
    """Games of one agent against itself, or of two; in a set, they exchange their seats.

    Over two sets for each seat but one, every way to share the seats occurs.
    """

    #: comma-separated parts, which name its measurements
    name: str
    variant: str
    agents: tuple[MatchPlayer, ...]
    games: int
    #: random plies of all players together
    opening_plies: int
    #: of one game, in seconds of a core
    cost: float = 1.0
    #: where networks are evaluated: cpu, cuda or auto
    device: str = "cpu"

    @property
    def blocks(self) -> GameBlocks:
        """Its games, in blocks that are played together."""
        measure = partial(play_seated, self.variant, self.agents, self.opening_plies, self.device)
        # Every block that ends is written to disk, so blocks take a second at least.
        size = BLOCK if self.cost >= 1 / BLOCK else 25 * BLOCK
        return GameBlocks(self.name, measure, self.games, _RESULT, self.cost, True, size)

    def played(self, read: Callable[..., object]) -> list[SeatedGame] | None:
        """Return the games that were measured, once they are all there."""
        results = self.blocks.results(read)
        if len(results) < self.games:
            return None
        plan = _plan(self.variant, len(self.agents), 0, self.opening_plies)
        return [
            SeatedGame(plan.seating(number), tuple(scores), plies, end)
            for number, (scores, plies, end) in enumerate(results)
        ]


def play_seated(
    variant: str,
    agents: Sequence[MatchPlayer],
    opening_plies: int,
    device: str,
    numbers: Sequence[int],
    seed: int,
    report: ReportProgress,
) -> list[tuple[list[float], int, str]]:
    """Play games of a match together; return scores by seat, plies and end of each."""
    plan = _plan(variant, len(agents), seed, opening_plies)
    played = play_together(plan, agents, numbers, report, device)
    return [(list(one.result), one.plies, one.end) for one in played]


def _plan(variant: str, agents: int, seed: int, opening_plies: int) -> Plan:
    names = ("first", "second")[:agents]
    return Plan(variant, names, game(variant).players, seed, opening_plies)


class SideScore:
    """What the first agent reached in games in which it had `held` seats."""

    def __init__(self, games: Iterable[SeatedGame], held: int) -> None:
        self.held = held
        found = [one for one in games if one.seating.count(0) == held]
        self.games, self.seats = len(found), len(found[0].seating)
        own = [_scores_of(one, 0) for one in found]
        others = [_scores_of(one, 1) for one in found]
        # Where a limit stopped a game before anybody had finished, nobody is first.
        self._first = [float(max(a) > max(b)) for a, b in zip(own, others, strict=True)]
        self._last = [float(max(a) < max(b)) for a, b in zip(own, others, strict=True)]
        self._points = [sum(scores) for scores in own]
        self._totals = [sum(one.scores) for one in found]

    @property
    def first(self) -> Proportion:
        """The share of games in which one of its seats is first."""
        return self._share(self._first)

    @property
    def opponent_first(self) -> Proportion:
        """The share of games in which a seat of the other agent is first."""
        return self._share(self._last)

    @property
    def points(self) -> Proportion:
        """Its share of all points."""
        return proportion(self._points, self._totals)

    @property
    def by_chance(self) -> float:
        """The share of first places, and of points, of equally strong agents."""
        return self.held / self.seats

    @property
    def seat_score(self) -> float:
        """The mean score of one of its seats."""
        return fmean(self._points) / self.held

    @property
    def log_odds(self) -> tuple[float, float]:
        """How strong a seat of it is, and half the width of the 95% interval.

        That is the logarithm of the odds of being first, less that of equally strong agents. A
        seat that is w times as strong as each of the others has log w with any number of seats.
        """
        wins, losses = sum(self._first) + 0.5, sum(self._last) + 0.5
        by_chance = self.held / (self.seats - self.held)
        return math.log(wins / losses / by_chance), Z * math.sqrt(1 / wins + 1 / losses)

    def _share(self, counts: Sequence[float]) -> Proportion:
        # Games of the same number of seats have different openings, so they are independent.
        return proportion(counts, [1.0] * len(counts))

    def __str__(self) -> str:
        """Return its share of first places and of points, with intervals."""
        return f"first in {written(self.first)}, points {written(self.points)}"

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values."""
        return {
            "games": self.games,
            "seats": self.held,
            "first": self.first.value,
            "first_interval": self.first.interval,
            "opponent_first": self.opponent_first.value,
            "points": self.points.value,
            "points_interval": self.points.interval,
            "seat_score": self.seat_score,
        }


def _scores_of(one: SeatedGame, who: int) -> list[float]:
    """Return the scores of an agent's seats."""
    return [score for seat, score in zip(one.seating, one.scores, strict=True) if seat == who]


def side_scores(games: Sequence[SeatedGame]) -> dict[int, SideScore]:
    """Return the first agent's scores by the number of its seats, where it has not all of them."""
    counts = {one.seating.count(0) for one in games} - {len(games[0].seating)}
    return {held: SideScore(games, held) for held in sorted(counts)}


def total_points(games: Sequence[SeatedGame]) -> Proportion:
    """Return the first agent's share of all points; two games of a set exchange all seats."""
    own = [sum(_scores_of(one, 0)) for one in games]
    pairs = [(own[i : i + 2], games[i : i + 2]) for i in range(0, len(games), 2)]
    totals = [sum(sum(one.scores) for one in both) for _, both in pairs]
    return proportion([sum(points) for points, _ in pairs], totals)


class SeatTable(NamedTuple):
    """Placements and scores by seat, in games of one agent against itself."""

    #: shares of games in which a seat is first, second, neither
    places: tuple[tuple[float, float, float], ...]
    #: mean scores with half-widths of their 95% intervals
    scores: tuple[tuple[float, float], ...]
    #: whether a seat scores more than another, beyond the 95% interval of the difference
    leads: tuple[tuple[bool, ...], ...]

    @classmethod
    def of(cls, games: Sequence[SeatedGame]) -> SeatTable:
        """Count games."""
        columns = list(zip(*(one.scores for one in games), strict=True))
        tops = [max(one.scores) for one in games]
        places = []
        for column in columns:
            first = sum(score == top > 0 for score, top in zip(column, tops, strict=True))
            second = sum(0 < score < top for score, top in zip(column, tops, strict=True))
            shares = first / len(games), second / len(games)
            places.append((*shares, 1 - sum(shares)))
        means = tuple((fmean(column), Z * standard_error(column)) for column in columns)
        leads = tuple(tuple(_is_ahead(one, other) for other in columns) for one in columns)
        return cls(tuple(places), means, leads)


def _is_ahead(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether a mean is above another; values of the same game are not independent."""
    gaps = [a - b for a, b in zip(one, other, strict=True)]
    return len(gaps) > 1 and fmean(gaps) > Z * standard_error(gaps)
