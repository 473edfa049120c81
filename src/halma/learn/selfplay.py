"""Self-play as a recipe asks for it, iteration by iteration; results of games that are stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halma import _core
from halma.games import Game
from halma.interrupt import Interrupted
from halma.learn.curriculum import read_curriculum, stage_of
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.sections.common import search_values
from halma.learn.sections.self_play import SelfPlaySettings
from halma.search.evaluator import Evaluator
from halma.search.racing import advances
from halma.selfplay import FinishedGames, Pool, selfplay_options
from halma.selfplay.games import mover_first
from halma.selfplay.opponents import Opponent
from halma.selfplay.pool import Watch

if TYPE_CHECKING:
    from halma.learn.opponents import Opponents
    from halma.learn.players import Players

Floats = np.ndarray[Any, np.dtype[np.float64]]

#: Evaluations that differ by less are equal.
_TOLERANCE = 1e-6
#: Ends of games without a result of their own: repetition and lack of progress are draws.
_STOPPED = [end.value for end in (_core.End.PLIES, _core.End.STALLED, _core.End.CYCLE)]


def pool_options(
    game: Game, settings: AlphaZeroSettings, iteration: int = 1
) -> _core.SelfPlayOptions:
    """Return the options of an iteration's self-play."""
    search, play = settings.search, settings.selfplay
    warm = [(0, play.temperature)] if play.temperature_plies else []
    values = {option.name: getattr(play, option.name, None) for option in _core.selfplay_options()}
    values["simulations"] = search.simulations - search.count_root
    values["temperatures"] = [*warm, (play.temperature_plies, play.late_temperature)]
    options = selfplay_options(game, search_values(search), **values)
    stage = stage_of(read_curriculum(play.curriculum, game), iteration)
    options.starts = stage.states(game, play.games, settings.seed, iteration)
    if stage.pieces is not None:
        options.random_plies_min = options.random_plies_max = 0
    return options


def limits(game: Game, settings: AlphaZeroSettings) -> _core.Limits:
    """Return the limits of self-play games: the variant's own, and those of `selfplay`."""
    own, play = game.limits, settings.selfplay
    # A soft limit takes the place of the variant's own number of plies.
    plies = 0 if play.progress_plies else own.plies
    return _core.Limits(
        plies=min(plies or play.max_plies, play.max_plies or plies),
        progress_plies=play.progress_plies,
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

    def change_player(self, players: Players) -> None:
        """Let another network make the games of the next iteration."""
        self.evaluators = players.playing

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
        adjudicate(self.game, games, play)
        seconds = time.perf_counter() - began
        against = {} if self.opponents is None else self.opponents.metrics(pool.options, games)
        leaves = pool.totals["leaves"] - before["leaves"]
        return games, {**games_metrics(games, leaves, seconds, pool.bytes), **against}

    def _make_pool(self, iteration: int, opponents: Sequence[Opponent]) -> Pool:
        """Return a pool of an iteration's games, or of all from there on if they carry over."""
        play = self.settings.selfplay
        slots = play.parallel_games
        if not play.carry_over:
            slots = min(slots, play.games)
        options = pool_options(self.game, self.settings, iteration)
        return Pool(
            self.game,
            options,
            self.evaluators,
            slots=max(slots, len(self.evaluators)),
            threads=self.threads,
            seed=self.settings.seed,
            first=(iteration - 1) * play.games,
            games=None if play.carry_over else play.games,
            limits=limits(self.game, self.settings),
            opponents=opponents,
        )


def games_metrics(
    games: FinishedGames, evaluations: int, seconds: float, pool_bytes: int
) -> dict[str, Any]:
    """Return the metrics of an iteration's games."""
    scores = games.scores
    return {
        "games": len(games),
        "finished": float((games.ends == _core.End.RULES.value).mean()),
        "draws": float((np.ptp(scores, axis=1) == 0).mean()),
        "first_share": float(scores[:, 0].mean() / max(scores.sum(axis=1).mean(), 1e-9)),
        "mean_plies": float(games.lengths.mean()),
        "evaluations": int(evaluations),
        "games_per_second": len(games) / seconds,
        "evaluations_per_second": evaluations / seconds,
        "resigned": int((games.ends == _core.End.NONE.value).sum()),
        "pool_bytes": int(pool_bytes),
        "play_seconds": seconds,
    }


def adjudicate(game: Game, games: FinishedGames, play: SelfPlaySettings) -> None:
    """Give games that a limit stopped to the player, or team, ahead by more than a margin.

    `play.adjudication` is what is compared: `features`, the game's linear evaluation, or `advance`,
    how far a player's moves brought its pieces forward in this game. liu2019 does the latter where
    training starts from random weights. With `rules` results stay as they are.
    """
    by, margin = play.adjudication, play.adjudication_margin
    if by == "rules":
        return
    for number in np.flatnonzero(np.isin(games.ends, _STOPPED)):
        rows = slice(*games.row_offsets[[number, number + 1]])
        if rows.start == rows.stop:
            continue
        scores = side_scores(game, _TOTALS[by](game, games, rows), margin)
        scores *= np.float32(play.adjudication_score)
        games.scores[number] = scores
        games.outcomes[rows] = mover_first(scores, games.movers[rows])


def side_scores(
    game: Game, totals: Floats, margin: float = 0.0
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return `leader_scores` of the sums of teams, whose players all have the team's score."""
    scores = np.zeros(game.players, np.float32)
    sums = np.array([totals[list(players)].sum() for players in game.partners])
    for players, score in zip(game.partners, leader_scores(sums, margin), strict=True):
        scores[list(players)] = score
    return scores


def leader_scores(totals: Floats, margin: float = 0.0) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return 1 for the player whose total is the highest by more than a margin, 0 for the others.

    Players within the margin of the highest share it; shape (players,).
    """
    ahead = totals >= totals.max() - max(margin, _TOLERANCE)
    scores: np.ndarray[Any, np.dtype[np.float32]] = (ahead / ahead.sum()).astype(np.float32)
    return scores


def evaluations(game: Game, state: bytes) -> Floats:
    """Return the game's linear evaluation of every player's position; shape (players,)."""
    weights = _core.default_weights(game.core)
    return np.array(
        [np.dot(weights, _core.features(game.core, state, who)) for who in range(game.players)]
    )


def _final_evaluations(game: Game, games: FinishedGames, rows: slice) -> Floats:
    last = rows.stop - 1
    return evaluations(game, game.core.play(games.states[last].tobytes(), int(games.moves[last])))


def _total_advances(game: Game, games: FinishedGames, rows: slice) -> Floats:
    """Return how far every player's moves brought its pieces forward; shape (players,)."""
    totals = np.zeros(game.players)
    forward = advances(game, games.states[rows], games.moves[rows])
    np.add.at(totals, games.movers[rows], forward)
    return totals


#: What players are compared by, of the rows of one game.
_TOTALS: dict[str, Callable[[Game, FinishedGames, slice], Floats]] = {
    "features": _final_evaluations,
    "advance": _total_advances,
}
