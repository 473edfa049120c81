"""What an agent that searches may look up instead of searching."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from halma.errors import OptionError
from halma.games import Game
from halma.names import Option, Value

if TYPE_CHECKING:
    from halma import _core

ENDINGS = Option(
    "endings", 0, "look up positions with so many pieces instead of searching", low=2, high=6
)
SOLUTION = Option("solution", "off", "look up every position", choices=("off", "on"))


@dataclass(frozen=True)
class Knowledge:
    """Which tables an agent asks: of endings with so many pieces, or of the whole variant.

    A table is looked for where tables are kept, or solved on the spot if it is small.
    """

    endings: int = 0
    solution: bool = False

    def __post_init__(self) -> None:
        if self.endings and self.solution:
            raise OptionError("Who looks up every position has no use for 'endings'.")

    @classmethod
    def read(cls, given: Mapping[str, Value]) -> Knowledge:
        """Return what the parsed options of an agent ask for."""
        return cls(int(given.get("endings", 0)), given.get("solution", "off") == "on")

    def oracle(self, game: Game) -> _core.Oracle | None:
        """Return what a search of this game may ask, or raise a `TableError`."""
        from halma.solve.solver import endgames_for, solution_for

        if self.solution:
            return solution_for(game).oracle
        return endgames_for(game, self.endings).oracle if self.endings else None


NO_KNOWLEDGE = Knowledge()
