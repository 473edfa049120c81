"""Self-play as a recipe asks for it, iteration by iteration; results of games that are stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halma import _core
from halma.games import Game
from halma.interrupt import Interrupted
from halma.learn.opponents import Opponents
from halma.learn.sections import AlphaZeroSettings, search_values
from halma.search.evaluator import Evaluator
from halma.selfplay import FinishedGames, Pool, selfplay_options
from halma.selfplay.games import mover_first
from halma.selfplay.opponents import Opponent
from halma.selfplay.pool import Watch

#: Evaluations that differ by less are equal.
_TOLERANCE = 1e-6


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


@dataclass
class SelfPlay:
    """Plays the games of one iteration after the other.

    There is an evaluator for every group; it may be the same one. `evaluators` may be replaced
    between two iterations. `opponents` play a share of the games against the network.
    """

    game: Game
    settings: AlphaZeroSettings
    evaluators: Sequence[Evaluator]
    threads: int
    opponents: Opponents | None = None

    def __post_init__(self) -> None:
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

    def prepare(self, iteration: int) -> None:
        """Load the opponents of an iteration, in the thread that trains."""
        if self.opponents is not None:
            self.opponents.draw(iteration)

    def play(
        self, iteration: int, watch: Watch = lambda games, evaluations: None
    ) -> tuple[FinishedGames, dict[str, Any]]:
        """Return an iteration's games and the metrics of playing them."""
        play = self.settings.selfplay
        began = time.perf_counter()
        opponents = [] if self.opponents is None else self.opponents.current
        pool = self._carried or self._make_pool(iteration, opponents)
        pool.change_evaluators(self.evaluators, opponents)
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
        if play.adjudication == "features":
            adjudicate(self.game, games)
        scores, seconds = games.scores, time.perf_counter() - began
        made = {key: pool.totals[key] - before[key] for key in ("leaves", "resigned")}
        against = {} if self.opponents is None else self.opponents.metrics(pool.options, games)
        return games, {
            "games": len(games),
            "finished": float((games.ends == _core.End.RULES.value).mean()),
            "draws": float((np.ptp(scores, axis=1) == 0).mean()),
            "first_share": float(scores[:, 0].mean() / max(scores.sum(axis=1).mean(), 1e-9)),
            "mean_plies": float(games.lengths.mean()),
            "evaluations": int(made["leaves"]),
            "games_per_second": len(games) / seconds,
            "evaluations_per_second": made["leaves"] / seconds,
            "resigned": int(made["resigned"]),
            "pool_bytes": int(pool.bytes),
            "play_seconds": seconds,
            **against,
        }

    def _make_pool(self, iteration: int, opponents: Sequence[Opponent]) -> Pool:
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
            threads=self.threads,
            seed=self.settings.seed,
            first=(iteration - 1) * play.games,
            games=None if play.carry_over else play.games,
            limits=limits(self.game, self.settings),
            opponents=opponents,
        )


def adjudicate(game: Game, games: FinishedGames) -> None:
    """Give games that were stopped by their length to the player who is ahead.

    liu2019 does so where training starts from random weights.
    """
    for number in np.flatnonzero(games.ends == _core.End.PLIES.value):
        first, last = games.row_offsets[[number, number + 1]]
        if first == last:
            continue
        final = game.core.play(games.states[last - 1].tobytes(), int(games.moves[last - 1]))
        scores = leader_scores(game, final)
        games.scores[number] = scores
        games.outcomes[first:last] = mover_first(scores, games.movers[first:last])


def leader_scores(game: Game, state: bytes) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return 1 for the player whom the game's linear evaluation puts ahead, 0 for the others.

    Players who are equally far ahead share it; shape (players,).
    """
    weights = _core.default_weights(game.core)
    values = np.array(
        [np.dot(weights, _core.features(game.core, state, who)) for who in range(game.players)]
    )
    ahead = values >= values.max() - _TOLERANCE
    scores: np.ndarray[Any, np.dtype[np.float32]] = (ahead / ahead.sum()).astype(np.float32)
    return scores
