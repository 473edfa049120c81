"""Deep Q-learning: games against a fixed opponent, learning steps, test games; again and again.

An iteration plays its games in groups. Once a group is over, its transitions enter the replay
buffer and steps are made. The iteration's games are written to a file, from which the replay
buffer is filled again when a run is resumed, in the same order.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch

from halma.agents import agent
from halma.arena.lockstep import AgentPlayer
from halma.arena.openings import default_plies
from halma.errors import RunError
from halma.interrupt import Interrupted
from halma.learn.archive import RunNetworks
from halma.learn.episodes import Episodes
from halma.learn.matches import Pairing, PolicyPlayer, play_in_lockstep
from halma.learn.metric_names import match_metrics
from halma.learn.q_trainer import TARGET, QLosses, QTrainer
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Curve, Progress
from halma.learn.run import BAD_BATCH, MODEL, WEIGHTS
from halma.learn.session import TrainingSession
from halma.learn.trainer import NotANumberError, checkpoint_arrays, set_weights, weights_of
from halma.learn.transitions import TransitionBuffer, find_transitions, own_rewards
from halma.networks.architectures.build import build
from halma.networks.network_file import read_weights
from halma.search.evaluator import FunctionEvaluator
from halma.selfplay import FinishedGames
from halma.structure import ArrayKind, whole
from halma.tensors import TensorFile, list_iterations, write_tensors

if TYPE_CHECKING:
    from halma.tensors import Arrays

#: Purposes of seeds.
_LEARN, _MATCH = 2, 4


class DeepQLearning(TrainingSession):
    """Games against the opponent, learning steps, test games and matches."""

    kind = "Q network in training"
    structure: ClassVar = {"steps": whole()}

    def __init__(self, *session: Any, device: str = "cpu") -> None:
        super().__init__(*session)
        self.device = device
        self.files = GameFiles(self.out, self.game)
        self.networks = RunNetworks(self.out, self.recipe)
        #: transitions of every iteration so far
        self._transitions: dict[int, int] = {}

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The metrics to watch."""
        found = [
            Curve("epsilon", "epsilon", ".2f"),
            Curve("td_error", "TD error", ".4f"),
            Curve("reward", "reward a game", ".3f"),
            Curve("won", "won", ".1%"),
        ]
        if self.settings.evaluation.test_games:
            found.append(Curve("test_reward", "test reward", ".3f"))
        names = self.settings.opponents
        return (*found, *(Curve(f"vs_{name}", f"against {name}", ".1%") for name in names))

    # An iteration.

    def iterate(self, iteration: int) -> dict[str, Any]:
        """Play games and make steps in turn; then test games and matches."""
        played, metrics = self._play_and_learn(iteration)
        self.files.write(iteration, played, {})
        self._transitions[iteration] = metrics["transitions"]
        self.files.tell_counts(self._transitions)
        began = time.perf_counter()
        tested = self._test(iteration)
        results = self._match(iteration)
        set_weights(self.player, weights_of(self.trainer.network))
        self.networks.archive(self.player, iteration)
        self._snapshot = {"steps": self.trainer.steps}, self.trainer.state()
        return {
            "iteration": iteration,
            **metrics,
            **tested,
            **results,
            "match_seconds": time.perf_counter() - began,
        }

    def _play_and_learn(self, iteration: int) -> tuple[FinishedGames, dict[str, Any]]:
        """Return an iteration's games, and the metrics of playing and learning."""
        play = self.settings.play
        first, last = (iteration - 1) * play.games, iteration * play.games
        parts: list[FinishedGames] = []
        losses: list[QLosses] = []
        before, began = self.buffer.added, time.perf_counter()
        for start in range(first, last, play.parallel_games):
            self.reporter.emit(Progress("games", start - first, play.games))
            numbers = range(start, min(start + play.parallel_games, last))
            epsilons = [self.settings.epsilon(number) for number in numbers]
            parts.append(self.episodes.play(numbers, epsilons, f"{self.settings.seed}/game"))
            new = find_transitions(self.game, parts[-1], self.settings.reward)
            self.buffer.add(new)
            if len(new) and len(self.buffer) >= self.settings.learning.prefill:
                losses.append(self._learn(len(new), (iteration, start - first)))
        games = FinishedGames.join(parts)
        seconds, learned = time.perf_counter() - began, sum(one.seconds for one in losses)
        steps = sum(one.steps for one in losses)
        return games, {
            "games": len(games),
            **self._results(games),
            "mean_plies": float(games.lengths.mean()),
            "epsilon": epsilons[-1],
            "transitions": self.buffer.added - before,
            "replay_transitions": len(self.buffer),
            "steps": steps,
            "loss": _mean([(one.loss, one.steps) for one in losses]),
            "td_error": _mean([(one.td_error, one.steps) for one in losses]),
            "learning_rate": self.settings.learning.rate,
            "play_seconds": seconds - learned,
            "train_seconds": learned,
        }

    def _results(self, games: FinishedGames) -> dict[str, float]:
        """Return the share of games that were won, and lost, and the mean reward of a game."""
        seats = (games.numbers % 2).astype(np.int64)
        scores = games.scores[np.arange(len(games)), seats]
        rewards = own_rewards(self.game, games, self.settings.reward)[1]
        return {
            "won": float((scores == 1).mean()),
            "lost": float((scores == 0).mean()),
            "reward": float(rewards.sum() / len(games)),
        }

    def _learn(self, new: int, place: tuple[int, int]) -> QLosses:
        """Make the steps that follow new transitions."""
        steps = max(1, round(new * self.settings.learning.steps_per_move))
        self.reporter.emit(Progress("learning", total=steps))
        try:
            return self.trainer.learn(self.buffer, steps, (self.settings.seed, *place, _LEARN))
        except NotANumberError as error:
            path = self.out / BAD_BATCH
            write_tensors(path, error.batch, {"iteration": place[0], "step": error.step})
            raise RunError(
                f"The loss became not a number in iteration {place[0]}, at step {error.step}, so "
                f"the run has stopped. The batch is in '{path}'; {self.safe}. A lower "
                "'learning.rate' may help."
            ) from None

    def _test(self, iteration: int) -> dict[str, float]:
        """Return the mean accumulated reward of test games, and the share of them that was won."""
        number = self.settings.evaluation.test_games
        if not number:
            return {}
        seed = f"{self.settings.seed}/test {iteration}"
        found = self._results(self.episodes.play(range(number), [0.0] * number, seed))
        return {"test_reward": found["reward"], "test_won": found["won"]}

    def _match(self, iteration: int) -> dict[str, float | None]:
        """Return the results of the network's best moves against agents, or None for each."""
        settings, evaluation = self.settings, self.settings.evaluation
        found: dict[str, float | None] = {}
        for name in settings.opponents:
            found |= match_metrics(name, None)
        last = iteration == settings.iterations
        if not evaluation.every or not (last or iteration % evaluation.every == 0):
            return found
        values = np.full((1, self.game.players), 0.5, np.float32)
        player = PolicyPlayer(
            FunctionEvaluator(
                self.game.shape,
                lambda planes: (self.trainer.q_values(torch.from_numpy(planes)), values),
            )
        )
        pairings = []
        for number, name in enumerate(settings.opponents):
            seeds = np.random.SeedSequence((settings.seed, iteration, _MATCH, number))
            seed = int(seeds.generate_state(1, np.uint64)[0] >> 2)
            players = (player, AgentPlayer(agent(name)))
            pairings.append(Pairing(("network", name), players, evaluation.games, seed))
        try:
            tallies = play_in_lockstep(
                self.game, pairings, default_plies(self.game), self.stop_requested.is_set
            )
        except Interrupted:
            if last:
                raise
            return found
        for name, tally in zip(settings.opponents, tallies, strict=True):
            found |= match_metrics(name, tally)
        return found

    # Before and after.

    def arrays(self, checkpoint: TensorFile) -> Mapping[str, ArrayKind]:
        """Return what the weights and the optimiser's state must be."""
        return checkpoint_arrays(self.game, self.settings, checkpoint.names, [TARGET])

    def prepare(self, checkpoint: TensorFile | None) -> None:
        """Make trainer, replay buffer and games; fill the replay buffer."""
        settings = self.settings
        self.trainer = QTrainer(self.game, settings, self.device, self.threads)
        if checkpoint is not None:
            self.trainer.restore(checkpoint.arrays(), checkpoint.description["steps"])
        elif self.saved:  # a finished run that keeps no checkpoint
            self.trainer.restart(read_weights(self.out / WEIGHTS)[1])
        #: the network after the last iteration, on the CPU
        self.player = build(self.trainer.network.info, seed=settings.seed)
        set_weights(self.player, weights_of(self.trainer.network))
        self.episodes = Episodes(
            self.game,
            agent(settings.opponent),
            settings.play.move_limit,
            self.trainer.q_values,
            lambda: self.stop_requested.is_set(),
        )
        self.buffer = TransitionBuffer(self.game, settings.learning.replay_buffer)
        self._fill_buffer()

    def _fill_buffer(self) -> None:
        """Fill the replay buffer with the newest games on disk, up to the last iteration."""
        parts, held = [], 0
        for iteration in self.files.iterations():
            if iteration <= self.saved and held < self.settings.learning.replay_buffer:
                games = self.files.read_or_remove(iteration, self.reporter.note)
                if games is not None:
                    parts.append(find_transitions(self.game, games, self.settings.reward))
                    held += len(parts[-1])
        self.buffer.resume(sum(self._transitions.values()) - held)
        for part in reversed(parts):
            self.buffer.add(part)
        self.files.tell_counts(self._transitions)

    def warm_up(self) -> None:
        """Write files that are missing; keep the first network of an archive."""
        if not self.saved:
            self.networks.archive(self.player, 0)
            return
        self.export()
        if not self.networks.has_version(self.saved):
            self.networks.archive(self.player, self.saved)
        self.networks.complete_archive()

    def stop(self) -> None:
        """Stop learning; games look at `stop_requested`."""
        self.trainer.stop()

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state after the last finished iteration; learning may have gone on."""
        return self._snapshot

    def export(self) -> None:
        """Remove games that are not needed again; write the network, unless it is there."""
        self.remove_old_files()
        self.networks.write_best(self.player, self.iteration)

    def tell_history(self, history: Sequence[Mapping[str, Any]]) -> None:
        """Take note of the numbers of transitions."""
        self._transitions = {one["iteration"]: int(one["transitions"]) for one in history}
        self.files.tell_counts(self._transitions)

    def remove_old_files(self) -> None:
        """Remove games that no replay buffer of a checkpoint needs."""
        kept = list_iterations(self.checkpoints.folder)
        oldest = kept[-1][0] if kept else self.iteration
        self.files.remove_old(oldest, self.settings.learning.replay_buffer)

    def has_result(self, last: dict[str, Any]) -> bool:
        """Whether the network's weights are there, from which the rest can be made."""
        return self.networks.holds(WEIGHTS, last["iteration"])

    def is_exported(self, last: dict[str, Any]) -> bool:
        """Whether the network of the last iteration is there, undamaged, and the archive."""
        best = all(self.networks.holds(name, last["iteration"]) for name in (WEIGHTS, MODEL))
        return best and not self.networks.without_model


def _mean(figures: Sequence[tuple[float, int]]) -> float | None:
    """Return the mean of figures, each of a number of steps; None without any step."""
    steps = sum(number for _, number in figures)
    return sum(value * number for value, number in figures) / steps if steps else None
