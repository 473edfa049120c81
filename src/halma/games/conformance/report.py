"""The report of a conformance check."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class RequirementResult:
    """One requirement: how often it was tested and how it failed.

    `tested` is 0 where there was nothing to test it on, such as outcomes in a game
    without chance.
    """

    name: str
    requirement: str
    tested: int
    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether no failure was found."""
        return not self.failures


@dataclass(frozen=True)
class ConformanceReport:
    """The results of a conformance check, one for each requirement."""

    game: str
    games: int
    seed: int
    requirements: tuple[RequirementResult, ...]

    @property
    def ok(self) -> bool:
        """Whether every requirement holds."""
        return not self.failed()

    def __getitem__(self, name: str) -> RequirementResult:
        return next(result for result in self.requirements if result.name == name)

    def failed(self) -> list[str]:
        """Return the names of the requirements that do not hold."""
        return [result.name for result in self.requirements if not result.ok]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        results = [{**asdict(result), "ok": result.ok} for result in self.requirements]
        return {**asdict(self), "ok": self.ok, "requirements": results}

    def __str__(self) -> str:
        lines = []
        for result in self.requirements:
            status = "ok    " if result.ok else "FAILED"
            lines.append(f"{status} {result.name:<12} {result.requirement}")
            lines.extend(f"       {failure}" for failure in result.failures)
        return "\n".join(lines)
