"""One sitting of a training run: what the loops of all methods have in common."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from halma.errors import RunError
from halma.learn.checkpoints import Checkpoints
from halma.learn.recipe import Recipe
from halma.learn.reports import Checkpoint, Curve, Metrics, Reporter, Started
from halma.learn.rundir import RunDirectory
from halma.solve.table import Arrays, Table


class Sitting:
    """Where a run is, what of it is safe, and how long it has taken.

    `kind` is what the checkpoints of a method say they are.
    """

    def __init__(
        self, recipe: Recipe, run: RunDirectory, kind: str, threads: int, reporter: Reporter
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

    @property
    def seconds(self) -> float:
        """What the run has taken so far, earlier sittings included."""
        return self.earlier + time.perf_counter() - self.began

    def find_checkpoint(self) -> Table | None:
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
