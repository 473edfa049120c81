"""Self-play as a recipe asks for it, iteration by iteration."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from halma import _core
from halma.games import Game
from halma.interrupt import Interrupted
from halma.learn.sections import AlphaZeroSettings, search_values
from halma.search.evaluator import Evaluator
from halma.selfplay import FinishedGames, Pool, selfplay_options
from halma.selfplay.pool import Watch


def pool_options(game: Game, settings: AlphaZeroSettings) -> _core.SelfPlayOptions:
    """Return the options of self-play."""
    search, play = settings.search, settings.selfplay
    warm = [(0, play.temperature)] if play.temperature_plies else []
    values = {option.name: getattr(play, option.name, None) for option in _core.selfplay_options()}
    values["simulations"] = search.simulations - search.count_root
    values["temperatures"] = [*warm, (play.temperature_plies, play.late_temperature)]
    return selfplay_options(game, search_values(search), **values)


def limits(game: Game, settings: AlphaZeroSettings) -> _core.Limits:
    """Return the limits of self-play games: the variant's own, and `selfplay.max_plies`."""
    own, plies = game.limits, settings.selfplay.max_plies
    return _core.Limits(
        plies=min(own.plies or plies, plies or own.plies),
        repetitions=own.repetitions,
        no_progress=own.no_progress,
        cycle_window=own.cycle_window,
        cycle_landings=own.cycle_landings,
    )


class SelfPlay:
    """Plays the games of one iteration after the other.

    There is an evaluator for every group; it may be the same one. `evaluators` may be replaced
    between two iterations.
    """

    def __init__(
        self,
        game: Game,
        settings: AlphaZeroSettings,
        evaluators: Sequence[Evaluator],
        threads: int,
    ) -> None:
        self.game = game
        self.settings = settings
        self.evaluators = list(evaluators)
        self._threads = threads
        self._stop = threading.Event()
        #: the pool whose games are carried over, and finished games beyond an iteration's
        self._carried: Pool | None = None
        self._surplus: list[FinishedGames] = []

    def stop(self) -> None:
        """Make `play` raise `Interrupted`, now and until `resume`."""
        self._stop.set()

    def resume(self) -> None:
        """Undo `stop`; games that are carried over continue where they were."""
        self._stop.clear()

    def play(
        self, iteration: int, watch: Watch = lambda games, evaluations: None
    ) -> tuple[FinishedGames, dict[str, float]]:
        """Return an iteration's games and the totals of playing them."""
        play = self.settings.selfplay
        began = time.perf_counter()
        pool = self._carried or self._make_pool(iteration)
        pool.change_evaluators(self.evaluators)
        before = pool.totals
        missing = None
        if play.carry_over:
            self._carried = pool
            missing = play.games - sum(map(len, self._surplus))
        found = pool.play(
            missing,
            self._stop,
            lambda games, leaves: watch(games - before["games"], leaves - before["leaves"]),
        )
        games = FinishedGames.join([*self._surplus, found])
        self._surplus = []
        if self._stop.is_set():
            if play.carry_over:
                self._surplus = [games]
            raise Interrupted
        if play.carry_over:
            games, rest = games.split(play.games)
            self._surplus = [rest]
        now = pool.totals
        return games, {
            "play_seconds": time.perf_counter() - began,
            "evaluations": now["leaves"] - before["leaves"],
            "resigned": now["resigned"] - before["resigned"],
            "pool_bytes": pool.bytes,
        }

    def _make_pool(self, iteration: int) -> Pool:
        """Return a pool of an iteration's games, or of all from there on if they carry over."""
        play = self.settings.selfplay
        slots = play.parallel_games
        if not play.carry_over:
            slots = min(slots, play.games)
        return Pool(
            self.game,
            pool_options(self.game, self.settings),
            self.evaluators,
            slots=max(slots, len(self.evaluators)),
            threads=self._threads,
            seed=self.settings.seed,
            first=(iteration - 1) * play.games,
            games=None if play.carry_over else play.games,
            limits=limits(self.game, self.settings),
        )
