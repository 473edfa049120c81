"""Grading by exact values: how often the moves that agents pick keep the value of a position.

picks.py    the moves of agents, in their own games and in positions of a table
grades.py   the exact values of those moves, shares with intervals, errors
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halma.agents import HumanAgent, agent
from halma.arena.openings import default_plies, play_opening
from halma.errors import ArgumentError, HalmaError
from halma.executors import Executor
from halma.learn.grading.grades import ExactValues, Grade, GradedPick
from halma.learn.grading.picks import GameBlock, PositionBlock, block_sizes, pick_all
from halma.solve import Solution
from halma.solve.truth import sample_positions

__all__ = ["AgentGrades", "Grade", "grade_agents", "opening_plies_of"]

#: Random plies that games begin with, for each player; none in games of chance.
_OPENING_PLIES = 3


@dataclass(frozen=True)
class AgentGrades:
    """What there is to say of an agent."""

    agent: str
    #: positions as they occur in its games against itself; None if none were played
    games: Grade | None = None
    #: positions of the table, each equally likely; None if none were drawn
    table: Grade | None = None
    #: why it could not be graded
    error: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the grades as plain values, for JSON."""
        samples = {"games": self.games, "table": self.table}
        return {
            "agent": self.agent,
            **{name: grade and grade.as_dict() for name, grade in samples.items()},
        }


def opening_plies_of(solution: Solution) -> int:
    """Return the default length of openings: three random plies a side, none with chance."""
    game = solution.game
    return _OPENING_PLIES * game.players if default_plies(game) else 0


def grade_agents(
    solution: Solution,
    agents: Sequence[str],
    games: int = 100,
    sample: int = 2000,
    seed: int = 0,
    opening_plies: int | None = None,
    workers: int | Executor = 1,
    device: str = "cpu",
    progress: Callable[[int, int], None] = lambda done, total: None,
    networks: Mapping[str, Path] | None = None,
) -> list[AgentGrades]:
    """Grade agents, given by name, by the exact values of a solved variant.

    Each plays `games` games against itself, from openings of random plies, and picks a move in
    `sample` positions drawn from the table; 0 leaves either out. Openings and positions are the
    same for all agents. Networks pick in batches, on `device`; all other agents one move after the
    other. Results do not depend on `workers`. `progress` is called with the blocks done and all
    blocks. An agent that raises an error has no grades. `networks` has files, by the names of
    agents, that they play in place of those in their names: a name cannot have all paths.
    """
    game = solution.game
    if opening_plies is None:
        opening_plies = opening_plies_of(solution)
    if games:
        play_opening(game, f"{seed}", opening_plies)  # refuses what is too long
    players = [agent(name) for name in agents]
    if any(isinstance(player, HumanAgent) for player in players):
        raise ArgumentError("Agents are graded by their own play: 'human' cannot be one of them.")
    names = list(dict.fromkeys(player.name for player in players))
    positions = sample_positions(solution, sample, seed) if sample else []
    states = [position.state for position in positions]
    tasks: list[GameBlock | PositionBlock] = []
    for name in names:
        common = game.name, name, seed, device, (networks or {}).get(name)
        of_games, of_positions = block_sizes(name, device)
        for first in range(0, games, of_games):
            numbers = range(first, min(games, first + of_games))
            tasks.append(GameBlock(*common, numbers, opening_plies))
        for first in range(0, len(states), of_positions):
            part = tuple(states[first : first + of_positions])
            tasks.append(PositionBlock(*common, first, part))
    exact = ExactValues(solution)
    found: dict[tuple[str, type], list[GradedPick]] = defaultdict(list)
    errors: dict[str, str] = {}
    for done, (task, picks) in enumerate(pick_all(tasks, workers), 1):
        progress(done, len(tasks))
        if isinstance(picks, HalmaError):
            errors.setdefault(task.agent, str(picks))
        else:
            found[task.agent, type(task)] += map(exact.compare, picks)
    return [
        AgentGrades(name, error=errors[name])
        if name in errors
        else AgentGrades(
            name,
            Grade(found[name, GameBlock], opening_plies) if games else None,
            Grade(found[name, PositionBlock], None, len(states) < sample) if states else None,
        )
        for name in names
    ]
