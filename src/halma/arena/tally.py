"""Results of a match: points and counts of wins, by agent, seat and set."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict, dataclass
from math import gcd
from typing import Any

from halma.arena.games import BY_ERROR, PlayedGame
from halma.arena.plan import Plan
from halma.arena.sprt import Sprt
from halma.statistics import (
    Proportion,
    elo,
    elo_interval,
    likelihood_of_superiority,
    proportion,
)

#: errors of agents that are told in full
_MAX_ERRORS = 3
OUTCOMES = ("wins", "draws", "losses")
#: the agent and the score of each side of a game
Placing = tuple[tuple[int, float], ...]


@dataclass
class ResultCounts:
    """Counts of some games, from the first agent's side."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    #: points of the first agent, and of all agents together
    points: float = 0.0
    total: float = 0.0

    def add(self, lead: float, points: float, total: float) -> None:
        """Count a game; `lead` is the first agent's best score minus the best of the others."""
        self.games += 1
        self.wins += lead > 0
        self.draws += lead == 0
        self.losses += lead < 0
        self.points += points
        self.total += total


class Tally:
    """The results of a match so far. Games are added in order.

    A game is won by the agent with the highest score in any of its seats; it is drawn if
    the first agent shares the highest score with another.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        #: number of games so far
        self.games = 0
        #: counts of the games in which the first agent played
        self.all = ResultCounts()
        #: per game, the agent and the score of each side
        self.placings: list[Placing] = []
        #: points of each agent
        self.points = [0.0] * len(plan.agents)
        #: counts of each set; the last may be incomplete
        self.sets: list[ResultCounts] = []
        #: counts of the games in which the first agent had this seat
        self.by_seat = [ResultCounts() for _ in range(plan.players)]
        #: points scored from each seat, by any agent
        self.seat_points = [0.0] * plan.players
        #: counts by the number of seats of the first agent
        self.by_seats_held: dict[int, ResultCounts] = {}
        self.ends: Counter[str] = Counter()
        self.plies = 0
        #: number of finished sets by the first agent's proportion of their points
        self.set_scores: Counter[float] = Counter()
        #: hashes of start and moves of all games
        self.fingerprints: set[bytes] = set()

    @property
    def distinct(self) -> int:
        """Number of games that differ in their start, a move or a chance outcome."""
        return len(self.fingerprints)

    @property
    def at_set_end(self) -> bool:
        """Whether every set so far is complete."""
        return self.games % self.plan.set_size == 0

    def add(self, played: PlayedGame) -> None:
        """Count a game."""
        seating = self.plan.seating(played.number)
        if self.at_set_end:
            self.sets.append(ResultCounts())
        if 0 in seating:
            self._count_first(seating, played.result)
        self.placings.append(self._placing(seating, played.result))
        self.games += 1
        for seat, who in enumerate(seating):
            self.points[who] += played.result[seat]
            self.seat_points[seat] += played.result[seat]
        self.ends[played.end] += 1
        self.plies += played.plies
        moves = "\n".join((played.start, *played.moves))
        self.fingerprints.add(hashlib.blake2b(moves.encode(), digest_size=16).digest())
        if self.at_set_end:
            done = self.sets[-1]
            self.set_scores[done.points / done.total if done.total else 0.5] += 1

    def _count_first(self, seating: tuple[int, ...], result: tuple[float, ...]) -> None:
        """Count a game from the first agent's side."""
        own = [score for score, who in zip(result, seating, strict=True) if who == 0]
        others = [score for score, who in zip(result, seating, strict=True) if who != 0]
        lead = max(own) - max(others)
        counts = [self.all, self.sets[-1]]
        counts.append(self.by_seats_held.setdefault(len(own), ResultCounts()))
        counts += [self.by_seat[seat] for seat, who in enumerate(seating) if who == 0]
        for count in counts:
            count.add(lead, sum(own), sum(result))

    def _placing(self, seating: tuple[int, ...], result: tuple[float, ...]) -> Placing:
        """Return the agent and the score of each side, that of a team by its first partner."""
        teams = self.plan.teams or tuple(range(self.plan.players))
        seats = [teams.index(team) for team in range(self.plan.sides)]
        return tuple((seating[seat], result[seat]) for seat in seats)

    @property
    def _shares(self) -> tuple[int, int]:
        """Equal shares of the points, and how many of them equal strength gives the first agent."""
        schedule = self.plan.schedule
        if not schedule.held:
            return len(self.points), 1
        common = gcd(schedule.sides, schedule.held)
        return schedule.sides // common, schedule.held // common

    @property
    def scores(self) -> list[float]:
        """Each agent's proportion of all points; that of equal strength if nobody scored."""
        total = sum(self.points)
        if not total:
            shares, held = self._shares
            others = len(self.points) - 1
            return [held / shares] + [(1 - held / shares) / others] * others
        return [points / total for points in self.points]

    @property
    def score(self) -> Proportion:
        """The first agent's proportion of all points."""
        points, totals = [one.points for one in self.sets], [one.total for one in self.sets]
        return proportion(points, totals, *self._shares)

    def rate(self, what: str) -> Proportion:
        """Return the rate of `wins`, `draws` or `losses`."""
        counts = [getattr(one, what) for one in self.sets]
        return proportion(counts, [one.games for one in self.sets])

    @property
    def elo(self) -> float:
        """The Elo difference between the first agent and the others."""
        return elo(self.score.value, self.games, *self._shares)

    @property
    def elo_interval(self) -> tuple[float, float] | None:
        """The 95% interval of the Elo difference; None with fewer than two sets."""
        return elo_interval(self.score, self.games, *self._shares)

    @property
    def likelihood_of_superiority(self) -> float | None:
        """The probability that the first agent is stronger; None with fewer than two sets."""
        return likelihood_of_superiority(self.score, *self._shares)

    @property
    def pentanomial(self) -> list[int] | None:
        """Numbers of pairs with 0, ½, 1, 1½ and 2 points; None with more than two players."""
        if self.plan.players != 2:
            return None
        counts = [0] * 5
        for value, count in self.set_scores.items():
            counts[round(4 * value)] += count
        return counts

    @property
    def failures(self) -> list[str]:
        """Sentences about games that were lost because somebody's agent failed."""
        failed = [(end, count) for end, count in self.ends.items() if end.startswith(BY_ERROR)]
        found = [
            f"{count} of {self.games} games were lost {end}." for end, count in failed[:_MAX_ERRORS]
        ]
        if len(failed) > _MAX_ERRORS:
            found.append(f"{len(failed) - _MAX_ERRORS} other errors of agents are not shown.")
        return found

    @property
    def warnings(self) -> list[str]:
        """Reasons to trust the intervals less, or why there are none."""
        found = self.failures
        if len(self.sets) < 2:
            found.append(
                "One set of games gives no interval: play more than "
                f"{self.plan.set_size} games to see how certain the result is."
            )
        if self.distinct < self.games / 2:
            found.append(
                f"Only {self.distinct} of {self.games} games are distinct; the others repeat them "
                "and carry no information. Use longer random openings."
            )
        return found

    def as_dict(self, sprt: Sprt | None = None) -> dict[str, Any]:
        """Return all results for JSON; wins, draws and losses are the first agent's."""
        plan = self.plan
        seat_total = sum(self.seat_points) or 1.0
        return {
            "game": plan.game,
            "agents": list(plan.agents),
            "seed": plan.seed,
            "opening_plies": plan.opening_plies,
            "book_positions": len(plan.book),
            "games": self.games,
            "distinct_games": self.distinct,
            "sets": len(self.sets),
            "set_size": plan.set_size,
            "seats_of_first": plan.seats or None,
            **{what: getattr(self.all, what) for what in OUTCOMES},
            **{f"{what}_interval": self.rate(what).interval for what in OUTCOMES},
            "scores": self.points,
            "points": self.scores,
            "points_interval": self.score.interval,
            "elo": self.elo,
            "elo_interval": self.elo_interval,
            "los": self.likelihood_of_superiority,
            "pentanomial": self.pentanomial,
            "sprt": None if sprt is None else sprt.as_dict(self.set_scores),
            "seats": [
                {"seat": seat + 1, "points": points / seat_total, "first": asdict(counts)}
                for seat, (points, counts) in enumerate(
                    zip(self.seat_points, self.by_seat, strict=True)
                )
            ],
            "seats_held": {
                str(held): asdict(counts) for held, counts in sorted(self.by_seats_held.items())
            },
            "ends": dict(self.ends),
            "mean_plies": self.plies / self.games if self.games else 0.0,
            "warnings": self.warnings,
        }
