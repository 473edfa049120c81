"""A position at chance: every outcome with its odds and an analysis of what follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from halma.games import Outcome, Position
from halma.search.analysis import Analysis


@dataclass(frozen=True)
class OutcomeReport:
    """An outcome of chance, and the position after it."""

    outcome: Outcome
    position: Position
    #: None where the outcome ends the game
    analysis: Analysis | None

    @property
    def value(self) -> float | None:
        """The value for the player to move, from 0 (a loss) to 1 (a win)."""
        if self.analysis is not None:
            return self.analysis.value
        return self.scores[self.position.mover]

    @property
    def scores(self) -> list[float]:
        """The scores of all players from 0 to 1 where the outcome ends the game."""
        return [score / self.position.game.core.max_score for score in self.position.result]

    @property
    def proven(self) -> bool:
        """Whether that value is certain."""
        return self.analysis is None or self.analysis.proven

    def as_dict(self, most_moves: int) -> dict[str, Any]:
        """Return all of it as plain values, with the best moves."""
        outcome, analysis = self.outcome, self.analysis
        odds = {"outcome": outcome.text, "probability": outcome.probability}
        if analysis is None:
            position, value = self.position.text, self.value
            return {**odds, "position": position, "value": value, "proven": True, "moves": []}
        found = analysis.as_dict()
        return {**odds, **found, "moves": found["moves"][:most_moves]}


@dataclass(frozen=True)
class ChanceAnalysis:
    """A position at chance with all of its outcomes."""

    position: Position
    outcomes: tuple[OutcomeReport, ...]

    @property
    def value(self) -> float | None:
        """The mean over outcomes, for the player to move after them."""
        values = [(report.outcome.probability, report.value) for report in self.outcomes]
        known = [weight * value for weight, value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    def as_dict(self, most_moves: int) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "position": self.position.text,
            "mover": self.position.mover,
            "value": self.value,
            "proven": all(report.proven for report in self.outcomes),
            "outcomes": [report.as_dict(most_moves) for report in self.outcomes],
        }


def analyse_outcomes(position: Position, analyse: Callable[[Position], Analysis]) -> ChanceAnalysis:
    """Analyse what follows each outcome of a position at chance, where a player is to move then."""
    reports = []
    for outcome in position.outcomes:
        after = position.resolve(outcome)
        found = None if after.is_terminal else analyse(after)
        reports.append(OutcomeReport(outcome, after, found))
    return ChanceAnalysis(position, tuple(reports))
