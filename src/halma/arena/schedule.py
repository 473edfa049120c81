"""Schedules: which agent plays which side in which game, so that seats are balanced early.

The sides of a game are its players, or its teams where it has some. Games come in sets, and over a
set every agent has every side equally often, so the first set is a fair comparison already.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, pairwise, product
from math import gcd


@dataclass(frozen=True)
class Schedule:
    """The sides that agents have in the games of a match, all of which are numbered from 0."""

    agents: int
    sides: int
    #: sides of agent 0 in every game, against one other agent; 0: all divisions in turn
    held: int = 0

    @property
    def set_size(self) -> int:
        """Games in a set."""
        return self.sides // gcd(self.sides, self.held) if self.held else self.agents

    @cached_property
    def patterns(self) -> tuple[tuple[int, ...], ...]:
        """The agents by side in the first game of each set, used in turn, where all agents play.

        Agent 0 has the first side. Every assignment in which all agents play is one of these, or
        one of them with the agents exchanged in a circle. Those that give all agents as many sides
        come first, of them those in which neighbours differ. With a fixed number of sides there is
        one pattern, in which they are spread evenly.
        """
        if self.held:
            held = [side * self.held % self.sides < self.held for side in range(self.sides)]
            return (tuple(0 if own else 1 for own in held),)
        others = product(range(self.agents), repeat=self.sides - 1)
        assignments = [(0, *rest) for rest in others if len({0, *rest}) == self.agents]
        return tuple(sorted(assignments, key=_unevenness))

    def agents_by_side(self, number: int) -> tuple[int, ...]:
        """Return the agent of each side in game `number`."""
        set_number, shift = divmod(number, self.set_size)
        if self.held:
            (pattern,) = self.patterns
            return pattern[self.sides - shift :] + pattern[: self.sides - shift]
        if self.agents > self.sides:
            pattern = _tables(self.agents, self.sides).pattern(set_number)
        else:
            pattern = self.patterns[set_number % len(self.patterns)]
        return tuple((who + shift) % self.agents for who in pattern)


class _Tables:
    """Patterns for more agents than sides: over the sets, all agents meet equally often.

    A set exchanges the agents of its pattern in a circle, so it has a game for every agent at every
    side, and two agents meet in it as often as their distance on the circle occurs in the pattern.
    """

    def __init__(self, agents: int, sides: int) -> None:
        self._agents, self._sides = agents, sides
        self._patterns: list[tuple[int, ...]] = []
        self._rng = random.Random(f"{agents} agents, {sides} sides")
        #: how often each distance has occurred
        self._met: Counter[int] = Counter()

    def pattern(self, number: int) -> tuple[int, ...]:
        """Return the pattern of a set; those before it are drawn first."""
        while len(self._patterns) <= number:
            self._patterns.append(self._draw())
        return self._patterns[number]

    def _draw(self) -> tuple[int, ...]:
        """Return a pattern whose agents have met least often so far."""
        chosen = [0]
        while len(chosen) < self._sides:
            left = [who for who in range(self._agents) if who not in chosen]
            self._rng.shuffle(left)
            chosen.append(
                min(left, key=lambda who: sum(map(self._times, self._apart(who, chosen))))
            )
        for one, other in combinations(chosen, 2):
            self._met.update(self._apart(one, [other]))
        self._rng.shuffle(chosen)
        return tuple(chosen)

    def _apart(self, who: int, others: list[int]) -> list[int]:
        """Return the distances of an agent to others, the shorter way round the circle."""
        return [min((who - other) % self._agents, (other - who) % self._agents) for other in others]

    def _times(self, distance: int) -> int:
        """Return how often two agents at a distance have met."""
        # Opposite each other on the circle they meet twice in a set.
        return self._met[distance] * (2 if 2 * distance == self._agents else 1)


#: Drawn once per process: pattern n depends on those before it.
_tables = cache(_Tables)


def _unevenness(sides: tuple[int, ...]) -> tuple[int, int]:
    """Return the difference in sides between agents, and the neighbours that are one agent."""
    counts = Counter(sides).values()
    alike = sum(here == there for here, there in pairwise((*sides, sides[0])))
    return max(counts) - min(counts), alike
