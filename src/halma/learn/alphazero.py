"""The loop: self-play, learning, gate, matches, checkpoint; again and again.

Every stage leaves a file and begins by looking for the one it needs, so that a run that was
killed goes on with what is there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from halma.errors import RunError, TableError
from halma.learn.adjudication import judge_stopped
from halma.learn.alphazero_settings import NeuralSettings, learning_rate
from halma.learn.checkpoint import list_checkpoints
from halma.learn.evaluation import Contests, Interrupted
from halma.learn.measures import NeuralMetrics, curves, of_self_play
from halma.learn.metrics import keep_metrics
from halma.learn.recipe import Recipe
from halma.learn.replay_buffer import GameFiles, Window
from halma.learn.reports.events import (
    Finished,
    Handler,
    Iteration,
    Progress,
    Reporter,
    reporting,
)
from halma.learn.reports.metrics_file import MetricsFile
from halma.learn.run import BAD_BATCH, MODEL, WEIGHTS, RunDirectory
from halma.learn.selfplay import Samples, SelfPlay
from halma.learn.session import Sitting
from halma.learn.trainer import Learner, Losses, NotANumber, put_weights, weights_of
from halma.learn.warm_start import heuristic_games
from halma.networks.architectures.build import build
from halma.networks.evaluator_pool import EvaluatorPool, find_device
from halma.networks.export import export
from halma.networks.weights import save_weights
from halma.storage import ArrayFile, save_arrays

#: what checkpoints of these runs say they are
KIND = "network in training"

#: drawn numbers are told apart by what they are for
_LEARN = 2


def train(
    recipe: Recipe,
    out: Path,
    handlers: Sequence[Handler] = (),
    threads: int = 1,
    device: str = "auto",
    seconds: float = math.inf,
    compiled: bool = False,
) -> NeuralMetrics:
    """Train as a recipe says, in a run directory; return the metrics of the last iteration.

    A run that was stopped or killed goes on where it was, and a finished one only answers.
    After `seconds` of this sitting it stops as if it had been asked to, but returns.
    `compiled` lets torch.compile at the network on a GPU, which takes a minute and pays off
    after a few. A person's Ctrl-C leaves a checkpoint and ends in `KeyboardInterrupt`.
    """
    device = find_device(device)
    with (
        RunDirectory(out, recipe) as run,
        reporting([MetricsFile(out), *handlers]) as reporter,
    ):
        return _Loop(recipe, run, threads, device, seconds, compiled, reporter).run()


@dataclass
class _Best:
    """The network that plays."""

    weights: dict[str, np.ndarray[Any, Any]]
    iteration: int


class _Loop(Sitting):
    """One sitting: play, learn, gate, matches, checkpoint."""

    def __init__(
        self,
        recipe: Recipe,
        run: RunDirectory,
        threads: int,
        device: str,
        limit: float,
        compiled: bool,
        reporter: Reporter,
    ) -> None:
        super().__init__(recipe, run, KIND, threads, limit, reporter)
        self.settings: NeuralSettings = recipe.settings
        self.device = device
        self.compiled = compiled
        self.files = GameFiles(self.out, self.game)
        #: games on disk, by iteration
        self.counts: dict[int, int] = {}
        #: the last iteration that is learnt
        self.iteration = 0

    def run(self) -> NeuralMetrics:
        """Train from where the run is to its end."""
        total = self.settings.iterations
        with self.telling():
            found = self.find_checkpoint()
            self.iteration = self.saved
            history = keep_metrics(self.out, self.saved)
            self.announce(history, curves(self.settings))
            if self.saved == total and (self.out / WEIGHTS).exists():
                metrics: Any = history[-1]
            else:
                metrics = self._go_on(found, history[-1] if history else None)
            if self.iteration == total:
                self.reporter.emit(Finished(metrics))
        last: NeuralMetrics = metrics
        return last

    def _go_on(self, found: ArrayFile | None, last: Any) -> NeuralMetrics:
        self._prepare(found)
        with self.stoppable(self._stop):
            if self.saved:
                self._write_best()
            else:
                self._open()
            while self.iteration < self.settings.iterations and self.may_begin():
                try:
                    last = self._iterate(self.iteration + 1)
                except Interrupted:
                    break
                self.reporter.emit(Iteration(last))
                done = self.iteration == self.settings.iterations
                if done or self.asked.is_set() or self.checkpoints.is_due:
                    self._save()
            if self.iteration < self.settings.iterations:
                self._save()
                self.tell_stopped(self.iteration)
        assert last is not None
        return last  # type: ignore[no-any-return]

    def _stop(self) -> None:
        """Stop the stage in hand."""
        self.selfplay.stop()
        self.learner.stop()

    # The stages.

    def _prepare(self, found: ArrayFile | None) -> None:
        settings = self.settings
        self.learner = Learner(self.game, settings, self.device, self.threads)
        if found is not None:
            self.learner.restore(found.arrays, found.about["steps"])
        self.best = _Best(weights_of(self.learner.network), self.saved)
        if found is not None and settings.gate.games:
            prefix = "best/"
            self.best = _Best(
                {
                    name.removeprefix(prefix): np.array(array)
                    for name, array in found.arrays.items()
                    if name.startswith(prefix)
                },
                found.about["best"],
            )
        self.player = build(self.learner.network.info, seed=settings.seed)
        put_weights(self.player, self.best.weights, "")
        self.evaluators = EvaluatorPool(self.player, self.device, self.threads, self.compiled)
        self.selfplay = SelfPlay(self.game, settings, self.evaluators.evaluators, self.threads)
        self.window = Window(
            self.game, settings.learning.window, settings.learning.share, settings.seed
        )
        self.contests = Contests(
            self.recipe, self.device, self.threads, self.reporter, lambda: self.asked.is_set()
        )
        self._load_window()

    def _load_window(self) -> None:
        """Read the games that the next iteration learns from beside its own."""
        needed, held = [], 0
        for iteration in reversed([i for i in self.files.kept() if i <= self.saved]):
            if held < self.settings.learning.window:
                games = self._read_games(iteration)
                if games is not None:
                    needed.append((iteration, games))
                    held += len(games["numbers"])
        for iteration, games in reversed(needed):
            self._take_in(iteration, games)

    def _read_games(self, iteration: int) -> Samples | None:
        """Return games that are on disk; damaged ones are removed with a note."""
        try:
            return self.files.read(iteration)[0]
        except TableError as error:
            self.reporter.note(f"{error} Going on without the games in it.")
            self.files.remove(iteration)
            return None

    def _take_in(self, iteration: int, games: Samples) -> None:
        self.window.add(iteration, games)
        self.counts[iteration] = len(games["numbers"])

    def _open(self) -> None:
        """Learn from games of a heuristic before anything else, if the recipe says so."""
        settings = self.settings
        if settings.start != "heuristic":
            return
        games = self._read_games(0) if self.files.has(0) else None
        if games is None:
            watch = self._watch("games of the heuristic", settings.opening.games)
            games = heuristic_games(
                self.game, settings, lambda done: watch(done, 0), self.asked.is_set
            )
            if games is None:
                return
            self.files.write(0, games, {})
        self._take_in(0, games)
        steps = self._steps(self.window.new(0), settings.opening.replay)
        if self._learn(0, steps, settings.learning.rate) is not None:
            self._promote(0)

    def _iterate(self, iteration: int) -> NeuralMetrics:
        """Play, learn, compare."""
        settings = self.settings
        games, played = self._games_of(iteration)
        self._take_in(iteration, games)
        new = self.window.new(iteration)
        rate = learning_rate(settings, iteration)
        losses = self._learn(iteration, self._steps(new, settings.learning.replay), rate)
        if losses is None:
            raise Interrupted
        began = time.perf_counter()
        gate = self.contests.gate(iteration, self.learner.network, self.evaluators)
        if gate is None or gate >= settings.gate.threshold:
            self._promote(iteration)
        try:
            compared = self.contests.compare(iteration, self.evaluators)
        except Interrupted:
            if iteration == settings.iterations:
                raise
            compared = {}
        self.iteration = iteration
        self.state = self._state()
        metrics: dict[str, Any] = {
            "iteration": iteration,
            **played,
            "window": self.window.games,
            "positions": len(self.window.learnt),
            "duplicates": self.window.duplicates,
            "new_positions": new,
            "steps": losses.steps,
            "policy_loss": losses.policy,
            "value_loss": losses.value,
            "learning_rate": rate,
            "learner_busy": losses.busy,
            "gate": gate,
            "best": self.best.iteration,
            **compared,
            "learn_seconds": losses.seconds,
            "match_seconds": time.perf_counter() - began,
            "seconds": self.seconds,
        }
        return metrics  # type: ignore[return-value]

    def _games_of(self, iteration: int) -> tuple[Samples, dict[str, Any]]:
        """Return an iteration's games, from disk if they were played already."""
        if self.files.has(iteration):
            try:
                games, about = self.files.read(iteration)
                return games, about["played"]
            except TableError as error:
                self.reporter.note(f"{error} Its games are played again.")
        torch.set_num_threads(1)
        watch = self._watch("self-play", self.settings.selfplay.games)
        found = self.selfplay.play(iteration, watch)
        if found is None:
            raise Interrupted
        games, totals = found
        if self.settings.selfplay.stopped == "judged":
            judge_stopped(self.game, games)
        played = of_self_play(games, totals)
        self.files.write(iteration, games, {"played": played})
        return games, played

    def _steps(self, new: int, replay: float) -> int:
        return max(1, math.ceil(new * replay / self.settings.learning.batch)) if new else 0

    def _learn(self, iteration: int, steps: int, rate: float) -> Losses | None:
        self.window.close()
        if not len(self.window.learnt):
            raise RunError(
                "There is no position to learn from: all games were over before the first search."
            )
        self.reporter.emit(Progress(iteration, "learning", 0, steps, {}))
        try:
            return self.learner.learn(
                self.window, steps, rate, (self.settings.seed, iteration, _LEARN)
            )
        except NotANumber as error:
            raise self._not_a_number(iteration, error) from None

    def _not_a_number(self, iteration: int, error: NotANumber) -> RunError:
        path = self.out / BAD_BATCH
        flat = {name: np.asarray(array).reshape(-1) for name, array in error.batch.items()}
        save_arrays(path, self.game, "batch", {"iteration": iteration, "step": error.step}, flat)
        return RunError(
            f"The loss became not a number in iteration {iteration}, at step {error.step}, so "
            f"the run has stopped. The batch is in '{path}'; {self.safe}. A lower "
            "'learning.rate' may help."
        )

    def _promote(self, iteration: int) -> None:
        """Let the learner's network be the one that plays."""
        self.best = _Best(weights_of(self.learner.network), iteration)
        put_weights(self.player, self.best.weights, "")
        self.evaluators.load(self.player)
        self.selfplay.evaluators = self.evaluators.evaluators

    def _watch(self, stage: str, total: int) -> Callable[[int, int], None]:
        began = time.perf_counter()
        first: list[tuple[int, int]] = []

        def watch(games: int, leaves: int) -> None:
            if not first:
                first.append((games, leaves))
            seconds = max(time.perf_counter() - began, 1e-9)
            done = games - first[0][0] if leaves else games
            rates = {"games/s": done / seconds}
            if leaves:
                rates["evaluations/s"] = (leaves - first[0][1]) / seconds
            self.reporter.emit(Progress(self.iteration + 1, stage, done, total, rates))

        return watch

    # What is kept.

    def _state(self) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
        """Return what a checkpoint keeps of the moment; the learner may go on meanwhile."""
        arrays = self.learner.arrays()
        if self.settings.gate.games:
            best = self.best.weights.items()
            arrays |= {f"best/{name}": array.reshape(-1) for name, array in best}
        about = {
            "seconds": self.seconds,
            "steps": self.learner.steps,
            "best": self.best.iteration,
            "network": self.learner.network.info.architecture,
        }
        return about, arrays

    def _save(self) -> None:
        if self.iteration != self.saved:
            self.save(self.iteration, *self.state)

    def follow_checkpoint(self) -> None:
        """Write the best network; forget games that are not needed again."""
        self._write_best()
        self._forget_games()

    def _write_best(self) -> None:
        """Write the best network, unless it is there."""
        from halma.errors import NetworkError
        from halma.networks.network_file import read_info

        about = {"recipe": self.recipe.name, "iteration": self.best.iteration}
        try:
            if all(
                dict(read_info(self.out / name).about) == about
                for name in (WEIGHTS, MODEL)
                if name == WEIGHTS or _can_export()
            ):
                return
        except NetworkError:
            pass
        save_weights(self.player, self.out / WEIGHTS, about)
        if _can_export():
            export(self.player, self.out / MODEL, about)

    def _forget_games(self) -> None:
        """Remove games that no checkpoint that is kept would learn from again."""
        oldest = list_checkpoints(self.checkpoints.folder)[-1][0]
        held = 0
        for iteration in reversed(self.files.kept()):
            if iteration > oldest:
                continue
            if held >= self.settings.learning.window:
                self.files.remove(iteration)
            held += self.counts.get(iteration, 0)


def _can_export() -> bool:
    from importlib.util import find_spec

    return find_spec("onnxruntime") is not None
