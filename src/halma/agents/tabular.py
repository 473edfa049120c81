"""The agent that plays from the lookup table of a training run."""

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
    from halma.networks.lookup_table import LookupTable
    from halma.search.analysis import Analysis


@dataclass(frozen=True)
class TabularAgent:
    """Plays the most likely move of a lookup table, without any search (hsueh2023, section IV)."""

    name: str
    run: Path

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the most likely legal move."""
        position = record.position
        policy = self.table(record.game).policy(position)
        return position.legal_moves[int(policy.argmax())]

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return every legal move with its probability, and the position's value."""
        from halma.search.analysis import Analysis, MoveReport

        position = record.position
        table = self.table(record.game)
        policy = table.policy(position)
        reports = (
            MoveReport(move, prior=float(share), policy=float(share), line=(move.text,))
            for move, share in zip(position.legal_moves, policy, strict=True)
        )
        ordered = tuple(sorted(reports, key=lambda report: -(report.policy or 0.0)))
        return Analysis(position, ordered, value=table.value(position))

    def table(self, game: Game) -> LookupTable:
        """Return the table this agent plays a variant from."""
        from halma.networks.lookup_table import open_lookup_table

        return open_lookup_table(self.run, game)


def _build(name: str, options: Mapping[str, Value]) -> TabularAgent:
    if not options["run"]:
        raise NameSyntaxError("'tabular' plays from a run's lookup table: write tabular:RUNDIR.")
    return TabularAgent(name, Path(str(options["run"])))


SPEC = AgentSpec(
    "tabular",
    "the policy of a trained lookup table, without search",
    _build,
    example="tabular:runs/hsueh2023/ewn-3x3-3",
    rest="run",
)
