"""The games of a distributed run by number: wanted, given to a worker, or here.

Iteration i has the games from (i - 1) * games to before i * games, on one machine and on many, so a
game that is played twice is noticed by its number.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence


class GameLedger:
    """Gives every wanted game to a worker, and counts it once however often it arrives."""

    def __init__(self, games: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._games = games
        self._clock = clock
        #: wanted games that no worker has
        self._waiting: deque[int] = deque()
        #: games that workers have, with when they got them, by worker
        self._given: dict[str, dict[int, float]] = defaultdict(dict)
        #: games that several workers have
        self._repeated: set[int] = set()
        #: wanted games that are not here yet, by iteration
        self._missing: dict[int, set[int]] = {}

    def iteration_of(self, number: int) -> int:
        """Return the iteration that a game belongs to."""
        return number // self._games + 1

    def numbers_of(self, iteration: int) -> range:
        """Return the games of an iteration."""
        return range((iteration - 1) * self._games, iteration * self._games)

    @property
    def iterations(self) -> list[int]:
        """The iterations that are open, in order."""
        return sorted(self._missing)

    @property
    def waiting(self) -> int:
        """The number of wanted games that no worker has."""
        return len(self._waiting)

    @property
    def missing(self) -> int:
        """The number of wanted games that are not here yet."""
        return sum(map(len, self._missing.values()))

    def missing_of(self, iteration: int) -> int:
        """Return how many games of an open iteration are not here yet."""
        return len(self._missing[iteration])

    @property
    def workers(self) -> set[str]:
        """The workers that have games."""
        return {worker for worker, games in self._given.items() if games}

    def given(self, worker: str) -> int:
        """Return how many games a worker has."""
        return len(self._given[worker])

    def open(self, iteration: int, here: Iterable[int] = ()) -> None:
        """Want the games of an iteration, but those that are here already."""
        missing = set(self.numbers_of(iteration)).difference(here)
        self._missing[iteration] = missing
        self._waiting += sorted(missing)

    def close(self, iteration: int) -> None:
        """Want no games of an iteration any more."""
        numbers = self._missing.pop(iteration)
        if numbers:
            self._waiting = deque(n for n in self._waiting if n not in numbers)

    def give(self, worker: str, most: int) -> list[int]:
        """Return up to `most` games for a worker to play, the lowest numbers first."""
        now, given = self._clock(), self._given[worker]
        numbers = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
        given.update(dict.fromkeys(numbers, now))
        return numbers

    def repeat(self, worker: str, most: int, seconds: float) -> list[int]:
        """Return games that one other worker has had for longer than this, to be played again."""
        now = self._clock()
        holders: dict[int, list[float]] = defaultdict(list)
        for games in self._given.values():
            for number, since in games.items():
                holders[number].append(since)
        late = sorted(
            (since[0], number)
            for number, since in holders.items()
            if len(since) == 1 and now - since[0] > seconds and number not in self._given[worker]
        )
        numbers = [number for _, number in late[:most]]
        self._given[worker].update(dict.fromkeys(numbers, now))
        self._repeated.update(numbers)
        return numbers

    def arrive(self, worker: str, numbers: Sequence[int]) -> tuple[list[bool], list[float]]:
        """Take note of games that a worker has finished.

        Return whether each counts, which it does if it is wanted and did not arrive before, and
        the seconds since the worker got those that do.
        """
        now, counts, took = self._clock(), [], []
        for number in numbers:
            since = self._given[worker].pop(number, None)
            missing = self._missing.get(self.iteration_of(number), set())
            counts.append(number in missing)
            missing.discard(number)
            if counts[-1] and since is not None:
                took.append(now - since)
        for number in self._repeated.intersection(numbers):
            for games in self._given.values():
                games.pop(number, None)
        self._repeated.difference_update(numbers)
        return counts, took

    def give_back(self, worker: str) -> None:
        """Let others play the games of a worker that is lost."""
        lost = self._given.pop(worker, {})
        elsewhere = {number for games in self._given.values() for number in games}
        wanted = {number for numbers in self._missing.values() for number in numbers}
        again = (lost.keys() & wanted) - elsewhere - set(self._waiting)
        self._waiting.extendleft(sorted(again, reverse=True))
