"""Training by any method: the one call that a command or an experiment makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from halma.extras import require
from halma.learn.recipe import Recipe
from halma.learn.reports.events import Handler, Metrics


def train(
    recipe: Recipe,
    out: Path,
    handlers: Sequence[Handler] = (),
    threads: int = 1,
    device: str = "auto",
    seconds: float = math.inf,
) -> Metrics:
    """Train as a recipe says, in a run directory; return the metrics of the last iteration.

    `device` is for methods that learn a network: where to compute. After `seconds` of this
    sitting a run stops as if it had been asked to, but returns.
    """
    if recipe.method == "neural":
        require("torch")
        from halma.learn.alphazero import train as train_network

        return train_network(recipe, out, handlers, threads, device, seconds)
    from halma.learn.tabular import train as train_table

    return train_table(recipe, out, handlers, threads, seconds=seconds)
