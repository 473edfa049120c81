"""The agent that knows: it plays from an exact solution."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from halma.agents.spec import AgentSpec
from halma.errors import NameSyntaxError
from halma.games import Game, Move, Record
from halma.names import Value

if TYPE_CHECKING:
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

    def solution(self, game: Game) -> Solution:
        """Return the solution this agent plays a variant from."""
        from halma.solve.solver import solution_for, solution_in

        return solution_for(game) if self.file is None else solution_in(self.file, game)


def _build_table(name: str, options: Mapping[str, Value]) -> OptimalAgent:
    if not options["file"]:
        raise NameSyntaxError("'table' plays from a file: write table:FILE.")
    return OptimalAgent(name, Path(str(options["file"])))


SPEC = AgentSpec("optimal", "perfect play, where solved", lambda name, options: OptimalAgent(name))
TABLE_SPEC = AgentSpec(
    "table",
    "perfect play from a table",
    _build_table,
    example="table:tables/ewn-3x3-3.table",
    rest="file",
)
