"""Where the self-play games of an iteration come from: a file, or self-play now or ahead."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import torch

from halma.errors import TensorFileError
from halma.interrupt import Interrupted
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Reporter
from halma.learn.selfplay import SelfPlay
from halma.selfplay import FinishedGames
from halma.selfplay.pool import Watch

#: An iteration's games, and the metrics of playing them.
Played = tuple[FinishedGames, dict[str, Any]]


class GameSource:
    """Returns an iteration's games, which are in a file by then.

    They are read from there if they were played already. `play_ahead` lets a thread play those of
    the next iteration; close the source before the process ends.
    """

    def __init__(
        self,
        self_play: SelfPlay,
        files: GameFiles,
        reporter: Reporter,
        make_watch: Callable[[], Watch],
    ) -> None:
        self._self_play = self_play
        self._files = files
        self._reporter = reporter
        self._make_watch = make_watch
        self._thread = ThreadPoolExecutor(1)
        #: the games that are being played, and of which iteration
        self._ahead: Future[Played] | None = None
        self._ahead_iteration = 0
        #: whether somebody waits for them, and wants to know how far they are
        self._is_waited_for = False

    def games_of(self, iteration: int) -> Played:
        """Return an iteration's games; wait for those that are being played."""
        if self._ahead is not None and self._ahead_iteration == iteration:
            self._is_waited_for = True
            try:
                return self._ahead.result()
            finally:
                self._ahead, self._is_waited_for = None, False
        if self._files.has(iteration):
            try:
                return self._files.read(iteration)
            except TensorFileError as error:
                self._reporter.note(f"{error} Its games are played again.")
        torch.set_num_threads(1)
        self._self_play.prepare(iteration)
        return self._play(iteration, self._make_watch())

    def play_ahead(self, iteration: int) -> None:
        """Begin an iteration's games, unless they were played already; return at once."""
        if self._files.has(iteration):
            return
        watch: Watch | None = None

        def watch_if_waited_for(games: int, evaluations: int) -> None:
            nonlocal watch
            if self._is_waited_for:
                watch = watch or self._make_watch()
                watch(games, evaluations)

        self._self_play.prepare(iteration)
        self._ahead_iteration = iteration
        self._ahead = self._thread.submit(self._play, iteration, watch_if_waited_for)

    def _play(self, iteration: int, watch: Watch) -> Played:
        games, metrics = self._self_play.play(iteration, watch)
        self._files.write(iteration, games, metrics)
        return games, metrics

    def close(self) -> None:
        """Stop what is being played."""
        self._self_play.stop()
        if self._ahead is not None:
            with suppress(Interrupted):
                self._ahead.result()
        self._thread.shutdown()
