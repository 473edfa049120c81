"""The memory of a training run, measured in a process of its own.

`python -m halma.bench.memory RECIPE TABLE` trains for two iterations, grades, saves and writes
the report as a real run does, with an exact solution from a file, and prints the most bytes it
ever had in memory; pages of mapped files count too.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from halma.errors import HalmaError
from halma.learn.recipe import Recipe
from halma.machine import peak_bytes

#: What makes it short; how many simulations there are is no matter of memory.
SHORT = {
    "iterations": 2,
    "search.simulations": 20,
    "grading.games": 1000,
    "checkpoints.keep": 1,
}


def training_bytes(recipe: str, table: Path) -> int:
    """Return the most bytes that training took, everything included."""
    command = [sys.executable, "-m", "halma.bench.memory", recipe, str(table)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        said = ran.stderr.strip().splitlines() or ["nothing was said"]
        raise HalmaError(f"The memory of '{recipe}' was not measured: {said[-1]}")
    return int(ran.stdout)


def _train(recipe: Recipe, table: Path) -> None:
    from halma.learn.reports import HtmlReport
    from halma.learn.tabular import train
    from halma.solve.tables import open_table

    solution = open_table(table, recipe.game)
    with TemporaryDirectory() as folder:
        out = Path(folder)
        train(recipe, out, [HtmlReport(out, solution=solution)], threads=2, solution=solution)


if __name__ == "__main__":
    from halma.learn.recipe import load

    _train(load(sys.argv[1], SHORT), Path(sys.argv[2]))
    print(peak_bytes())
