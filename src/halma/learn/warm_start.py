"""The warm start: a network is trained on games of an agent before it plays games of its own.

Every epoch plays new games, trains on them alone, and is saved. A run that was killed continues
with the epoch after the last one that was saved.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from halma.errors import TensorFileError
from halma.files import remove_file
from halma.games import Game
from halma.learn.agent_games import agent_games
from halma.learn.checkpoint import identity
from halma.learn.evaluated_positions import evaluated_positions
from halma.learn.metrics import truncate_epochs
from halma.learn.replay_buffer import ReplayBuffer
from halma.learn.reports.events import Epoch, Progress, Reporter
from halma.learn.run import WARM_START
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.trainer import Losses, Trainer, checkpoint_arrays
from halma.selfplay import FinishedGames
from halma.structure import fields, real, whole
from halma.tensors import open_tensors, write_tensors

_KIND = "network in its warm start"
_STRUCTURE = fields({"epoch": whole(1), "steps": whole(), "seconds": real(0)})


@dataclass
class WarmStart:
    """The epochs of a warm start, and the file that they are saved in."""

    game: Game
    settings: AlphaZeroSettings
    out: Path
    trainer: Trainer
    reporter: Reporter
    threads: int
    #: trains on the samples of a buffer that an epoch has added
    make_steps: Callable[[ReplayBuffer, int], Losses]
    is_stopped: Callable[[], bool]
    #: seconds that the run has taken
    clock: Callable[[], float]
    #: the last epoch that is saved
    epoch: int = field(default=0, init=False)
    #: seconds of earlier sessions
    earlier: float = field(default=0.0, init=False)

    def restore(self) -> None:
        """Set the trainer to this stage, and to the last epoch that was saved."""
        self.trainer.begin_stage(stage_learning(self.settings))
        path = self.out / WARM_START
        if path.exists():
            try:
                saved = open_tensors(
                    path,
                    identity(self.game, _KIND),
                    _STRUCTURE,
                    lambda file: checkpoint_arrays(self.game, self.settings, file.names, ()),
                )
                self.trainer.restore(saved.arrays(), saved.description["steps"])
                self.epoch = saved.description["epoch"]
                self.earlier = saved.description["seconds"]
            except TensorFileError as error:
                self.reporter.note(f"{error} The warm start begins again.")
                remove_file(path)
        truncate_epochs(self.out, self.epoch)

    def run(self) -> FinishedGames | None:
        """Run the epochs that are left; return the games of the last one, if it was left."""
        games = None
        while self.epoch < self.settings.warm_start.epochs:
            games = self._run_epoch(self.epoch + 1)
        return games

    def games_of(self, epoch: int) -> FinishedGames:
        """Play an epoch's games, or draw its positions."""
        warm, began = self.settings.warm_start, time.perf_counter()
        total, positions = warm.games, warm.source == "positions"

        def watch(done: int) -> None:
            rate = done / max(time.perf_counter() - began, 1e-9)
            rates = {"positions/s" if positions else "games/s": rate}
            stage = "random positions" if positions else "games of the agent"
            self.reporter.emit(Progress(stage, done, total, rates, self.name(epoch)))

        if positions:
            return evaluated_positions(
                self.game, warm, self.settings.seed, epoch, watch, self.is_stopped
            )
        return agent_games(self.game, self.settings, epoch, self.threads, watch, self.is_stopped)

    def name(self, epoch: int) -> str:
        """Return what an epoch is called in reports."""
        return f"warm start, epoch {epoch}/{self.settings.warm_start.epochs}"

    def _run_epoch(self, epoch: int) -> FinishedGames:
        warm, began = self.settings.warm_start, time.perf_counter()
        games = self.games_of(epoch)
        play_seconds = time.perf_counter() - began
        buffer = ReplayBuffer(self.game, warm.games, warm.position_share, self.settings.seed)
        buffer.add(epoch, games)
        losses = self.make_steps(buffer, epoch)
        metrics = {
            "epoch": epoch,
            "games": len(games),
            "discarded": 1 - len(games) / warm.games,
            "mean_plies": float(games.lengths.mean()),
            "games_per_second": warm.games / play_seconds,
            "positions": len(buffer.samples),
            "steps": losses.steps,
            "policy_loss": losses.policy,
            "value_loss": losses.value,
            "validation_policy_loss": losses.validation_policy,
            "validation_value_loss": losses.validation_value,
            "illegal_share": losses.illegal_share,
            "learning_rate": warm.rate,
            "trainer_busy": losses.busy,
            "play_seconds": play_seconds,
            "train_seconds": losses.seconds,
            "seconds": self.clock(),
        }
        self.reporter.emit(Epoch(metrics))
        self._save(epoch)
        return games

    def _save(self, epoch: int) -> None:
        description = {"epoch": epoch, "steps": self.trainer.steps, "seconds": self.clock()}
        write_tensors(
            self.out / WARM_START,
            self.trainer.state(),
            {**identity(self.game, _KIND), **description},
        )
        self.epoch = epoch


def stage_learning(settings: AlphaZeroSettings) -> Any:
    """Return the settings of training during the warm start."""
    warm = settings.warm_start
    return replace(settings.learning, rate=warm.rate, weight_decay=warm.weight_decay)
