"""About how long full runs take: hours of one idle core, by figures and by variant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from halma.lab.experiment import Experiment
from halma.lab.hsueh2023.settings import (
    ALL_VARIANTS,
    VARIANTS,
    Planner,
    cost,
    seconds_of_self_play,
)
from halma.lab.hsueh2023.training import TrainingExperiment
from halma.lab.report import markdown_table
from halma.lab.run_store import run_name
from halma.learn import Recipe

#: The variant by whose runs figures are compared.
_COMPARED = ALL_VARIANTS[0]


def full_costs(experiments: Iterable[Experiment]) -> str:
    """Return a table of the runs with a lookup table; figures that share runs are in one line."""
    lines: dict[frozenset[str], list[TrainingExperiment]] = {}
    for one in experiments:
        if isinstance(one, TrainingExperiment) and not one.recipe:
            lines.setdefault(frozenset(_runs(one, _COMPARED)), []).append(one)
    columns = ("", "runs a variant", *VARIANTS.values())
    return markdown_table(columns, [_line(names, found) for names, found in lines.items()])


def _line(names: frozenset[str], found: list[TrainingExperiment]) -> tuple[str, ...]:
    hours = []
    for variant in ALL_VARIANTS:
        runs: dict[str, Recipe] = {}
        for one in found:
            if variant in one.variants:
                runs |= _runs(one, variant)
        hours.append(_written(sum(map(cost, runs.values())) / 3600) if runs else "")
    return ", ".join(f"`{one.name}`" for one in found), str(len(names)), *hours


def _runs(experiment: TrainingExperiment, variant: str) -> Mapping[str, Recipe]:
    planner = Planner(full=True, seed=0)
    if experiment.timed:
        planned = planner.timed(variant, seconds_of_self_play(planner.run(variant)))
        recipes: Iterable[Recipe] = planned.values()
    else:
        recipes = experiment.plan(planner, variant).values()
    return {run_name(recipe): recipe for recipe in recipes}


def _written(hours: float) -> str:
    return "< 0.1" if hours < 0.1 else f"{hours:.1f}" if hours < 10 else f"{hours:,.0f}"
