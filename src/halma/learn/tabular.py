"""Tabular AlphaZero (hsueh2023, algorithm 1), evaluated against exact values.

Self-play, table and updates are the core's (`core/learn/tabular.hpp`); this is the loop
around them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halma import _core
from halma.errors import RunError
from halma.interrupt import Interrupted
from halma.learn.metric_names import WIN_RATE_METRICS
from halma.learn.recipe import Recipe
from halma.learn.sections.common import search_values
from halma.learn.sections.tabular import TabularSettings
from halma.learn.session import TrainingSession
from halma.learn.truth import (
    TRUTH_CURVES,
    TestPositions,
    WatchedPositions,
    decisions_near_start,
    find_solution,
    win_rate,
)
from halma.networks.lookup_table import KIND, table_arrays
from halma.search import search_options
from halma.solve import Solution
from halma.structure import ArrayKind
from halma.tensors import TensorFile

if TYPE_CHECKING:
    from halma.tensors import Arrays

_TRUTH_METRICS = (*WIN_RATE_METRICS, "err_p", "mae_v")
_SELF_PLAY_METRICS = (
    "games",
    "plies",
    "draws",
    "simulations",
    "positions",
    "play_seconds",
    "update_seconds",
    "processor_seconds",
)


class TabularAlphaZero(TrainingSession):
    """Self-play and table updates by the core, then the comparison with exact values."""

    kind = KIND
    curves = TRUTH_CURVES

    def __init__(self, *session: Any, solution: Solution | None = None) -> None:
        super().__init__(*session)
        self._solution = solution

    def arrays(self, checkpoint: TensorFile) -> Mapping[str, ArrayKind]:
        """Return what the arrays of a lookup table must be."""
        return table_arrays(self.game)

    def prepare(self, checkpoint: TensorFile | None) -> None:
        """Make the core's trainer, and the positions to evaluate the table at."""
        self.trainer = trainer = make_trainer(self.recipe, self.threads)
        if checkpoint is not None:
            self._restore(checkpoint)
        solution = self._solution or find_solution(self.game, self.threads, self.reporter.note)
        self._truth = solution.exact_arrays()
        positions = decisions_near_start(self.game, self.settings.truth.plies)
        self._test_positions = TestPositions(solution, positions, trainer.row)
        watched = [self.game.position(text) for text in self.settings.truth.watch]
        self._watched = WatchedPositions(watched, trainer.row)

    def _restore(self, checkpoint: TensorFile) -> None:
        """Continue from a checkpoint."""
        trainer = self.trainer
        try:
            if not np.array_equal(checkpoint["indices"], trainer.indices()):
                raise ValueError("Its positions are not those that games reach.")
            trainer.restore(self.iteration, checkpoint["recent"].tobytes())
        except ValueError as error:
            raise RunError(
                f"'{checkpoint.path}' is not used: {error} Remove it to go on from an older one."
            ) from None
        checkpoint.copy_to("table", trainer.table())
        checkpoint.copy_to("updates", trainer.updates())

    def stop(self) -> None:
        """Stop self-play or the update; the table stays that of the last iteration."""
        self.trainer.stop()

    def iterate(self, iteration: int) -> dict[str, Any]:
        """Play games, update the table, evaluate it."""
        settings, trainer = self.settings, self.trainer
        rate = settings.learning_rate(iteration)
        totals = trainer.iterate(rate, self.threads, settings.selfplay.seconds)
        if totals is None:
            raise Interrupted
        began = time.perf_counter()
        every = settings.truth.every
        due = iteration % every == 0 or iteration == settings.iterations
        graded: dict[str, float | None] = dict.fromkeys(_TRUTH_METRICS)
        if due:
            graded |= self._evaluate(iteration)
        metrics: dict[str, Any] = {
            "iteration": iteration,
            **graded,
            **{f"updated_{times}": trainer.updated(times) for times in (1, 4, 16)},
            "learning_rate": rate,
            **{key: totals[key] for key in _SELF_PLAY_METRICS},
            "truth_seconds": time.perf_counter() - began,
        }
        if settings.truth.watch:
            metrics["watched"] = self._watched.read(trainer.table())
        return metrics

    def _evaluate(self, iteration: int) -> dict[str, float]:
        table = self.trainer.table()
        match = self.trainer.match(
            *self._truth,
            self.settings.truth.games,
            seed=_match_seed(self.settings.seed, iteration),
            threads=self.threads,
        )
        return {
            **win_rate(match),
            "err_p": self._test_positions.policy_error(table[:, 1:]),
            "mae_v": self._test_positions.value_error(table[:, 0]),
        }

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the table, and the games of the replay buffer as the core writes them."""
        trainer = self.trainer
        return {}, {
            "indices": trainer.indices(),
            "table": trainer.table(),
            "updates": trainer.updates(),
            "recent": np.frombuffer(trainer.replay_buffer(), dtype=np.uint8),
        }


def make_trainer(recipe: Recipe, threads: int = 1) -> _core.TabularTrainer:
    """Return the core's trainer of a recipe, before its first iteration."""
    settings: TabularSettings = recipe.settings
    options = _core.TabularOptions()
    values = {**vars(settings.search), **vars(settings.selfplay), **vars(settings.learning)}
    for option in _core.tabular_options():
        setattr(options, option.name, values[option.name])
    options.search = search_options(recipe.game, **search_values(settings.search))
    options.limits, options.seed = recipe.game.limits, settings.seed
    return _core.TabularTrainer(recipe.game.core, options, threads)


def _match_seed(seed: int, iteration: int) -> int:
    """Return a seed for an iteration's match that does not depend on how the run got there."""
    return int(np.random.SeedSequence((seed, iteration)).generate_state(1, np.uint64)[0] >> 1)
