"""Training on a replay buffer as a stage of a run: number of steps, progress, failure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from halma.errors import RunError
from halma.learn.replay_buffer import ReplayBuffer
from halma.learn.reports.events import Progress, Reporter
from halma.learn.run import BAD_BATCH
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.trainer import Losses, NotANumberError, Trainer
from halma.tensors import write_tensors

#: Purpose of seeds.
_TRAIN = 2
#: Positions that validation losses and the share of illegal moves are measured on, at most.
_MEASURED = 1024


@dataclass
class TrainingStage:
    """Trains on replay buffers; `safe` says in words what of the run is saved."""

    settings: AlphaZeroSettings
    out: Path
    trainer: Trainer
    reporter: Reporter
    safe: Callable[[], str]

    def train(self, buffer: ReplayBuffer, iteration: int, rate: float) -> Losses:
        """Make an iteration's steps."""
        learning, seed = self.settings.learning, (self.settings.seed, iteration, _TRAIN)
        buffer.gather()
        samples = buffer.new_samples(iteration) * learning.samples_per_new
        if learning.epochs:
            samples = len(buffer.samples) * learning.epochs
        try:
            return self._make_steps(buffer, iteration, samples, rate, seed, "")
        except NotANumberError as error:
            raise self._failure(error, iteration, f"iteration {iteration}", "learning") from None

    def train_first(self, buffer: ReplayBuffer, epoch: int, name: str) -> Losses:
        """Make the steps of an epoch of the warm start; `name` is what reports call it."""
        warm, seed = self.settings.warm_start, (self.settings.seed, 0, _TRAIN, epoch)
        buffer.gather()
        samples = buffer.new_samples(epoch) * warm.samples_per_new
        try:
            return self._make_steps(buffer, epoch, samples, warm.rate, seed, name)
        except NotANumberError as error:
            raise self._failure(error, epoch, name, "warm_start") from None

    def _make_steps(
        self,
        buffer: ReplayBuffer,
        number: int,
        samples: float,
        rate: float,
        seed: tuple[int, ...],
        where: str,
    ) -> Losses:
        """Draw about this many samples; the newest are of the iteration, or epoch, `number`."""
        if not len(buffer.samples):
            reason = "all games were over before the first search"
            if len(buffer.games.moves):
                reason = "all games were drawn, and 'learning.draws' discards those"
            raise RunError(f"There is no position to train on: {reason}.")
        batch_size = self.settings.learning.batch_size
        steps = max(1, math.ceil(samples / batch_size)) if samples else 0

        def watch(done: int) -> None:
            self.reporter.emit(Progress("training", done, steps, where=where))

        watch(0)
        new = buffer.new_samples(number)
        if not new:
            return self.trainer.train(buffer, steps, rate, seed, watch)
        rows = buffer.samples[np.linspace(-new, -1, min(new, _MEASURED)).astype(int)]
        before = self.trainer.measure(buffer, rows)
        losses = self.trainer.train(buffer, steps, rate, seed, watch)
        illegal_share = None
        if self.settings.learning.policy_loss == "all":
            illegal_share = self.trainer.measure(buffer, rows).illegal_share
        return replace(
            losses,
            validation_policy=before.policy_loss,
            validation_value=before.value_loss,
            illegal_share=illegal_share,
        )

    def _failure(self, error: NotANumberError, number: int, where: str, section: str) -> RunError:
        """Keep the batch of a loss that is not a number; return the error about it."""
        path = self.out / BAD_BATCH
        write_tensors(path, error.batch, {"iteration": number, "step": error.step})
        return RunError(
            f"The loss became not a number in {where}, at step {error.step}, so "
            f"the run has stopped. The batch is in '{path}'; {self.safe()}. A lower "
            f"'{section}.rate' may help."
        )
