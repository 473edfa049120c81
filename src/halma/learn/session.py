"""Training: the call that starts or continues a run, and the loop around its iterations.

A run may take several sessions. Each begins from the newest checkpoint and ends with the run's
last iteration, at Ctrl-C, or when its time is up.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from halma.errors import RecipeError, RunError
from halma.interrupt import Interrupted, deferred_sigint
from halma.learn.checkpoint import Checkpoints
from halma.learn.checks import check_recipe
from halma.learn.metrics import MetricsFile, read_metrics, truncate_metrics
from halma.learn.recipe import Recipe
from halma.learn.reports.events import (
    Checkpoint,
    Curve,
    Finished,
    Handler,
    Iteration,
    Metrics,
    Reporter,
    Started,
    Stopped,
)
from halma.learn.run import META, RECIPE, RunDirectory, run_recipe, set_iterations
from halma.machine import require
from halma.solve import Solution
from halma.structure import ArrayKind, Check
from halma.tensors import TensorFile

if TYPE_CHECKING:
    from halma.cluster.connection import Cluster
    from halma.tensors import Arrays


def train(
    recipe: Recipe,
    out: Path,
    handlers: Sequence[Handler] = (),
    threads: int = 1,
    seconds: float = math.inf,
    device: str = "auto",
    compiled: bool = False,
    solution: Solution | None = None,
    stop_when: Callable[[Metrics], bool] | None = None,
    cluster: Cluster | None = None,
    metrics_port: int | None = None,
) -> dict[str, Any]:
    """Train as a recipe says, in a run directory; return the metrics of the last iteration.

    Where there is none yet, those are the metrics of the last epoch of the warm start.

    The recipe is checked against its game and this machine before anything is written. A run
    that was stopped or killed continues from its newest checkpoint; a finished one returns at
    once. Settings that do not change what is learned may differ from those it began with.
    After `seconds` of this session it stops with a checkpoint, as it does at Ctrl-C, which then
    raises `KeyboardInterrupt`. `stop_when` gets the metrics of every iteration; where it returns
    true, the run stops too.

    With a network, `device` says where it is trained and evaluated (`auto`, `cpu`, `cuda`), and
    `compiled` runs it through torch.compile on a GPU, which takes a minute and pays off after
    a few. With a table, `solution` has the exact values that it is compared with; without one,
    they are read from where tables are kept, or computed.

    With a `cluster`, a network's self-play, gate and evaluation run on its nodes, side by side
    with training, which is where the GPU is; `metrics_port` serves Prometheus metrics.
    """
    if cluster is not None:
        recipe = for_cluster(recipe)
    check_recipe(recipe, is_new=not (out / META).exists())
    session: Callable[..., TrainingSession]
    if recipe.method == "alphazero":
        require("torch", "onnx")
        from halma.learn.alphazero import AlphaZero
        from halma.networks.torch_evaluator import find_device

        session = partial(AlphaZero, device=find_device(device), compiled=compiled)
        if cluster is not None:
            from halma.learn.distributed.session import DistributedAlphaZero

            session = partial(
                DistributedAlphaZero,
                cluster=cluster,
                metrics_port=metrics_port,
                device=find_device(device),
                compiled=compiled,
            )
    elif recipe.method == "dqn":
        require("torch", "onnx")
        from halma.learn.dqn import DeepQLearning
        from halma.networks.torch_evaluator import find_device

        session = partial(DeepQLearning, device=find_device(device))
    else:
        from halma.learn.tabular import TabularAlphaZero

        session = partial(TabularAlphaZero, solution=solution)
    with (
        RunDirectory(out, recipe) as run,
        closing(Reporter([MetricsFile(out), *handlers])) as reporter,
    ):
        return session(run.recipe, run, reporter, threads, seconds, stop_when).run()


def with_iterations(recipe: Recipe, out: Path, iterations: int) -> Recipe:
    """Return the recipe with another number of iterations, which an existing run of it gets too."""
    changed = recipe.changed({"iterations": iterations})
    if (out / RECIPE).is_file():
        there = run_recipe(out)
        if recipe.changed({"iterations": there.settings.iterations}).difference(there) is None:
            check_recipe(changed)
            set_iterations(out, iterations)
    return changed


def for_cluster(recipe: Recipe) -> Recipe:
    """Return a recipe as a cluster trains it; raise a `RecipeError` if it cannot."""
    if recipe.method != "alphazero":
        raise RecipeError(
            f"A cluster trains networks by AlphaZero, and '{recipe.name}' is a recipe of "
            f"'{recipe.method}': halma tune and halma reproduce run many of those on a cluster."
        )
    return recipe.changed({"stages.side_by_side": True})


class TrainingSession(ABC):
    """Runs iterations, reports them, and writes checkpoints; a method fills in the stages."""

    #: what the checkpoints of the method are called
    kind: ClassVar[str]
    #: what the description of a checkpoint must have, besides iteration and seconds
    structure: ClassVar[Mapping[str, Check]] = {}

    def __init__(
        self,
        recipe: Recipe,
        run: RunDirectory,
        reporter: Reporter,
        threads: int = 1,
        time_limit: float = math.inf,
        stop_when: Callable[[Metrics], bool] | None = None,
    ) -> None:
        self.recipe = recipe
        self.settings: Any = recipe.settings
        self.game = recipe.game
        self.out = run.path
        self._changes = run.notes
        self.threads = threads
        self.reporter = reporter
        self.checkpoints = Checkpoints(
            run.checkpoints, recipe.game, self.kind, recipe.settings.checkpoints
        )
        #: the last iteration that is finished, and the last one that has a checkpoint
        self.iteration = self.saved = 0
        #: whether what comes before the first iteration was not interrupted
        self._is_warm = True
        #: what is saved where no iteration is, as a phrase
        self.saved_instead = ""
        #: seconds of earlier sessions
        self._earlier = 0.0
        self._began = self._clock = time.perf_counter()
        self._time_limit = time_limit
        self._stop_when = stop_when
        #: whether the caller wants the session to end here: its time is up, or `stop_when` says so
        self._is_enough = False
        #: set at Ctrl-C, or when the time is up
        self.stop_requested = threading.Event()
        #: seconds of the last iterations; the first of a session may be much longer than others
        self._durations: deque[float] = deque(maxlen=3)

    # What a method does.

    @property
    @abstractmethod
    def curves(self) -> tuple[Curve, ...]:
        """The metrics to watch."""

    @abstractmethod
    def arrays(self, checkpoint: TensorFile) -> Mapping[str, ArrayKind]:
        """Return what the arrays of a checkpoint must be."""

    @abstractmethod
    def prepare(self, checkpoint: TensorFile | None) -> None:
        """Make everything ready for the next iteration."""

    @abstractmethod
    def iterate(self, iteration: int) -> dict[str, Any]:
        """Run an iteration and return its metrics, or raise `Interrupted`."""

    @abstractmethod
    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a checkpoint keeps of the last finished iteration."""

    @abstractmethod
    def stop(self) -> None:
        """Make the current stage return early; called from a signal handler or a thread."""

    def warm_up(self) -> None:  # noqa: B027
        """Do what comes before the first iteration of a session."""

    def end(self) -> None:  # noqa: B027
        """Stop what goes on beside iterations, after the last one of a session."""

    def metrics_before(self) -> dict[str, Any]:
        """Return the metrics of what comes before the first iteration."""
        return {"iteration": 0, "seconds": self.seconds}

    def export(self) -> None:  # noqa: B027
        """Write the files that follow a checkpoint."""

    def tell_history(self, history: Sequence[Mapping[str, Any]]) -> None:  # noqa: B027
        """Take note of the metrics of earlier iterations."""

    def remove_old_files(self) -> None:  # noqa: B027
        """Remove what is only needed to go on from checkpoints that are gone."""

    def has_result(self, last: dict[str, Any]) -> bool:
        """Whether a run with these last metrics is finished although it has no checkpoint."""
        return True

    def is_exported(self, last: dict[str, Any]) -> bool:
        """Whether the files that follow the checkpoint with these metrics are there."""
        return True

    # The loop.

    def run(self) -> dict[str, Any]:
        """Train from the newest checkpoint to the end; return the last iteration's metrics."""
        with self._explaining_errors():
            history = self._without_checkpoints()
            checkpoint = None
            if not history:
                checkpoint = self.checkpoints.newest(
                    self.reporter.note, self.structure, self.arrays
                )
                if checkpoint is not None:
                    self.iteration = self.saved = checkpoint.description["iteration"]
                    self._earlier = checkpoint.description["seconds"]
                self.checkpoints.remove_old()
                history = truncate_metrics(self.out, self.saved, self.recipe.method)
            self.tell_history(history)
            self.remove_old_files()
            past = tuple(history)
            self.reporter.emit(Started(self.recipe, self.out, self.iteration, past, self.curves))
            self._report_changes()
            last = history[-1] if history else None
            if (
                last is None
                or self.iteration < self.settings.iterations
                or not self.is_exported(last)
            ):
                self.prepare(checkpoint)
                del checkpoint  # closes the file
                last = self._loop(last)
            if last is None:
                last = self.metrics_before()
            if self._is_finished:
                self.reporter.emit(Finished(last))
        return last

    def _report_changes(self) -> None:
        """Report settings that are not those the run began with."""
        for sentence in self._changes:
            self.reporter.note(sentence)
        if self._changes and self.iteration == self.settings.iterations:
            self.reporter.note("The run is finished: new settings hold once it is made longer.")

    def _loop(self, last: dict[str, Any] | None) -> dict[str, Any] | None:
        total = self.settings.iterations
        self._clock = time.perf_counter()
        with self._stoppable(), ExitStack() as stack:
            stack.callback(self.end)
            try:
                self.warm_up()
            except Interrupted:
                self._is_warm = False
            while self.iteration < total and self._may_begin():
                began = time.perf_counter()
                try:
                    metrics = self.iterate(self.iteration + 1)
                except Interrupted:
                    break
                last = {**metrics, "seconds": self.seconds}
                self.iteration += 1
                self.reporter.emit(Iteration(last))
                if self._stop_when is not None and self._stop_when(last):
                    self._is_enough = True
                if self.iteration < total and self.checkpoints.is_due:
                    self._save()
                self._durations.append(time.perf_counter() - began)
            if self._is_finished and not self.settings.checkpoints.keep:
                self.export()
                self.checkpoints.finish()
                self.saved = self.iteration
                self.remove_old_files()
            else:
                self._save()
            if not self._is_finished:
                self._report_stop()
        return last

    @property
    def _is_finished(self) -> bool:
        return self._is_warm and self.iteration == self.settings.iterations

    @property
    def seconds(self) -> float:
        """Seconds that the run has taken, those of earlier sessions included."""
        return self._earlier + time.perf_counter() - self._clock

    def start_from(self, seconds: float) -> None:
        """Count these seconds of earlier sessions as well."""
        self._earlier = seconds

    @property
    def safe(self) -> str:
        """A clause that says what a checkpoint holds."""
        what = f"iteration {self.saved}" if self.saved else self.saved_instead
        return f"{what} is safe" if what else "no iteration was saved yet"

    def _without_checkpoints(self) -> list[dict[str, Any]]:
        """Return the metrics of a finished run that keeps no checkpoint; of another one, none."""
        history = (
            [] if self.settings.checkpoints.keep else read_metrics(self.out, self.recipe.method)
        )
        finished = history and len(history) == self.settings.iterations
        if not finished or not self.has_result(history[-1]):
            return []
        self.checkpoints.finish()
        self.iteration = self.saved = len(history)
        return history

    def _save(self) -> None:
        if self.iteration == self.saved:
            return
        description, arrays = self.state()
        path = self.checkpoints.save(
            self.iteration, {**description, "seconds": self.seconds}, arrays
        )
        self.saved = self.iteration
        self.export()
        self.reporter.emit(Checkpoint(self.iteration, path))

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """Call `stop` at Ctrl-C, or when the time is up."""
        with deferred_sigint(self.stop) as self.stop_requested:

            def time_is_up() -> None:
                self._is_enough = True
                self.stop_requested.set()
                self.stop()

            left = self._time_limit - (time.perf_counter() - self._began)
            timer = threading.Timer(min(max(left, 0.0), threading.TIMEOUT_MAX), time_is_up)
            timer.daemon = True
            if self._time_limit < math.inf:
                timer.start()
            try:
                yield
            finally:
                timer.cancel()
                if timer.ident is not None:
                    timer.join()  # no thread of ours may be left when the interpreter ends

    def _may_begin(self) -> bool:
        """Tell whether another iteration may begin: nothing stops it, and it fits in time."""
        if self.stop_requested.is_set():
            return False
        now = time.perf_counter()
        if now - self._began + min(self._durations, default=0.0) > self._time_limit:
            self._is_enough = True
        return not self._is_enough

    def _report_stop(self) -> None:
        """Report that the run stops before its end; after Ctrl-C, so does the program."""
        self.reporter.emit(Stopped(self.iteration, self.saved_instead))
        if not self._is_enough:
            raise KeyboardInterrupt
        if self.iteration == 0 and not self.saved_instead:
            raise RunError("The time was too short for a single iteration or epoch.")

    @contextmanager
    def _explaining_errors(self) -> Iterator[None]:
        """Turn an error of memory or of the file system into a sentence that says what is safe."""
        try:
            yield
        except MemoryError:
            raise RunError(
                f"There is not enough memory. The run has stopped; {self.safe}, and the same "
                "command goes on from there."
            ) from None
        except OSError as error:
            what = error.filename or self.out
            raise RunError(
                f"'{what}': {error.strerror}. The run has stopped; {self.safe}, and the same "
                "command goes on from there."
            ) from None
