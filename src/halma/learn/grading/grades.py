"""Exact values of picked moves: shares of those that keep the value, with intervals, and errors."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from halma import _core
from halma.games import Position
from halma.learn.grading.picks import Pick
from halma.solve import Solution
from halma.statistics import clustered_interval

#: Plies of a bin, of games and of distances to the end, and where the last bin starts.
_BIN, _LAST_BIN = 10, 60
#: Errors listed in JSON.
_LISTED = 10


@dataclass(frozen=True)
class ExactPosition:
    """A position with its exact values."""

    position: Position
    #: for the player to move
    value: float
    #: plies to the end of a certain win or loss; None for other values, or where not stored
    distance: int | None
    #: legal moves, and the value of each for the player who makes it; arrays, as there may be
    #: hundreds of thousands of positions
    moves: Sequence[int]
    values: Sequence[float]

    @property
    def keeping(self) -> list[int]:
        """The moves that keep the value."""
        least = self.value - _core.VALUE_TOLERANCE
        return [m for m, value in zip(self.moves, self.values, strict=True) if value > least]

    @property
    def outcome(self) -> str:
        """The value as a word."""
        return {1.0: "won", 0.5: "drawn", 0.0: "lost"}.get(self.value, "between")

    def value_of(self, move: int) -> float:
        """Return the value that a move leads to, for the player who makes it."""
        return self.values[self.moves.index(move)]

    def text_of(self, move: int) -> str:
        """Return a move as text."""
        return self.position.game.format_move(self.position.state, move)


@dataclass(frozen=True)
class GradedPick:
    """A picked move, compared with the best."""

    pick: Pick
    exact: ExactPosition
    #: value that the move gives away
    loss: float

    @property
    def is_kept(self) -> bool:
        """Whether the move keeps the value of the position."""
        return self.loss <= _core.VALUE_TOLERANCE


@dataclass(frozen=True)
class KeptShare:
    """The share of positions in which the picked move keeps the value."""

    positions: int
    kept: int
    #: its 95% interval; None where there are too few positions
    low: float | None
    high: float | None
    #: the same share of a player who picks any legal move, in expectation
    random: float

    @property
    def share(self) -> float:
        """The share."""
        return self.kept / self.positions

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return {**vars(self), "share": self.share}


@dataclass(frozen=True)
class Blunder:
    """A move that gave value away, and how often it was picked."""

    exact: ExactPosition
    move: int
    loss: float
    times: int
    #: earliest ply it was made at; None outside games
    ply: int | None

    def as_dict(self) -> dict[str, Any]:
        """Return the error as plain values."""
        exact = self.exact
        return {
            "position": exact.position.text,
            "move": exact.text_of(self.move),
            "value": exact.value,
            "value_after": exact.value - self.loss,
            "keeping": [exact.text_of(move) for move in exact.keeping],
            "times": self.times,
            "ply": self.ply,
            "distance": exact.distance,
        }


@dataclass(frozen=True)
class Grade:
    """The picks of an agent in one sample of positions."""

    picks: Sequence[GradedPick]
    #: random plies at the start of each game; None outside games
    opening_plies: int | None = None
    #: whether the sample is the whole table, so that shares are exact
    is_whole: bool = False

    @property
    def games(self) -> int | None:
        """Number of games; None for positions of a table."""
        if self.opening_plies is None:
            return None
        return len({one.pick.group for one in self.picks})

    @property
    def title(self) -> str:
        """What the positions are."""
        positions = f"{len(self.picks):,} positions"
        if self.games is not None:
            return f"{positions} of {self.games:,} games against itself"
        if self.is_whole:
            return f"all {positions} of the table"
        return f"{positions} of the table, each equally likely"

    @property
    def distinct(self) -> int:
        """Number of distinct positions."""
        return len({one.exact.position.game.core.index(one.pick.state) for one in self.picks})

    @property
    def mean_loss(self) -> float:
        """Value given away per move."""
        return sum(one.loss for one in self.picks) / max(1, len(self.picks))

    @cached_property
    def shares(self) -> dict[str, KeptShare]:
        """Shares by the positions they are about; those without any are left out.

        In a lost position every move keeps the value. At stake is the value where some legal move
        gives it away.
        """
        kinds: dict[str, Callable[[ExactPosition], bool]] = {
            "all": lambda exact: True,
            "not lost": lambda exact: exact.value > 0,
            "at stake": lambda exact: len(exact.keeping) < len(exact.moves),
        }
        groups = {
            kind: [one for one in self.picks if fits(one.exact)] for kind, fits in kinds.items()
        }
        for outcome in ("won", "drawn", "between", "lost"):
            groups[outcome] = [one for one in self.picks if one.exact.outcome == outcome]
        return {kind: self._share(found) for kind, found in groups.items() if found}

    @cached_property
    def by_ply(self) -> dict[int, KeptShare]:
        """Shares in positions that are not lost, by the first of each bin of plies."""
        return self._binned(lambda one: one.pick.ply)

    @cached_property
    def by_distance(self) -> dict[int, KeptShare]:
        """Shares in certain wins, by the first distance of each bin of plies to the end."""
        return self._binned(lambda one: one.exact.distance)

    @cached_property
    def errors(self) -> list[Blunder]:
        """All errors: largest losses first, of those the most frequent, then the earliest.

        Positions that the index takes for the same, such as those with colours exchanged, are.
        """
        times: Counter[tuple[int, int]] = Counter()
        first: dict[tuple[int, int], GradedPick] = {}
        for one in self.picks:
            if not one.is_kept:
                # Policy indices are those of the player to move, as the index is.
                core = one.exact.position.game.core
                key = core.index(one.pick.state), core.action(one.pick.state, one.pick.move)
                times[key] += 1
                earlier = first.setdefault(key, one).pick.ply
                if earlier is not None and one.pick.ply is not None and one.pick.ply < earlier:
                    first[key] = one
        found = [
            Blunder(one.exact, one.pick.move, one.loss, times[key], one.pick.ply)
            for key, one in first.items()
        ]
        return sorted(found, key=lambda e: (-e.loss, -e.times, e.ply or 0, e.exact.distance or 0))

    def as_dict(self) -> dict[str, Any]:
        """Return the grade as plain values, for JSON."""
        return {
            "positions": len(self.picks),
            "distinct": self.distinct,
            "games": self.games,
            "opening_plies": self.opening_plies,
            "whole_table": self.is_whole,
            "mean_loss": self.mean_loss,
            "shares": {kind: share.as_dict() for kind, share in self.shares.items()},
            "by_ply": [_bin(*one) for one in self.by_ply.items()],
            "by_distance": [_bin(*one) for one in self.by_distance.items()],
            "errors": len(self.errors),
            "worst": [error.as_dict() for error in self.errors[:_LISTED]],
        }

    def _share(self, picks: Iterable[GradedPick]) -> KeptShare:
        # The moves of a game are not independent; games are, and so are positions of a table.
        kept: dict[int, int] = defaultdict(int)
        total: Counter[int] = Counter()
        random = 0.0
        for one in picks:
            kept[one.pick.group] += one.is_kept
            total[one.pick.group] += 1
            random += len(one.exact.keeping) / len(one.exact.moves)
        positions, good = total.total(), sum(kept.values())
        if self.is_whole:
            ends: tuple[float | None, float | None] = (good / positions,) * 2
        else:
            hits = [kept[group] for group in total]
            ends = clustered_interval(hits, list(total.values())) or (None, None)
        return KeptShare(positions, good, *ends, random / positions)

    def _binned(self, place: Callable[[GradedPick], int | None]) -> dict[int, KeptShare]:
        groups: dict[int, list[GradedPick]] = defaultdict(list)
        for one in self.picks:
            number = place(one)
            if number is not None and one.exact.value > 0:
                groups[min(number // _BIN * _BIN, _LAST_BIN)].append(one)
        return {first: self._share(groups[first]) for first in sorted(groups)}


def bin_end(first: int) -> int | None:
    """Return the last ply of a bin; None of the last one, which has no end."""
    return None if first == _LAST_BIN else first + _BIN - 1


def bin_title(first: int) -> str:
    """Return the plies of a bin."""
    end = bin_end(first)
    return f"{first} or more" if end is None else f"{first} to {end}"


def _bin(first: int, share: KeptShare) -> dict[str, Any]:
    return {"from": first, "to": bin_end(first), **share.as_dict()}


class ExactValues:
    """The exact values of positions, each found once."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        self._found: dict[bytes, ExactPosition] = {}

    def compare(self, pick: Pick) -> GradedPick:
        """Compare a picked move with the best."""
        exact = self.at(pick.state)
        return GradedPick(pick, exact, max(0.0, exact.value - exact.value_of(pick.move)))

    def at(self, state: bytes) -> ExactPosition:
        """Return the exact values of the position with this state."""
        if state not in self._found:
            solution = self._solution
            position = Position(solution.game, state)
            moves, values, _ = zip(*solution.probe_moves(state), strict=True)
            value = max(values)
            distance = None
            if solution.has_distances and value in (0.0, 1.0):
                distance = solution.distance(position)
            self._found[state] = ExactPosition(
                position, value, distance, array("L", moves), array("d", values)
            )
        return self._found[state]
