"""Training by any method: the one call that a command or an experiment makes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from halma.learn import tabular
from halma.learn.recipe import Recipe
from halma.learn.reports import Handler, Metrics

_LOOPS = {"tabular": tabular.train}


def train(recipe: Recipe, out: Path, handlers: Sequence[Handler] = (), threads: int = 1) -> Metrics:
    """Train as a recipe says, in a run directory; return the metrics of the last iteration."""
    return _LOOPS[recipe.method](recipe, out, handlers, threads)
