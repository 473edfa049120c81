"""Self-play of a network, many games at once.

The core's pool runs the trees. Its games are split into groups, each with a thread of its own
that has the group's leaves evaluated, so that one group's trees grow while another's leaves
are evaluated. On a CPU there is a group for every thread, on a GPU there are two.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from halma import _core
from halma.errors import RunError
from halma.games import Game
from halma.interrupt import Interrupted
from halma.learn.samples import Samples, concatenate, slice_games
from halma.learn.sections import AlphaZeroSettings
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.selfplay import Pool, selfplay_options

#: Called now and then with the number of finished games and of evaluations.
Watch = Callable[[int, int], None]

_WATCH_SECONDS = 0.25


def tree_options(settings: AlphaZeroSettings, noise: bool = True) -> dict[str, Any]:
    """Return the options of tree search by name, with noise at the root or without."""
    search = settings.search
    return {
        "rule": search.rule,
        "c": search.c,
        "fpu": search.fpu,
        "solver": search.solver,
        "limits": "first-repetition" if search.loops else "game",
        "dirichlet_weight": search.dirichlet_weight if noise else 0.0,
        "dirichlet_alpha": search.dirichlet_alpha,
        "gumbel_scale": 1.0 if noise else 0.0,
        "max_considered_actions": search.max_considered_actions,
        "value_scale": search.value_scale,
    }


def pool_options(game: Game, settings: AlphaZeroSettings) -> _core.SelfPlayOptions:
    """Return the options of self-play."""
    search, play = settings.search, settings.selfplay
    warm = [(0, play.temperature)] if play.temperature_plies else []
    return selfplay_options(
        game,
        tree_options(settings),
        simulations=search.simulations - search.count_root,
        full_share=play.full_share,
        fast_simulations=play.fast_simulations,
        temperatures=[*warm, (play.temperature_plies, play.late_temperature)],
        random_plies_min=play.random_plies_min,
        random_plies_max=play.random_plies_max,
        resign_threshold=play.resign_threshold,
        resign_consecutive=play.resign_consecutive,
        no_resign_share=play.no_resign_share,
    )


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
        self._carried: _RunningPool | None = None
        self._surplus: list[Samples] = []

    def stop(self) -> None:
        """Make `play` raise `Interrupted`, now and until `resume`."""
        self._stop.set()

    def resume(self) -> None:
        """Undo `stop`; games that are carried over continue where they were."""
        self._stop.clear()

    def play(
        self, iteration: int, watch: Watch = lambda games, evaluations: None
    ) -> tuple[Samples, dict[str, float]]:
        """Return an iteration's games and the totals of playing them."""
        play = self.settings.selfplay
        began = time.perf_counter()
        if play.carry_over:
            running = self._carried = self._carried or self._start(iteration, endless=True)
            running.use(self.evaluators)
        else:
            running = self._start(iteration, endless=False)
        before = running.pool.totals
        have = sum(len(part["numbers"]) for part in self._surplus)
        wanted = before["games"] + play.games - have if play.carry_over else None
        running.run(
            wanted,
            self._stop,
            lambda games, leaves: watch(games - before["games"], leaves - before["leaves"]),
        )
        if self._stop.is_set():
            raise Interrupted
        now = running.pool.totals
        samples = concatenate([*self._surplus, running.pool.take_finished()])
        self._surplus = []
        if play.carry_over and len(samples["numbers"]) > play.games:
            self._surplus = [slice_games(samples, play.games, len(samples["numbers"]))]
            samples = slice_games(samples, 0, play.games)
        return samples, {
            "play_seconds": time.perf_counter() - began,
            "evaluations": now["leaves"] - before["leaves"],
            "resigned": now["resigned"] - before["resigned"],
            "pool_bytes": running.pool.bytes,
        }

    def _start(self, iteration: int, endless: bool) -> _RunningPool:
        play = self.settings.selfplay
        slots = play.parallel_games if endless else min(play.parallel_games, play.games)
        pool = Pool(
            self.game,
            pool_options(self.game, self.settings),
            slots=max(slots, len(self.evaluators)),
            groups=len(self.evaluators),
            threads=self._threads,
            seed=self.settings.seed,
            first=(iteration - 1) * play.games,
            games=None if endless else play.games,
            limits=limits(self.game, self.settings),
        )
        return _RunningPool(pool.core, self.evaluators)


class _RunningPool:
    """A pool with an inference buffer and a thread for every group."""

    def __init__(self, pool: _core.Pool, evaluators: Sequence[Evaluator]) -> None:
        self.pool = pool
        self._evaluators: list[Evaluator] = []
        self._buffers: list[InferenceBuffer] = []
        #: leaves in each buffer whose evaluation is pending
        self._pending = [0] * pool.groups
        self.use(evaluators)

    def use(self, evaluators: Sequence[Evaluator]) -> None:
        """Use other evaluators from now on; pending leaves move into their buffers."""
        if list(evaluators) == self._evaluators:
            return
        buffers = [
            evaluator.buffer(self.pool.capacity(group), narrow=True)
            for group, evaluator in enumerate(evaluators)
        ]
        for buffer, old, number in zip(buffers, self._buffers, self._pending, strict=False):
            buffer.planes[:number] = old.planes[:number]
        # The first use of a buffer allocates, which is done before threads compete.
        for buffer in buffers:
            buffer.start(len(buffer.planes))
            buffer.finish()
        self._evaluators, self._buffers = list(evaluators), buffers

    def run(self, wanted: int | None, stop: threading.Event, watch: Watch) -> None:
        """Play until the pool has finished `wanted` games in all; None: until all are."""
        enough = threading.Event()
        failed: list[BaseException] = []

        def work(group: int) -> None:
            try:
                self._work(group, wanted, stop, enough)
            except BaseException as error:
                failed.append(error)
                enough.set()

        workers = [
            threading.Thread(target=work, args=(group,), daemon=True)
            for group in range(self.pool.groups)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            while worker.is_alive():
                worker.join(_WATCH_SECONDS)
                totals = self.pool.totals
                watch(totals["games"], totals["leaves"])
        if failed and isinstance(failed[0], RuntimeError):
            # The core's own words: a logit or a value of the network is not a number.
            raise RunError(f"Self-play has stopped: {failed[0]}.")
        if failed:
            raise failed[0]

    def _work(
        self, group: int, wanted: int | None, stop: threading.Event, enough: threading.Event
    ) -> None:
        pool, buffer = self.pool, self._buffers[group]
        number = self._pending[group] or pool.collect(group, buffer.planes)
        while not (stop.is_set() or enough.is_set()):
            if number:
                buffer.start(number)
                number = pool.step(group, *buffer.finish(), buffer.planes)
            elif pool.active(group):
                number = pool.collect(group, buffer.planes)
            else:
                break
            if wanted is not None and pool.totals["games"] >= wanted:
                enough.set()
        self._pending[group] = number
