"""Tabular AlphaZero (hsueh2023, algorithm 1), graded against the exact truth.

Self-play, table and updates are the core's (`core/learn/tabular.hpp`); this is the loop
around them: iterate, grade, report, save.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np

from halma import _core
from halma.errors import TableError
from halma.interrupt import interruptible
from halma.learn.metrics import keep_metrics, read_metrics
from halma.learn.recipe import Recipe
from halma.learn.reports.events import (
    Curve,
    Finished,
    Handler,
    Iteration,
    Reporter,
    reporting,
)
from halma.learn.reports.metrics_file import MetricsFile
from halma.learn.run import RunDirectory
from halma.learn.sections import TabularSettings
from halma.learn.session import Sitting
from halma.learn.truth import (
    TestPositions,
    Watched,
    WatchedPositions,
    WinRate,
    decisions_near_start,
)
from halma.networks.lookup_table import KIND
from halma.search import search_options
from halma.solve import Solution, solution_for, solve
from halma.solve.solution import ChanceSolution
from halma.storage import ArrayFile, Arrays

CURVES = (
    Curve("wr_p", "WR_p", ".1%", "points won against perfect play; 50% is perfect"),
    Curve("err_p", "ERR_p", ".4f", "chances of winning that a move costs; 0 is perfect"),
    Curve("mae_v", "MAE_v", ".4f", "how far values of positions are off; 0 is perfect"),
)


class TabularMetrics(TypedDict):
    """A line of metrics.jsonl. Grades are None after iterations that were not graded."""

    #: counts from 1
    iteration: int
    #: share of points against the optimal player, and its 95% interval
    wr_p: float | None
    wr_p_low: float | None
    wr_p_high: float | None
    #: the same from each side
    wr_p_first: float | None
    wr_p_second: float | None
    #: what the policy loses on the test positions, and how far values are off there
    err_p: float | None
    mae_v: float | None
    #: positions updated so often at least, since the beginning
    updated_1: int
    updated_4: int
    updated_16: int
    learning_rate: float
    #: of this iteration's self-play
    games: int
    plies: int
    draws: int
    simulations: int
    #: updates made, the games of the window taken together
    positions: int
    play_seconds: float
    update_seconds: float
    grade_seconds: float
    #: of the whole run so far, earlier sittings included
    seconds: float
    #: what is known of the positions that the recipe watches, if it watches any
    watched: NotRequired[list[Watched]]


def train(
    recipe: Recipe,
    out: Path,
    handlers: Sequence[Handler] = (),
    threads: int = 1,
    solution: Solution | None = None,
    seconds: float = math.inf,
) -> TabularMetrics:
    """Train as a recipe says, in a run directory; return the metrics of the last iteration.

    A run that was stopped or killed goes on where it was, and a finished one only answers.
    After `seconds` of this sitting it stops as if it had been asked to, but returns. Without
    a `solution` one is read from where tables are kept, or made. A person's Ctrl-C leaves a
    checkpoint and ends in `KeyboardInterrupt`.
    """
    with (
        RunDirectory(out, recipe) as run,
        reporting([MetricsFile(out), *handlers]) as reporter,
    ):
        return _Loop(recipe, run, threads, solution, seconds, reporter).run()


def learning_rate(settings: TabularSettings, iteration: int) -> float:
    """Return the learning rate of an iteration; they count from 1."""
    late = iteration > settings.learning.late_from * settings.iterations
    return settings.learning.late_rate if late else settings.learning.rate


class _Loop(Sitting):
    """One sitting: iterate, grade, report, save."""

    def __init__(
        self,
        recipe: Recipe,
        run: RunDirectory,
        threads: int,
        solution: Solution | None,
        limit: float,
        reporter: Reporter,
    ) -> None:
        super().__init__(recipe, run, KIND, threads, limit, reporter)
        self.settings: TabularSettings = recipe.settings
        self.solution = solution
        #: what the last checkpoint left
        self.found: ArrayFile | None = None

    def run(self) -> TabularMetrics:
        """Train from where the run is to its end."""
        with self.telling():
            self.found = self.find_checkpoint()
            history = self._find_history()
            self.announce(history, CURVES)
            metrics: Any = history[-1] if history else None
            if self.saved < self.settings.iterations:
                metrics = self._go_on(metrics)
            if metrics["iteration"] == self.settings.iterations:
                self.reporter.emit(Finished(metrics))
        last: TabularMetrics = metrics
        return last

    def _find_history(self) -> list[dict[str, Any]]:
        """Return the metrics up to where the run is; what goes beyond is cut off."""
        if self.settings.checkpoints.keep == 0 and self.found is None:
            history = read_metrics(self.out)
            if len(history) == self.settings.iterations:
                self.saved = len(history)
                return history
        return keep_metrics(self.out, self.saved)

    def _go_on(self, last: TabularMetrics | None) -> TabularMetrics:
        self.trainer = interruptible(lambda: make_trainer(self.recipe, self.threads))
        if self.found is not None:
            self._restore(self.found)
            # A large file would otherwise stay mapped.
            self.found = None
        self._prepare_grading()
        self.began = time.perf_counter()
        total = self.settings.iterations
        with self.stoppable(self.trainer.stop):
            while self.trainer.iteration < total and self.may_begin():
                metrics = self._iterate()
                if metrics is None:
                    break
                last = metrics
                self.reporter.emit(Iteration(last))
                if self.trainer.iteration < total and self.checkpoints.is_due:
                    self._save()
            if self.trainer.iteration == total:
                if self.settings.checkpoints.keep:
                    self._save()
                self.checkpoints.finish()
            else:
                self._save()
                self.tell_stopped(self.trainer.iteration)
        assert last is not None
        return last

    def _iterate(self) -> TabularMetrics | None:
        """Play, learn and grade; nothing if it was stopped before it had learnt."""
        settings, trainer = self.settings, self.trainer
        number = trainer.iteration + 1
        rate = learning_rate(settings, number)
        totals = interruptible(
            lambda: trainer.iterate(rate, self.threads, settings.selfplay.seconds)
        )
        if totals is None:
            return None
        began = time.perf_counter()
        graded = number % settings.grading.every == 0 or number == settings.iterations
        grades = interruptible(lambda: self._grade(number)) if graded else _NO_GRADES
        now = time.perf_counter()
        metrics: dict[str, Any] = {
            "iteration": number,
            **grades,
            **{f"updated_{times}": trainer.updated(times) for times in (1, 4, 16)},
            "learning_rate": rate,
            **{key: totals[key] for key in _TOTALS},
            "grade_seconds": now - began,
            "seconds": self.seconds,
        }
        if settings.grading.watch:
            metrics["watched"] = self.watched.read(trainer.table())
        return metrics  # type: ignore[return-value]

    def _grade(self, iteration: int) -> dict[str, float | None]:
        truth, trainer = self.truth.arrays, self.trainer
        table = trainer.table()
        rate = WinRate.of(
            trainer.match(
                truth["values"],
                truth["distances"],
                self.settings.grading.games,
                seed=_match_seed(self.settings.seed, iteration),
                threads=self.threads,
            )
        )
        low, high = rate.interval
        return {
            "wr_p": rate.value,
            "wr_p_low": low,
            "wr_p_high": high,
            "wr_p_first": rate.first.share,
            "wr_p_second": rate.second.share,
            "err_p": self.test_positions.policy_error(table[:, 1:]),
            "mae_v": self.test_positions.value_error(table[:, 0]),
        }

    def _prepare_grading(self) -> None:
        self.truth = self.solution or find_solution(self.recipe, self.threads, self.reporter.note)
        if not isinstance(self.truth, ChanceSolution):
            raise TableError(f"'{self.game.name}' has no solution that a match can be played by.")
        positions = decisions_near_start(self.game, self.settings.grading.plies)
        self.test_positions = TestPositions(self.truth, positions, self.trainer.row)
        watched = [self.game.position(text) for text in self.settings.grading.watch]
        self.watched = WatchedPositions(self.game, watched, self.trainer.row)

    def _restore(self, found: ArrayFile) -> None:
        trainer, arrays = self.trainer, found.arrays
        trainer.table().reshape(-1)[:] = arrays["table"]
        trainer.updates()[:] = arrays["updates"]
        trainer.restore(found.about["iteration"], arrays["recent"].tobytes())

    def _save(self) -> None:
        trainer = self.trainer
        if trainer.iteration == self.saved:
            return
        arrays: Arrays = {
            "indices": trainer.indices(),
            "table": trainer.table().reshape(-1),
            "updates": trainer.updates(),
            "recent": np.frombuffer(trainer.replay_buffer(), dtype=np.uint8),
        }
        self.save(trainer.iteration, {"seconds": self.seconds}, arrays)


_TOTALS = (
    "games",
    "plies",
    "draws",
    "simulations",
    "positions",
    "play_seconds",
    "update_seconds",
)
_NO_GRADES: dict[str, float | None] = dict.fromkeys(
    ("wr_p", "wr_p_low", "wr_p_high", "wr_p_first", "wr_p_second", "err_p", "mae_v")
)


def make_trainer(recipe: Recipe, threads: int = 1) -> _core.TabularTrainer:
    """Return the core's trainer of a recipe, before its first iteration."""
    settings: TabularSettings = recipe.settings
    game, search = recipe.game, settings.search
    options = _core.TabularOptions()
    options.search = search_options(
        game,
        rule=search.rule,
        c=search.c,
        fpu=search.untried,
        solver=search.solver,
        dirichlet_weight=search.noise,
        dirichlet_alpha=search.alpha,
        gumbel_scale=1.0,
        max_considered_actions=search.considered,
    )
    options.limits = game.limits
    options.seed = settings.seed
    options.simulations, options.count_root = search.simulations, search.count_root
    options.games, options.replay_buffer = settings.selfplay.games, settings.learning.window
    options.symmetry, options.spread = settings.learning.symmetry, settings.learning.spread
    return _core.TabularTrainer(game.core, options, threads)


def find_solution(
    recipe: Recipe, threads: int = 1, note: Callable[[str], None] = lambda text: None
) -> Solution:
    """Return the exact solution that a run is graded by; one that takes long is kept."""
    try:
        return solution_for(recipe.game)
    except TableError:
        note(f"Solving {recipe.game.name} first, so that the run can be graded.")
        return solve(recipe.game, threads=threads, note=note)


def _match_seed(seed: int, iteration: int) -> int:
    """Return a seed for an iteration's match that does not depend on how the run got there."""
    return int(np.random.SeedSequence((seed, iteration)).generate_state(1, np.uint64)[0] >> 1)
