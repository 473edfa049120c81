"""Agents that play from a table: of exact values, or of a training run."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from halma.agents.agent import AgentSpec
from halma.games import Game, Move, Record

if TYPE_CHECKING:
    from halma.networks.lookup_table import LookupTable
    from halma.search.analysis import Analysis
    from halma.solve import Solution


@dataclass(frozen=True)
class OptimalAgent:
    """Plays any of the best moves (hsueh2023, section IV).

    A certain win is taken the quickest way and a certain loss put off, and a player who is
    ahead prefers, of equally good moves, those that bring about a decision, so that it does
    not circle. Without a `file` it looks for a table where tables are kept, or solves a
    small variant on the spot.
    """

    name: str = "optimal"
    file: Path | None = None

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return one of the best moves."""
        return rng.choice(self.solution(record.game).best_moves(record.position))

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return every legal move with its exact value, best first."""
        from halma.search.analysis import Analysis, MoveReport, certainty

        position = record.position
        solution = self.solution(record.game)
        best = {move.text for move in solution.best_moves(position)}
        moves = sorted(solution.moves(position), key=lambda m: (-m.value, m.move.text not in best))
        reports = tuple(
            MoveReport(m.move, m.value, proof=certainty(m.value), line=(m.move.text,))
            for m in moves
        )
        return Analysis(position, reports, value=moves[0].value)

    def check(self, game: Game) -> None:
        """Raise an error if there is no solution of a game."""
        self.solution(game)

    def solution(self, game: Game) -> Solution:
        """Return the solution this agent plays a variant from."""
        from halma.solve.solver import solution_for, solution_in

        return solution_for(game) if self.file is None else solution_in(self.file, game)


@dataclass(frozen=True)
class TabularAgent:
    """Plays the most likely move of a lookup table, without any search (hsueh2023, section IV)."""

    name: str
    run: Path

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the most likely legal move."""
        policy = self.table(record.game).policy(record.position)
        return record.position.legal_moves[int(policy.argmax())]

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return every legal move with its probability, and the position's value."""
        from halma.search.analysis import Analysis, MoveReport

        position = record.position
        table = self.table(record.game)
        reports = (
            MoveReport(move, prior=float(share), policy=float(share), line=(move.text,))
            for move, share in zip(position.legal_moves, table.policy(position), strict=True)
        )
        ordered = tuple(sorted(reports, key=lambda report: -(report.policy or 0.0)))
        return Analysis(position, ordered, value=table.value(position))

    def check(self, game: Game) -> None:
        """Raise an error if the table is not of this game."""
        self.table(game)

    def table(self, game: Game) -> LookupTable:
        """Return the table this agent plays a variant from."""
        from halma.networks.lookup_table import open_lookup_table

        return open_lookup_table(self.run, game)


SPECS = (
    AgentSpec("optimal", lambda name, given: OptimalAgent(name)),
    AgentSpec(
        "table",
        lambda name, given: OptimalAgent(name, Path(str(given["path"]))),
        example="table:tables/ewn-3x3-3.table",
        no_path="'table' plays from a file: write table:FILE.",
    ),
    AgentSpec(
        "tabular",
        lambda name, given: TabularAgent(name, Path(str(given["path"]))),
        example="tabular:runs/hsueh2023/ewn-3x3-3",
        no_path="'tabular' plays from a run's lookup table: write tabular:RUNDIR.",
    ),
)
