"""Counting games: who scored what, from which seat, in which set."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass

from halma.arena.plan import Plan
from halma.arena.table import Played
from halma.statistics import (
    Proportion,
    elo,
    elo_interval,
    likelihood_of_superiority,
    proportion,
)


@dataclass
class Group:
    """Some games, as the first agent sees them."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    #: what the first agent scored, and everybody together
    points: float = 0.0
    total: float = 0.0

    def add(self, lead: float, points: float, total: float) -> None:
        """Count one game; `lead` says by how much the first agent was ahead."""
        self.games += 1
        self.wins += lead > 0
        self.draws += lead == 0
        self.losses += lead < 0
        self.points += points
        self.total += total


class Tally:
    """The sum of a match so far. Games are added in order.

    A game is won by the agent in whose seat the highest score was made; it is drawn if
    the first agent shares that with another.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.all = Group()
        #: what each agent scored
        self.points = [0.0] * len(plan.agents)
        #: games of each set; the last may be incomplete
        self.sets: list[Group] = []
        #: games in which the first agent had this seat
        self.by_seat = [Group() for _ in range(plan.players)]
        #: what was scored from each seat, by anyone
        self.seat_points = [0.0] * plan.players
        #: games in which the first agent had so many seats
        self.by_seats_held: dict[int, Group] = {}
        self.ends: Counter[str] = Counter()
        self.plies = 0
        #: how often the first agent had which share of a finished set
        self.set_shares: Counter[float] = Counter()
        self._seen: set[bytes] = set()

    @property
    def games(self) -> int:
        """Games so far."""
        return self.all.games

    @property
    def seen(self) -> frozenset[bytes]:
        """Fingerprints of all games; equal games have one."""
        return frozenset(self._seen)

    @property
    def distinct(self) -> int:
        """How many different games there were: another start, move or outcome somewhere."""
        return len(self._seen)

    @property
    def at_set_end(self) -> bool:
        """Whether every set so far is complete."""
        return self.games % self.plan.set_size == 0

    def add(self, played: Played) -> None:
        """Count a game."""
        seating = self.plan.seating(played.number)
        mine = [score for score, who in zip(played.result, seating, strict=True) if who == 0]
        others = [score for score, who in zip(played.result, seating, strict=True) if who != 0]
        lead = max(mine) - max(others)
        if self.at_set_end:
            self.sets.append(Group())
        groups = [self.all, self.sets[-1], self.by_seats_held.setdefault(len(mine), Group())]
        groups += [self.by_seat[seat] for seat, who in enumerate(seating) if who == 0]
        for group in groups:
            group.add(lead, sum(mine), sum(played.result))
        for seat, who in enumerate(seating):
            self.points[who] += played.result[seat]
            self.seat_points[seat] += played.result[seat]
        self.ends[played.end] += 1
        self.plies += played.plies
        moves = "\n".join((played.start, *played.moves))
        self._seen.add(hashlib.blake2b(moves.encode(), digest_size=16).digest())
        if self.at_set_end:
            done = self.sets[-1]
            self.set_shares[done.points / done.total if done.total else 0.5] += 1

    # What it comes to.

    @property
    def point_shares(self) -> list[float]:
        """The part of all points that each agent has; equal parts where nobody scored."""
        total = sum(self.points)
        if not total:
            return [1 / len(self.points)] * len(self.points)
        return [points / total for points in self.points]

    @property
    def share(self) -> Proportion:
        """The first agent's part of all points, with its interval."""
        return proportion(
            [one.points for one in self.sets],
            [one.total for one in self.sets],
            sides=len(self.points),
        )

    def rate(self, what: str) -> Proportion:
        """Return the rate of `wins`, `draws` or `losses` with its interval."""
        counts = [getattr(one, what) for one in self.sets]
        return proportion(counts, [one.games for one in self.sets])

    @property
    def elo(self) -> float:
        """The Elo difference between the first agent and the others."""
        return elo(self.share.value, self.games, len(self.points))

    @property
    def elo_interval(self) -> tuple[float, float]:
        """Where the Elo difference lies with 95% confidence."""
        return elo_interval(self.share, self.games, len(self.points))

    @property
    def superiority(self) -> float:
        """How likely it is that the first agent is better than the others."""
        return likelihood_of_superiority(self.share, len(self.points))

    @property
    def pentanomial(self) -> list[int] | None:
        """Pairs with 0, ½, 1, 1½ and 2 points for the first agent; None unless sets are pairs."""
        if self.plan.set_size != 2:
            return None
        counts = [0] * 5
        for value, count in self.set_shares.items():
            counts[round(4 * value)] += count
        return counts

    @property
    def warnings(self) -> list[str]:
        """What makes the figures worth less than they look."""
        if self.distinct >= self.games / 2:
            return []
        return [
            f"Only {self.distinct} of {self.games} games are distinct: the others repeat them "
            "and say nothing new. Longer random openings make games differ."
        ]
