"""Training by any method: the one call that the command line, scripts and experiments make."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from halma.learn.metrics import MetricsFile
from halma.learn.recipe import Recipe
from halma.learn.reports.events import Handler, Reporter
from halma.learn.run import RunDirectory
from halma.learn.session import TrainingSession
from halma.machine import require
from halma.solve import Solution


def train(
    recipe: Recipe,
    out: Path,
    handlers: Sequence[Handler] = (),
    threads: int = 1,
    seconds: float = math.inf,
    device: str = "auto",
    compiled: bool = False,
    solution: Solution | None = None,
) -> dict[str, Any]:
    """Train as a recipe says, in a run directory; return the metrics of the last iteration.

    A run that was stopped or killed continues from its newest checkpoint; a finished one
    returns at once. After `seconds` of this session it stops with a checkpoint, as it does at
    Ctrl-C, which then raises `KeyboardInterrupt`.

    With a network, `device` says where it is trained and evaluated (`auto`, `cpu`, `cuda`), and
    `compiled` runs it through torch.compile on a GPU, which takes a minute and pays off after
    a few. With a table, `solution` has the exact values that it is compared with; without one,
    they are read from where tables are kept, or computed.
    """
    session: Callable[..., TrainingSession]
    if recipe.method == "alphazero":
        require("torch")
        from halma.learn.alphazero import AlphaZero
        from halma.networks.torch_evaluator import find_device

        session = partial(AlphaZero, device=find_device(device), compiled=compiled)
    else:
        from halma.learn.tabular import TabularAlphaZero

        session = partial(TabularAlphaZero, solution=solution)
    with (
        RunDirectory(out, recipe) as run,
        closing(Reporter([MetricsFile(out), *handlers])) as reporter,
    ):
        return session(recipe, run, reporter, threads, seconds).run()
