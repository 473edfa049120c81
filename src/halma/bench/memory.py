"""Peak memory of a training run, measured in a process of its own.

`python -m halma.bench.memory RECIPE TABLE` trains for two iterations with an exact solution
from a file, evaluates, saves and writes the report as any run does, and prints its peak
memory in bytes; pages of mapped files count too.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from halma.errors import HalmaError
from halma.learn.recipe import Recipe, load
from halma.machine import peak_bytes

#: changes that make a run short; the number of simulations does not affect memory
SHORT = {
    "iterations": 2,
    "search.simulations": 20,
    "truth.games": 1000,
    "checkpoints.keep": 1,
}


def training_bytes(recipe: str, table: Path) -> int:
    """Return the peak memory of training with an exact solution from a table."""
    command = [sys.executable, "-m", "halma.bench.memory", recipe, str(table)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        errors = ran.stderr.strip().splitlines() or ["it printed no error"]
        raise HalmaError(f"The memory of '{recipe}' was not measured: {errors[-1]}")
    return int(ran.stdout)


def _train(recipe: Recipe, table: Path) -> None:
    from halma.learn import train
    from halma.learn.reports.page import HtmlReport
    from halma.solve.tables import open_table

    solution = open_table(table, recipe.game)
    with TemporaryDirectory() as folder:
        out = Path(folder)
        train(recipe, out, [HtmlReport(out, solution=solution)], threads=2, solution=solution)


if __name__ == "__main__":
    _train(load(sys.argv[1], SHORT), Path(sys.argv[2]))
    print(peak_bytes())
