"""Games of a network against itself, many at once.

The core's pool runs the trees. Its games are split into groups; every group has a thread
that lets the network judge what the group has collected, so that one group's trees run while
the network works for another. On a CPU there is a group for every core.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from halma import _core
from halma.errors import RunError
from halma.games import Game
from halma.learn.alphazero_settings import NeuralSettings
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.selfplay import Pool, selfplay_options

#: What the core calls arrays of finished games, and all of it that is kept.
Samples = dict[str, np.ndarray[Any, Any]]
#: is told of finished games and judged positions now and then
Watch = Callable[[int, int], None]

_WATCH_SECONDS = 0.25


def tree_options(settings: NeuralSettings, noise: bool = True) -> dict[str, Any]:
    """Return the options of tree search by name, with noise at the root or without."""
    search = settings.search
    return {
        "rule": search.rule,
        "c": search.c,
        "fpu": search.untried,
        "solver": search.solver,
        "limits": "first-repetition" if search.loops else "game",
        "dirichlet_weight": search.noise if noise else 0.0,
        "dirichlet_alpha": search.alpha,
        "gumbel_scale": 1.0 if noise else 0.0,
        "max_considered_actions": search.considered,
        "value_scale": search.value_scale,
    }


def pool_options(game: Game, settings: NeuralSettings) -> _core.SelfPlayOptions:
    """Return how games of self-play are played."""
    search, play = settings.search, settings.selfplay
    warm = [(0, play.temperature)] if play.temperature_plies else []
    return selfplay_options(
        game,
        tree_options(settings),
        simulations=search.simulations - search.count_root,
        full_share=play.full_share,
        fast_simulations=play.fast_simulations,
        temperatures=[*warm, (play.temperature_plies, play.late_temperature)],
        random_plies_min=play.random_least,
        random_plies_max=play.random_most,
        resign_threshold=play.resign_below,
        resign_consecutive=play.resign_after,
        no_resign_share=play.resign_never,
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

    There is an evaluator for every group, which may be one and the same. The weights behind
    evaluators may change between two iterations, evaluators themselves through `evaluators`.
    """

    def __init__(
        self, game: Game, settings: NeuralSettings, evaluators: Sequence[Evaluator], threads: int
    ) -> None:
        self.game = game
        self.settings = settings
        self.evaluators = list(evaluators)
        self._threads = threads
        self._stop = threading.Event()
        self._kept: _Going | None = None
        self._surplus: list[Samples] = []

    def stop(self) -> None:
        """Make `play` return early, and every later one until `go_on`."""
        self._stop.set()

    def go_on(self) -> None:
        """Forget a stop; games that are carried over go on where they were."""
        self._stop.clear()

    def play(
        self, iteration: int, watch: Watch = lambda games, leaves: None
    ) -> tuple[Samples, dict[str, float]] | None:
        """Return an iteration's games and how they were played; nothing if it was stopped."""
        play = self.settings.selfplay
        began = time.perf_counter()
        if play.carry_over:
            going = self._kept = self._kept or self._start(iteration, endless=True)
            going.change(self.evaluators)
        else:
            going = self._start(iteration, endless=False)
        before = going.pool.totals
        have = sum(len(part["numbers"]) for part in self._surplus)
        wanted = before["games"] + play.games - have if play.carry_over else None
        going.run(wanted, self._stop, watch)
        if self._stop.is_set():
            return None
        now = going.pool.totals
        samples = joined([*self._surplus, going.pool.take_finished()])
        self._surplus = []
        if play.carry_over:
            samples, rest = split(samples, play.games)
            self._surplus = [rest] if len(rest["numbers"]) else []
        seconds = time.perf_counter() - began
        return samples, {
            "play_seconds": seconds,
            "evaluations": now["leaves"] - before["leaves"],
            "resigned": now["resigned"] - before["resigned"],
            "pool_bytes": going.pool.bytes,
        }

    def _start(self, iteration: int, endless: bool) -> _Going:
        play = self.settings.selfplay
        slots = play.slots if endless else min(play.slots, play.games)
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
        return _Going(pool.core, self.evaluators)


class _Going:
    """A pool at work, with a buffer for every group."""

    def __init__(self, pool: _core.Pool, evaluators: Sequence[Evaluator]) -> None:
        self.pool = pool
        self._evaluators: list[Evaluator] = []
        self._buffers: list[InferenceBuffer] = []
        #: positions in each buffer that nobody has judged yet
        self._awaited = [0] * pool.groups
        self.change(evaluators)

    def change(self, evaluators: Sequence[Evaluator]) -> None:
        """Let others judge from now on; positions that wait move on to them."""
        if list(evaluators) == self._evaluators:
            return
        buffers = [
            judge.buffer(self.pool.capacity(group), narrow=True)
            for group, judge in enumerate(evaluators)
        ]
        for buffer, old, number in zip(buffers, self._buffers, self._awaited, strict=False):
            buffer.planes[:number] = old.planes[:number]
        # What a buffer prepares at its first use, it prepares while nobody else is at work.
        for buffer in buffers:
            buffer.start(len(buffer.planes))
            buffer.finish()
        self._evaluators, self._buffers = list(evaluators), buffers

    def run(self, wanted: int | None, stop: threading.Event, watch: Watch) -> None:
        """Play until so many games are over in all, or until all are."""
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
            # The core's own words: a logit or a value of the network is no number.
            raise RunError(f"Self-play has stopped: {failed[0]}.")
        if failed:
            raise failed[0]

    def _work(
        self, group: int, wanted: int | None, stop: threading.Event, enough: threading.Event
    ) -> None:
        pool, buffer = self.pool, self._buffers[group]
        number = self._awaited[group] or pool.collect(group, buffer.planes)
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
        self._awaited[group] = number


#: Arrays by what they have an entry for.
_ROWS = (
    "states",
    "moves",
    "choices",
    "plies",
    "movers",
    "repetitions",
    "no_progress",
    "values",
    "outcomes",
)
_POLICIES = ("policy_actions", "policy_weights")
_GAMES = ("numbers", "lengths", "ends", "scores")
_EVENTS = ("event_chance", "event_values")
_OFFSETS = ("policy_offsets", "row_offsets", "event_offsets")


def joined(parts: Sequence[Mapping[str, Any]]) -> Samples:
    """Return several lots of games as one."""
    found: Samples = {}
    for key in (*_ROWS, *_POLICIES, *_GAMES, *_EVENTS):
        found[key] = np.concatenate([part[key] for part in parts])
    for key in _OFFSETS:
        lasts = np.cumsum([0, *(part[key][-1] for part in parts)])
        pieces = [part[key][1:] + last for part, last in zip(parts, lasts, strict=False)]
        found[key] = np.concatenate([np.zeros(1, np.int64), *pieces])
    return found


def split(samples: Samples, games: int) -> tuple[Samples, Samples]:
    """Return the first so many games, and the others."""
    return part(samples, 0, games), part(samples, games, len(samples["numbers"]))


def part(samples: Mapping[str, Any], first: int, last: int) -> Samples:
    """Return the games from one number to below another."""
    last = min(last, len(samples["numbers"]))
    rows = slice(*samples["row_offsets"][[first, last]])
    policies = slice(*samples["policy_offsets"][[rows.start, rows.stop]])
    events = slice(*samples["event_offsets"][[first, last]])
    found: Samples = {}
    for keys, where in (
        (_ROWS, rows),
        (_POLICIES, policies),
        (_GAMES, slice(first, last)),
        (_EVENTS, events),
    ):
        found |= {key: samples[key][where] for key in keys}
    for key, where in (
        ("policy_offsets", slice(rows.start, rows.stop + 1)),
        ("row_offsets", slice(first, last + 1)),
        ("event_offsets", slice(first, last + 1)),
    ):
        found[key] = samples[key][where] - samples[key][where.start]
    return found
