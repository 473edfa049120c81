"""The self-play games of a training run, for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from halma.errors import RunError, TensorFileError
from halma.games import Game
from halma.learn.recipe import load
from halma.learn.replay_buffer import GameFiles
from halma.learn.run import RECIPE
from halma.selfplay import FinishedGames


class RunGames:
    """The games in a run directory, iteration by iteration; iteration 0 is the warm start."""

    def __init__(self, run: Path) -> None:
        if not (run / RECIPE).is_file():
            raise RunError(f"'{run}' is not the directory of a training run: it has no {RECIPE}.")
        self.game: Game = load(str(run / RECIPE)).game
        self._files = GameFiles(run, self.game)
        if not self._files.iterations():
            raise RunError(
                f"'{run}' holds no self-play games: tabular training keeps none, and a network's "
                "replay buffer is filled by its first iteration."
            )

    def __iter__(self) -> Iterator[tuple[int, FinishedGames | TensorFileError]]:
        """Yield the games of each iteration, or the error of a damaged file."""
        for iteration in reversed(self._files.iterations()):
            try:
                yield iteration, self._files.read(iteration)[0]
            except TensorFileError as error:
                yield iteration, error
