"""Where the self-play games of an iteration come from: a file, or self-play now or ahead."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Protocol

import torch

from halma.errors import TensorFileError
from halma.interrupt import Interrupted
from halma.learn.players import Players
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Reporter
from halma.selfplay import FinishedGames
from halma.selfplay.pool import Watch

#: An iteration's games, and the metrics of playing them.
Played = tuple[FinishedGames, dict[str, Any]]
#: The same, and what is done when they are in a file.
_InWriting = tuple[FinishedGames, dict[str, Any], Future[None]]


class GamePlayer(Protocol):
    """Plays the games of an iteration: `SelfPlay`, here or on a cluster."""

    def prepare(self, iteration: int) -> None:
        """Get ready for an iteration, in the thread that trains."""

    def play(self, iteration: int, watch: Watch) -> Played:
        """Return an iteration's games and the metrics of playing them."""

    def change_player(self, players: Players) -> None:
        """Let the network that plays now make the games from the next one on, or sooner."""

    def stop(self) -> None:
        """Make `play` raise `Interrupted`."""


class GameSource:
    """Returns an iteration's games, which are in a file by then.

    They are read from there if they were played already. With `ahead`, a thread plays those of the
    next iteration from then on; close the source before the process ends.
    """

    def __init__(
        self,
        self_play: GamePlayer,
        files: GameFiles,
        reporter: Reporter,
        make_watch: Callable[[], Watch],
    ) -> None:
        self._self_play = self_play
        self._files = files
        self._reporter = reporter
        self._make_watch = make_watch
        self._player, self._writer = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        #: the games that are being played, and of which iteration
        self._ahead: Future[_InWriting] | None = None
        self._ahead_iteration = 0
        #: whether somebody waits for them, and wants to know how far they are
        self._is_waited_for = False

    def games_of(self, iteration: int, ahead: bool = False) -> Played:
        """Return an iteration's games; wait for those that are being played.

        With `ahead`, those of the next iteration begin as soon as these are played, while their
        file is written.
        """
        played = self._played(iteration)
        if ahead:
            self._play_ahead(iteration + 1)
        games, metrics, written = played
        written.result()
        return games, metrics

    def _played(self, iteration: int) -> _InWriting:
        """Return an iteration's games, and what comes true when they are in a file."""
        if self._ahead is not None and self._ahead_iteration == iteration:
            self._is_waited_for = True
            try:
                return self._ahead.result()
            finally:
                self._ahead, self._is_waited_for = None, False
        if self._files.has(iteration):
            try:
                written: Future[None] = Future()
                written.set_result(None)
                return *self._files.read(iteration), written
            except TensorFileError as error:
                self._reporter.note(f"{error} Its games are played again.")
        torch.set_num_threads(1)
        self._self_play.prepare(iteration)
        return self._play(iteration, self._make_watch())

    def _play_ahead(self, iteration: int) -> None:
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
        self._ahead = self._player.submit(self._play, iteration, watch_if_waited_for)

    def _play(self, iteration: int, watch: Watch) -> _InWriting:
        games, metrics = self._self_play.play(iteration, watch)
        return games, metrics, self._writer.submit(self._files.write, iteration, games, metrics)

    def close(self) -> None:
        """Stop what is being played."""
        self._self_play.stop()
        if self._ahead is not None:
            with suppress(Interrupted):
                self._ahead.result()[-1].result()
        self._player.shutdown()
        self._writer.shutdown()
