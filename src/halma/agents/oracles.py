"""Exact values that an agent may probe instead of searching."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from halma.errors import OptionError
from halma.games import Game
from halma.names import Option, Value

if TYPE_CHECKING:
    from halma import _core

ENDGAMES = Option("endgames", 0, "Probe endgame tables with up to this many pieces.", low=2, high=6)
SOLUTION = Option("solution", "off", "Probe the solved variant.", choices=("off", "on"))


@dataclass(frozen=True)
class OracleChoice:
    """Which tables an agent probes: endgame tables of some size, or the whole variant's.

    A table is looked for where tables are kept, or solved on the spot if it is small.
    """

    endgames: int = 0
    solution: bool = False

    def __post_init__(self) -> None:
        if self.endgames and self.solution:
            raise OptionError("'solution' has every position, so 'endgames' adds nothing.")

    @classmethod
    def read(cls, given: Mapping[str, Value]) -> OracleChoice:
        """Return the choice that the parsed options of an agent make."""
        return cls(int(given.get("endgames", 0)), given.get("solution", "off") == "on")

    def oracle(self, game: Game) -> _core.Oracle | None:
        """Return the oracle for a game, or raise a `TableError`."""
        from halma.solve import solution_for

        if self.solution:
            return solution_for(game).oracle
        return solution_for(game, self.endgames).oracle if self.endgames else None


NO_ORACLE = OracleChoice()
