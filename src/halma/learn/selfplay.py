"""Self-play as a recipe asks for it, iteration by iteration."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from halma import _core
from halma.games import Game
from halma.learn.alphazero_settings import NeuralSettings
from halma.networks.evaluator import Evaluator
from halma.search.mcts import TreeOptions
from halma.selfplay import FinishedGames, Pool, PoolOptions
from halma.selfplay.pool import Watch


def tree_options(settings: NeuralSettings, noise: bool = True) -> TreeOptions:
    """Return how searches go about it, with noise at the root or without."""
    search = settings.search
    # Gumbel's draw at the root is noise enough.
    noisy = noise and search.rule == "puct"
    return TreeOptions(
        rule=search.rule,
        c=search.c,
        untried=search.untried,
        solver=search.solver,
        cut_loops=search.loops,
        noise=search.noise if noisy else 0.0,
        noise_alpha=search.alpha,
        considered=search.considered,
        value_scale=search.value_scale,
    )


def pool_options(settings: NeuralSettings) -> PoolOptions:
    """Return how games of self-play are played."""
    search, play = settings.search, settings.selfplay
    warm = ((0, play.temperature),) if play.temperature_plies else ()
    return PoolOptions(
        search=tree_options(settings),
        simulations=search.simulations - search.count_root,
        full_share=play.full_share,
        fast_simulations=play.fast_simulations,
        temperatures=(*warm, (play.temperature_plies, play.late_temperature)),
        opening=(play.random_least, play.random_most),
        resign_below=play.resign_below,
        resign_after=play.resign_after,
        resign_never_share=play.resign_never,
    )


def limits(game: Game, settings: NeuralSettings) -> _core.Limits:
    """Return when games of self-play end although the rules would go on."""
    own, plies = game.limits, settings.selfplay.plies
    return _core.Limits(
        plies=min(own.plies or plies, plies or own.plies),
        repetitions=own.repetitions,
        no_progress=own.no_progress,
        cycle_window=own.cycle_window,
        cycle_landings=own.cycle_landings,
    )


class SelfPlay:
    """Plays games, iteration by iteration.

    There is an evaluator for every group of games; they may be one and the same. Set
    `evaluators`, or change the weights behind them, between two iterations.
    """

    def __init__(
        self, game: Game, settings: NeuralSettings, evaluators: Sequence[Evaluator], threads: int
    ) -> None:
        self.game = game
        self.settings = settings
        self.evaluators = list(evaluators)
        self._threads = threads
        self._stop = threading.Event()
        self._pool: Pool | None = None
        #: finished games that are carried over
        self._surplus: list[FinishedGames] = []

    def stop(self) -> None:
        """Make `play` return early, and every later call until `resume`."""
        self._stop.set()

    def resume(self) -> None:
        """Allow `play` again after `stop`; games that are carried over continue."""
        self._stop.clear()

    def play(
        self, iteration: int, watch: Watch = lambda games, leaves: None
    ) -> tuple[FinishedGames, dict[str, float]] | None:
        """Return an iteration's games and figures about them; None if it was stopped."""
        play = self.settings.selfplay
        began = time.perf_counter()
        pool = self._pool or self._make_pool(iteration)
        pool.change_evaluators(self.evaluators)
        before = pool.totals
        missing = None
        if play.carry_over:
            self._pool = pool
            missing = play.games - sum(map(len, self._surplus))
        games = FinishedGames.join([*self._surplus, pool.play(missing, self._stop, watch)])
        if self._stop.is_set():
            self._surplus = [games] if play.carry_over else []
            return None
        if play.carry_over:
            games, rest = games.split(play.games)
            self._surplus = [rest]
        totals = pool.totals
        return games, {
            "play_seconds": time.perf_counter() - began,
            "evaluations": totals["leaves"] - before["leaves"],
            "resigned": totals["resigned"] - before["resigned"],
            "pool_bytes": pool.bytes,
        }

    def _make_pool(self, iteration: int) -> Pool:
        """Return a pool of an iteration's games, or of all from there on if they carry over."""
        play = self.settings.selfplay
        endless = play.carry_over
        slots = play.slots if endless else min(play.slots, play.games)
        return Pool(
            self.game,
            pool_options(self.settings),
            self.evaluators,
            slots=max(slots, len(self.evaluators)),
            threads=self._threads,
            seed=self.settings.seed,
            first=(iteration - 1) * play.games,
            games=None if endless else play.games,
            limits=limits(self.game, self.settings),
        )
