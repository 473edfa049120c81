"""Games of one setting, played in blocks on all cores."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from halma.agents import Agent, agent, play_game
from halma.games import Record, game
from halma.lab.jobs import Job
from halma.lab.workspace import Workspace
from halma.processes import ReportProgress

_BLOCK = 20

_agent: Callable[[str], Agent] = lru_cache(maxsize=4)(agent)


@dataclass(frozen=True)
class GameBlocks:
    """Games 0, 1, 2, ... of a setting. Results do not depend on how they are divided."""

    #: comma-separated parts
    name: str
    #: `measure(*arguments, number, seed)` plays a game and returns plain values
    measure: Callable[..., Any]
    arguments: tuple[Any, ...]
    games: int
    #: of one game
    cost: float = 1.0

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield a job for each block."""
        for name, numbers in self._blocks():
            arguments = (self.measure, self.arguments, numbers, workspace.seed)
            yield Job(name, _play_block, arguments, self.cost * len(numbers))

    def results(self, workspace: Workspace) -> list[Any]:
        """Return what was measured of each game of the blocks that were played."""
        played = (name for name, _ in self._blocks() if name in workspace.measurements)
        return [result for name in played for result in workspace.measurements[name]]

    def _blocks(self) -> Iterator[tuple[str, range]]:
        for first in range(0, self.games, _BLOCK):
            numbers = range(first, min(first + _BLOCK, self.games))
            yield f"{self.name},games={numbers[0]}-{numbers[-1]}", numbers


def _play_block(
    measure: Callable[..., Any],
    arguments: tuple[Any, ...],
    numbers: Sequence[int],
    seed: int,
    report: ReportProgress,
) -> list[Any]:
    results = []
    for done, number in enumerate(numbers, start=1):
        results.append(measure(*arguments, number, seed))
        report(done / len(numbers))
    return results


def play_numbered(variant: str, seats: Sequence[str], number: int, seed: int) -> Record:
    """Play game `number` of a series between agents, given by name."""
    record = Record(game(variant))
    players = [_agent(name) for name in seats]
    for _ in play_game(record, players, random.Random(f"{seed}/{number}").getrandbits(32)):
        pass
    return record
