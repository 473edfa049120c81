"""The result of a tuning, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from halma.learn.settings import Plain
from halma.tune import strength
from halma.tune.confirm import Confirmation
from halma.tune.folder import BEST, REPORT, TuningFolder, run_folder
from halma.tune.population import BEGINS, PARENT
from halma.tune.population import members as chains
from halma.tune.search import ERROR
from halma.tune.space import tried_values

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

#: Fewest trials with a value from which importance is estimated.
LEAST_TRIALS = 6


@dataclass(frozen=True)
class TuningResult:
    """What the trials of a folder say so far."""

    folder: TuningFolder
    confirmation: Confirmation | None = None

    @cached_property
    def trials(self) -> list[FrozenTrial]:
        """All trials."""
        return self.folder.trials

    @cached_property
    def complete(self) -> list[FrozenTrial]:
        """Trials that ran to their end."""
        return [trial for trial in self.trials if trial.state.name == "COMPLETE"]

    @cached_property
    def best(self) -> FrozenTrial | None:
        """The best of those: by the metric, or the last winner of a match."""
        plan = self.folder.plan
        if not self.complete:
            return None
        if plan.by_matches:
            return self.trials[strength.incumbent(self.trials)]
        sign = 1 if plan.maximizes else -1
        return max(self.complete, key=lambda trial: (sign * float(trial.value or 0), -trial.number))

    def settings(self, trial: FrozenTrial) -> dict[str, Plain]:
        """Return the tuned settings of a trial."""
        if trial.number == 0:
            return {key.key: key.default for key in self.folder.plan.keys}
        return tried_values(self.folder.plan.keys, trial.params)

    @cached_property
    def importance(self) -> dict[str, float]:
        """Shares of the settings in what tells good trials from others, the largest first.

        It is PED-ANOVA's; empty where there are too few trials.
        """
        from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

        if len(self.complete) < LEAST_TRIALS:
            return {}
        try:
            found = get_param_importances(
                self.folder.study,
                evaluator=PedAnovaImportanceEvaluator(target_quantile=0.25),
                params=self._common_params,
            )
        except (ValueError, RuntimeError):  # all trials have the same value, or the same settings
            return {}
        return {name: float(share) for name, share in found.items()}

    @property
    def _common_params(self) -> list[str]:
        names = [key.key for key in self.folder.plan.keys]
        return [name for name in names if all(name in trial.params for trial in self.complete)]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        plan, best = self.folder.plan, self.best
        states = [trial.state.name for trial in self.trials]
        return {
            "tuning": str(self.folder.path),
            "recipe": plan.recipe.name,
            "metric": plan.metric,
            "direction": plan.direction,
            "sampler": plan.sampler,
            "trials": len(self.trials),
            "complete": states.count("COMPLETE"),
            "pruned": states.count("PRUNED"),
            "failed": states.count("FAIL"),
            "default_value": self.trials[0].value if self.trials else None,
            "best": None if best is None else self._as_row(best),
            "best_recipe": str(self.folder.path / BEST),
            "report": str(self.folder.path / REPORT),
            "confirmation": None if self.confirmation is None else self.confirmation.as_dict(plan),
            "importance": self.importance,
            "history": [self._as_row(trial) for trial in self.trials],
            "members": self.members,
        }

    def _as_row(self, trial: FrozenTrial) -> dict[str, Any]:
        return {
            "trial": trial.number,
            "state": trial.state.name.lower(),
            "value": trial.value,
            "settings": self.settings(trial),
            "run": str(run_folder(self.folder.path, trial.number)),
            **{
                key: trial.user_attrs.get(key)
                for key in ("iteration", "seconds", "interval", strength.MATCH, ERROR)
            },
        }

    @cached_property
    def members(self) -> list[dict[str, Any]]:
        """The history of each member of a population."""
        return [
            {
                "member": member,
                "history": [
                    {
                        "trial": trial.number,
                        "from_iteration": trial.user_attrs[BEGINS] * self.folder.plan.stretch,
                        "copy_of": trial.user_attrs[PARENT],
                        "settings": self.settings(trial),
                        "values": {str(k): v for k, v in trial.intermediate_values.items()},
                    }
                    for trial in chain
                ],
            }
            for member, chain in sorted(chains(self.trials).items())
        ]
