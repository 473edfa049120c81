"""What trials ask the process that tunes, which alone has the study open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halma.tune.folder import open_trial
from halma.tune.strength import MATCH, incumbent, won

if TYPE_CHECKING:
    from halma.tune.folder import TuningFolder


class StudyQuestion(ABC):
    """A question of a trial, with what the answer depends on."""

    @abstractmethod
    def answer(self, folder: TuningFolder) -> Any:
        """Return the answer, in the process that has locked the folder."""


@dataclass(frozen=True)
class IsHopeless(StudyQuestion):
    """Whether a trial with this value of the metric is pruned; the value is kept."""

    trial: int
    value: float
    #: what the value counts for; those that a trial reported before it was interrupted stay
    steps: Sequence[int]

    def answer(self, folder: TuningFolder) -> bool:
        """Report the value to Optuna and return what its pruner says."""
        trial = open_trial(folder.study, self.trial)
        known = folder.trials[self.trial].intermediate_values
        for step in self.steps:
            if step not in known:
                trial.report(self.value, step)
        return trial.should_prune()


@dataclass(frozen=True)
class NextOpponent(StudyQuestion):
    """Which trial a trial plays, after a match with another one; None: that match is kept.

    Who won against an incumbent that was beaten meanwhile plays the new one.
    """

    trial: int
    match: dict[str, Any] | None

    def answer(self, folder: TuningFolder) -> int | None:
        """Return the incumbent, or keep the match."""
        trials = folder.trials
        if MATCH in trials[self.trial].user_attrs:  # it was interrupted after its match
            return None
        best = incumbent(trials)
        if self.match is None or (won(self.match) and self.match["opponent"] != best):
            return best
        folder.describe(self.trial, **{MATCH: self.match})
        return None
