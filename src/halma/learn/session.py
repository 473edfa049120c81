"""One sitting of a training run: what the loops of all methods have in common."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from halma.errors import RunError
from halma.interrupt import deferred_sigint
from halma.learn.checkpoint import Checkpoints
from halma.learn.recipe import Recipe
from halma.learn.reports.events import Checkpoint, Curve, Metrics, Reporter, Started, Stopped
from halma.learn.run import RunDirectory
from halma.storage import ArrayFile, Arrays


class Sitting:
    """Where a run is, what of it is safe, and how long it has taken.

    `kind` is what the checkpoints of a method say they are, `limit` how many seconds this
    sitting may take.
    """

    def __init__(
        self,
        recipe: Recipe,
        run: RunDirectory,
        kind: str,
        threads: int,
        limit: float,
        reporter: Reporter,
    ) -> None:
        self.recipe = recipe
        self.game = recipe.game
        self.out = run.path
        self.threads = threads
        self.reporter = reporter
        self.checkpoints = Checkpoints(
            run.checkpoints, recipe.game, kind, recipe.settings.checkpoints
        )
        #: the last iteration that is safe
        self.saved = 0
        #: seconds of earlier sittings, and when this one began
        self.earlier = 0.0
        self.began = time.perf_counter()
        self.limit = limit
        #: set when a person asks to stop, or when the time is up
        self.asked = threading.Event()
        self.timed_out = False
        #: seconds of the longest iteration, and when the one in hand began
        self._longest = 0.0
        self._began_iteration: float | None = None

    @property
    def seconds(self) -> float:
        """What the run has taken so far, earlier sittings included."""
        return self.earlier + time.perf_counter() - self.began

    def find_checkpoint(self) -> ArrayFile | None:
        """Return the newest checkpoint that is whole, if there is one; the run goes on from it."""
        found = self.checkpoints.newest(self.reporter.note)
        if found is not None:
            self.saved = found.about["iteration"]
            self.earlier = found.about["seconds"]
        return found

    def announce(self, history: Sequence[Metrics], curves: tuple[Curve, ...]) -> None:
        """Tell everybody that the run begins or goes on."""
        self.reporter.emit(
            Started(
                self.recipe.name,
                self.out,
                self.game.name,
                self.recipe.settings.iterations,
                self.saved,
                tuple(history),
                curves,
            )
        )

    def save(self, iteration: int, about: Mapping[str, Any], arrays: Arrays) -> None:
        """Write a checkpoint; `about` has the run's `seconds`."""
        path = self.checkpoints.save(iteration, about, arrays)
        self.saved = iteration
        self.follow_checkpoint()
        self.reporter.emit(Checkpoint(iteration, path, self.checkpoints.last_cost))

    def follow_checkpoint(self) -> None:
        """Bring files that a method keeps besides into step with a new checkpoint."""

    @contextmanager
    def stoppable(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call `stop` at Ctrl-C, or when the time is up."""
        with deferred_sigint(stop) as self.asked:

            def time_is_up() -> None:
                self.timed_out = True
                self.asked.set()
                stop()

            left = self.limit - (time.perf_counter() - self.began)
            timer = threading.Timer(min(max(left, 0.0), threading.TIMEOUT_MAX), time_is_up)
            timer.daemon = True
            if self.limit < math.inf:
                timer.start()
            try:
                yield
            finally:
                timer.cancel()
                if timer.ident is not None:
                    timer.join()  # no thread of ours may be left when the interpreter ends

    def may_begin(self) -> bool:
        """Tell whether another iteration may begin: nobody asked to stop, and it fits."""
        if self.asked.is_set():
            return False
        now = time.perf_counter()
        if self._began_iteration is not None:
            self._longest = max(self._longest, now - self._began_iteration)
        self._began_iteration = now
        if now - self.began + self._longest > self.limit:
            self.timed_out = True
        return not self.timed_out

    def tell_stopped(self, iteration: int) -> None:
        """Tell everybody that the run stops before its end; a person's wish ends the program."""
        self.reporter.emit(Stopped(iteration))
        if not self.timed_out:
            raise KeyboardInterrupt
        if iteration == 0:
            raise RunError("The time was too short for a single iteration.")

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Say in a sentence when files cannot be read or written, and what is safe."""
        try:
            yield
        except OSError as error:
            what = error.filename or self.out
            raise RunError(
                f"'{what}': {error.strerror}. The run has stopped; {self.safe}, and the same "
                "command goes on from there."
            ) from None

    @property
    def safe(self) -> str:
        """What of the run is safe, in words."""
        return f"iteration {self.saved} is safe" if self.saved else "no iteration was saved yet"
