"""AlphaZero with a network: self-play, training, gate, evaluation; again and again.

Stages come one after the other, or the games of the next iteration are played beside training,
gate and evaluation.

Every stage leaves a file and begins by looking for the one it needs, so that a run that was
killed continues with what is there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from halma.files import remove_file
from halma.interrupt import Interrupted
from halma.learn.archive import RunNetworks
from halma.learn.evaluation import Evaluation
from halma.learn.game_source import GamePlayer, GameSource
from halma.learn.metrics import read_epochs
from halma.learn.players import Players
from halma.learn.replay_buffer import GameFiles, ReplayBuffer
from halma.learn.reports.events import Curve, Progress
from halma.learn.run import COMPILED, MODEL, WARM_START, WEIGHTS, weights_file
from halma.learn.selfplay import SelfPlay
from halma.learn.session import TrainingSession
from halma.learn.trainer import (
    Trainer,
    checkpoint_arrays,
    set_weights,
    weights_of,
    weights_under,
)
from halma.learn.training_stage import TrainingStage
from halma.learn.truth import TRUTH_CURVES
from halma.learn.value_targets import ValueTargets
from halma.learn.warm_start import WarmStart
from halma.networks.architectures import architecture
from halma.networks.network_file import read_info, read_weights
from halma.networks.torch_evaluator import EvaluatorPool
from halma.networks.weights import start_from
from halma.structure import ArrayKind, whole
from halma.tensors import TensorFile, list_iterations

if TYPE_CHECKING:
    from halma.tensors import Arrays

#: Prefix of the best network's weights in a checkpoint.
_BEST = "best."


class AlphaZero(TrainingSession):
    """Self-play by the best network, training, gate, evaluation."""

    kind = "network in training"
    structure: ClassVar = {"steps": whole(), "best": whole()}
    evaluation_class: ClassVar[type[Evaluation]] = Evaluation

    def __init__(self, *session: Any, device: str = "cpu", compiled: bool = False) -> None:
        super().__init__(*session)
        self.device = device
        self.compiled = compiled
        if compiled:
            # Kept beside the run, so that the next session of it does not compile again.
            os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(self.out / COMPILED))
        self.files = GameFiles(self.out, self.game)
        self.networks = RunNetworks(self.out, self.recipe)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The metrics to watch."""
        settings = self.settings
        found = [
            *([] if self.is_value_only else [Curve("policy_loss", "policy loss", ".3f")]),
            Curve("value_loss", "value loss", ".3f"),
            Curve("mean_plies", "moves a game", ".0f"),
            Curve("games_per_second", "games/s", ".1f"),
            Curve("evaluations_per_second", "evaluations/s", ",.0f"),
        ]
        if settings.learning.policy_loss == "all":
            found.append(Curve("illegal_share", "policy on illegal moves", ".2%"))
        if settings.gate.games:
            found.append(Curve("gate", "against the best", ".1%"))
        found += [
            Curve(f"selfplay_vs_{name}", f"self-play against {name}", ".1%")
            for name in settings.selfplay_opponents
        ]
        found += [Curve(f"vs_{name}", f"against {name}", ".1%") for name in settings.opponents]
        return (*found, *(TRUTH_CURVES if settings.truth.every else ()))

    @property
    def is_value_only(self) -> bool:
        """Whether the network has no policy to be trained."""
        return architecture(self.settings.network).architecture.value_only

    # An iteration.

    def iterate(self, iteration: int) -> dict[str, Any]:
        """Play games with the best network, train on the replay buffer, gate, evaluate."""
        played = self._self_play(iteration)
        trained = self._train(iteration)
        began = time.perf_counter()
        gated = self._gate(iteration)
        results = self._evaluate(iteration)
        self._archive(iteration)
        self._snapshot = self._state_now()
        return {
            "iteration": iteration,
            **played,
            **trained,
            **gated,
            "best": self.best_iteration,
            **results,
            "match_seconds": time.perf_counter() - began,
        }

    def _self_play(self, iteration: int) -> dict[str, Any]:
        """Add an iteration's games to the replay buffer; return the metrics of playing them.

        If stages are side by side, those of the next iteration begin.
        """
        ahead = self.settings.stages.side_by_side and iteration < self.settings.iterations
        games, metrics = self.games.games_of(iteration, ahead)
        self.buffer.add(iteration, games)
        return metrics

    def _train(self, iteration: int) -> dict[str, Any]:
        """Train on the replay buffer; return the metrics of that."""
        rate = self.settings.learning_rate(iteration)
        losses = self.training.train(self.buffer, iteration, rate)
        return {
            "replay_games": len(self.buffer),
            "positions": len(self.buffer.samples),
            "duplicates": self.buffer.duplicates,
            "new_positions": self.buffer.new_samples(iteration),
            "steps": losses.steps,
            "policy_loss": losses.policy,
            "value_loss": losses.value,
            "validation_policy_loss": losses.validation_policy,
            "validation_value_loss": losses.validation_value,
            "illegal_share": losses.illegal_share,
            "learning_rate": rate,
            "trainer_busy": losses.busy,
            "train_seconds": losses.seconds,
        }

    def _gate(self, iteration: int) -> dict[str, Any]:
        """Promote the trained network if it passes the gate; return the metrics of that."""
        found = self.evaluation.gate(iteration, self.trainer.network, self.players.evaluators)
        if found is None or found.passed:
            self._promote(iteration)
            self.promotions += 1
        else:
            if self.settings.gate.failure == "revert":
                self.trainer.revert(self.best)
            self._change_player()
        if found is None:
            return {"gate": None}
        distinct = found.distinct
        return {"gate": found.score, "gate_distinct": distinct, "promotions": self.promotions}

    def _evaluate(self, iteration: int) -> dict[str, float | None]:
        """Evaluate the best network; only the last iteration is not finished without."""
        try:
            return self.evaluation.evaluate(iteration, self.players.evaluators)
        except Interrupted:
            if iteration == self.settings.iterations:
                raise
            return self.evaluation.no_results()

    # Before and after.

    def arrays(self, checkpoint: TensorFile) -> Mapping[str, ArrayKind]:
        """Return what the weights and the optimiser's state must be."""
        best = [_BEST] if self.settings.gate.games else []
        return checkpoint_arrays(self.game, self.settings, checkpoint.names, best)

    def prepare(self, checkpoint: TensorFile | None) -> None:
        """Make trainer, evaluators, self-play and evaluation; fill the replay buffer."""
        settings, arrays = self.settings, {} if checkpoint is None else checkpoint.arrays()
        self.trainer = self.make_trainer()
        self.training = TrainingStage(
            settings, self.out, self.trainer, self.reporter, lambda: self.safe
        )
        #: whether the trainer has the state after the last iteration
        self._is_restored = checkpoint is not None
        if checkpoint is not None:
            self.trainer.restore(arrays, checkpoint.description["steps"])
        elif self.saved:  # a finished run that keeps no checkpoint
            set_weights(self.trainer.network, read_weights(self.out / WEIGHTS)[1])
        elif settings.warm_start.weights:
            start_from(self.trainer.network, weights_file(settings.warm_start.weights))
        #: weights of the best network, and the iteration it is from
        self.best, self.best_iteration = weights_of(self.trainer.network), self.saved
        if checkpoint is None and self.saved:
            self.best_iteration = read_info(self.out / WEIGHTS).about["iteration"]
        elif checkpoint is not None and settings.gate.games:
            self.best = weights_under(arrays, _BEST)
            self.best_iteration = checkpoint.description["best"]
        self.players = Players(
            self.game,
            settings,
            self.networks,
            self.trainer.network,
            self.best,
            lambda network: EvaluatorPool(network, self.device, self.threads, self.compiled),
            self.reporter.note,
        )
        self.self_play = self.make_self_play()
        self.games = GameSource(
            self.self_play,
            self.files,
            self.reporter,
            lambda: self._progress("self-play", settings.selfplay.games),
        )
        self.evaluation = self.make_evaluation()
        learning = settings.learning
        self.buffer = ReplayBuffer(
            self.game,
            learning.replay_buffer,
            learning.position_share,
            settings.seed,
            ValueTargets(learning.td_lambda, learning.search_value_weight),
            keep_draws=learning.draws == "keep",
        )
        self.buffer.fill(self.files, self.saved, self.reporter.note)

    def make_trainer(self) -> Trainer:
        """Return what trains the network."""
        return Trainer(self.game, self.settings, self.device, self.threads, self.compiled)

    def make_self_play(self) -> GamePlayer:
        """Return what plays the games."""
        threads = self.threads
        if self.device == "cuda" and self.settings.stages.side_by_side:
            # A step of the pool ends with its last thread, so none may have to wait for a core.
            threads = max(1, threads - self.trainer.batch_threads)
        players = self.players
        return SelfPlay(self.game, self.settings, players.playing, threads, players.opponents)

    def make_evaluation(self) -> Evaluation:
        """Return what plays the gate and matches against agents."""
        return self.evaluation_class(
            self.game,
            self.settings,
            self.device,
            self.threads,
            self.reporter,
            lambda: self.stop_requested.is_set(),
        )

    def warm_up(self) -> None:
        """Train on the games of an agent before the first iteration, if the recipe says so.

        A session that goes on from a checkpoint writes files that are missing.
        """
        if self.saved:
            self.export()
            self._restore_archive()
            return
        if self.settings.warm_start.games:
            self._warm_start()
            self.export()
        self.networks.archive(self.trainer.network, 0)

    def _restore_archive(self) -> None:
        """Write files of the archive again that are missing and can be made."""
        if self._is_restored and not self.networks.has_version(self.saved):
            self._archive(self.saved)
        self.networks.complete_archive()

    def _archive(self, iteration: int) -> None:
        """Keep the network after an iteration, if the recipe says so."""
        if self.best_iteration == iteration or not self.settings.archive.promotions_only:
            self.networks.archive(self.trainer.network, iteration)

    def _warm_start(self) -> None:
        """Run the epochs of the warm start that are left, then begin self-play with its network."""
        warm = self.settings.warm_start
        stage = WarmStart(
            self.game,
            self.settings,
            self.out,
            self.trainer,
            self.reporter,
            self.threads,
            lambda buffer, epoch: self.training.train_first(buffer, epoch, stage.name(epoch)),
            self.stop_requested.is_set,
            lambda: self.seconds,
        )
        stage.restore()
        self.start_from(stage.earlier)
        try:
            games = stage.run()
            if warm.replay and 0 not in self.buffer.iterations:
                games = games or stage.games_of(warm.epochs)
                self.files.write(0, games, {})
                self.buffer.add(0, games)
        finally:
            if stage.epoch:
                self.saved_instead = f"epoch {stage.epoch} of the warm start"
        self.trainer.begin_stage(self.settings.learning)
        self._promote(0)

    def metrics_before(self) -> dict[str, Any]:
        """Return the metrics of the last epoch of the warm start."""
        epochs = read_epochs(self.out)
        return {**(epochs[-1] if epochs else {}), **super().metrics_before()}

    def _promote(self, iteration: int) -> None:
        """Make the trained network the best."""
        self.best, self.best_iteration = weights_of(self.trainer.network), iteration
        self.players.promote(self.best)
        self._change_player()

    def _change_player(self) -> None:
        """Let the games be made by the newest weights from now on."""
        self.players.follow(self.trainer.network)
        self.self_play.change_player(self.players)

    def stop(self) -> None:
        """Stop the current stage."""
        self.self_play.stop()
        self.trainer.stop()

    def end(self) -> None:
        """Stop the games that are played beside training."""
        self.games.close()

    def _progress(self, stage: str, total: int) -> Callable[[int, int], None]:
        """Return a function that reports games and evaluations so far.

        Rates are those since its first call: games that were played ahead are there by then.
        """
        began: tuple[float, int, int] | None = None

        def watch(games: int, evaluations: int) -> None:
            nonlocal began
            now = time.perf_counter()
            began = began or (now, games, evaluations)
            rates = {}
            if seconds := now - began[0]:
                rates["games/s"] = (games - began[1]) / seconds
                if evaluations:
                    rates["evaluations/s"] = (evaluations - began[2]) / seconds
            self.reporter.emit(Progress(stage, min(games, total), total, rates))

        return watch

    # What is kept.

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state after the last finished iteration; training may have gone on."""
        return self._snapshot

    def _state_now(self) -> tuple[dict[str, Any], Arrays]:
        arrays = self.trainer.state()
        if self.settings.gate.games:
            arrays |= {_BEST + name: array for name, array in self.best.items()}
        description = {
            "steps": self.trainer.steps,
            "best": self.best_iteration,
            "network": self.trainer.network.info.architecture,
        }
        return description, arrays

    def export(self) -> None:
        """Remove games that are not needed again; write the best network, unless it is there.

        Its model comes last: once that is there, everything is.
        """
        self.remove_old_files()
        self.networks.write_best(self.players.best, self.best_iteration)

    def tell_history(self, history: Sequence[Mapping[str, Any]]) -> None:
        """Take note of the numbers of games and promotions."""
        warm_start = {0: self.settings.warm_start.games}
        self.promotions = int(history[-1].get("promotions") or 0) if history else 0
        self.files.tell_counts(warm_start | {one["iteration"]: one["games"] for one in history})

    def remove_old_files(self) -> None:
        """Remove the warm start and games that no checkpoint of an iteration needs."""
        if self.saved:
            remove_file(self.out / WARM_START)
        kept = list_iterations(self.checkpoints.folder)
        oldest = kept[-1][0] if kept else self.iteration
        self.files.remove_old(oldest, self.settings.learning.replay_buffer)

    def has_result(self, last: dict[str, Any]) -> bool:
        """Whether the best network's weights are there, from which the rest can be made."""
        return self.networks.holds(WEIGHTS, last["best"])

    def is_exported(self, last: dict[str, Any]) -> bool:
        """Whether the best network of the last iteration is there, undamaged, and the archive."""
        best = all(self.networks.holds(name, last["best"]) for name in (WEIGHTS, MODEL))
        return best and not self.networks.without_model
