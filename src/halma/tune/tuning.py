"""A tuning from its plan to its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from halma.errors import OptionError
from halma.executors import Executor
from halma.machine import require
from halma.processes import Processes
from halma.tune.confirm import confirm
from halma.tune.folder import TuningFolder
from halma.tune.plan import TuningPlan, check_plan
from halma.tune.population import PopulationTraining
from halma.tune.report import write_report
from halma.tune.result import TuningResult
from halma.tune.search import TuningSearch
from halma.tune.trial import TrialRunner

#: Called with what is done, the total of that, and a text about it.
Update = Callable[[float, int, str], None]


def tune(
    plan: TuningPlan,
    path: Path,
    trials: int = 40,
    confirm_seeds: int = 3,
    workers: int | Executor = 1,
    threads: int = 1,
    device: str = "auto",
    update: Update = lambda done, total, text: None,
    note: Callable[[str], None] = lambda text: None,
    command: str = "halma tune",
) -> TuningResult:
    """Run trials in a folder until there are as many as wanted, confirm the best, and report.

    A tuning that was interrupted goes on where it was; one that has all its trials only reports.
    With population-based training the plan says how many runs there are. `workers` is a number of
    processes, or another place where trials run; all of its workers must see the folder.
    """
    require("optuna", "matplotlib")
    if plan.recipe.method != "tabular":
        require("torch", "onnx")
    check_plan(plan)
    if plan.by_matches and any(sign in str(path) for sign in ",="):
        raise OptionError(
            f"'{path}' cannot be the folder of a tuning by matches: they name players by their "
            "files, which have no commas and equals signs."
        )
    executor = workers if isinstance(workers, Executor) else Processes(workers)
    with TuningFolder(path, plan) as folder:
        executor.check_shared(path)
        runner = TrialRunner(plan, path, threads, device)
        by_population = plan.sampler == "pbt"
        total = plan.length if by_population else trials

        def watch(done: int, fractions: Sequence[float], text: str) -> None:
            if text:
                note(text)
            update(done + sum(fractions), total, _best_text(folder))

        try:
            if by_population:
                PopulationTraining(folder, runner, executor, watch).run()
            else:
                TuningSearch(folder, runner, executor, watch).run(trials)
        except KeyboardInterrupt:
            write_report(TuningResult(folder), command)
            raise
        result = TuningResult(folder)
        best = result.best
        if best is not None and best.number and confirm_seeds:
            note(f"Trial {best.number} is the best. It is trained anew with {confirm_seeds} seeds.")
            settings = result.settings(best)
            found = confirm(
                folder,
                runner,
                best.number,
                settings,
                confirm_seeds,
                executor,
                lambda done, all_runs: update(done, all_runs, "confirming"),
            )
            result = TuningResult(folder, found)
        write_report(result, command)
        return result


def _best_text(folder: TuningFolder) -> str:
    result = TuningResult(folder)
    if result.best is None or result.best.value is None:
        return ""
    pruned = sum(trial.state.name == "PRUNED" for trial in result.trials)
    text = f"best {folder.plan.metric} {result.best.value:.4g} (trial {result.best.number})"
    return text + (f", {pruned} pruned" if pruned else "")
