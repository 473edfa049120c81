"""What is tuned, by which metric, and how long a trial trains."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from halma.arena.sprt import Sprt
from halma.errors import OptionError
from halma.learn.checks import check_recipe
from halma.learn.metric_names import MAXIMIZE, better_direction, check_metric
from halma.learn.recipe import Recipe
from halma.learn.settings import Plain
from halma.tune.space import TunedKey

#: The metric that is measured by matches between trials, as Elo above the recipe as it is.
STRENGTH = "strength"
SAMPLERS, PRUNERS = ("tpe", "random", "pbt"), ("median", "halving", "none")
#: Seeds of runs that confirm a result are this far from those of trials.
_CONFIRMING = 1_000_000


@dataclass(frozen=True)
class TuningPlan:
    """Everything that determines the trials of a tuning, but not how many there are."""

    recipe: Recipe
    keys: tuple[TunedKey, ...]
    metric: str
    direction: str
    sampler: str = "tpe"
    pruner: str = "median"
    #: length of a trial; the recipe's own if left out
    iterations: int | None = None
    #: time of a trial
    seconds: float = math.inf
    seed: int = 0
    #: runs of population-based training, and iterations between two exchanges
    population: int = 8
    stretch: int = 1
    #: the test between a trial and the best so far, and the most games it takes
    sprt: Sprt = field(default_factory=lambda: Sprt(0, 50))
    games: int = 400

    @property
    def by_matches(self) -> bool:
        """Whether trials are compared by matches."""
        return self.metric == STRENGTH

    @property
    def maximizes(self) -> bool:
        """Whether more of the metric is better."""
        return self.direction == MAXIMIZE

    @property
    def length(self) -> int:
        """Iterations of a trial, at most."""
        found: int = self.iterations or self.recipe.settings.iterations
        return found

    def is_better(self, value: float, than: float) -> bool:
        """Whether a value of the metric is better than another."""
        return value > than if self.maximizes else value < than

    def trial_recipe(self, number: int, settings: dict[str, Plain]) -> Recipe:
        """Return the recipe of a trial: trials differ in their seeds too."""
        return self._shortened(settings, self.seed + number)

    def confirming_recipe(self, number: int, settings: dict[str, Plain]) -> Recipe:
        """Return the recipe of a run that confirms a result; its seed is that of no trial."""
        return self._shortened(settings, self.seed + _CONFIRMING + number)

    def _shortened(self, settings: dict[str, Plain], seed: int) -> Recipe:
        return self.recipe.changed({**settings, "iterations": self.length, "seed": seed})

    @property
    def identity(self) -> dict[str, Any]:
        """What must agree for a tuning to continue, as plain values."""
        found = {
            "metric": self.metric,
            "direction": self.direction,
            "keys": {key.key: key.text for key in self.keys},
            "sampler": self.sampler,
            "iterations": self.length,
            "seconds": None if math.isinf(self.seconds) else self.seconds,
            "seed": self.seed,
        }
        if self.sampler == "pbt":
            found |= {"population": self.population, "stretch": self.stretch}
        elif self.by_matches:
            found |= {"sprt": vars(self.sprt), "games": self.games}
        else:
            found["pruner"] = self.pruner
        settings = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in self.recipe.flat.items()
        }
        return {**found, "settings": settings}


def check_plan(plan: TuningPlan) -> None:
    """Raise an error if a tuning cannot be carried out as planned."""
    if not plan.keys:
        raise OptionError("There is nothing to tune: name a setting with --key.")
    if not plan.length:
        raise OptionError("A trial has at least one iteration: give a number with --iterations.")
    if plan.sampler == "pbt":
        if plan.by_matches:
            raise OptionError(
                "Population-based training compares its runs by a metric of theirs, not by "
                "matches: leave out --sampler pbt, or give a --metric such as vs_greedy."
            )
        if not math.isinf(plan.seconds):
            raise OptionError(
                "Population-based training counts iterations: give --iterations and --stretch in "
                "place of --minutes."
            )
    check_recipe(plan.trial_recipe(0, {}))


def find_direction(
    recipe: Recipe, metric: str, maximize: bool = False, minimize: bool = False
) -> str:
    """Return which way a metric is better, after checking that runs of the recipe have it."""
    if maximize and minimize:
        raise OptionError("Give either --maximize or --minimize.")
    if metric == STRENGTH:
        if minimize:
            raise OptionError("'strength' is maximized: leave out --minimize.")
        return MAXIMIZE
    check_metric(recipe, metric)
    if maximize or minimize:
        return "maximize" if maximize else "minimize"
    found = better_direction(metric)
    if found is None:
        raise OptionError(
            f"Whether more or less of '{metric}' is better is not known: add --maximize or "
            "--minimize."
        )
    return found
