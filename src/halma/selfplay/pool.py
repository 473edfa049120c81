"""Many games of self-play at once, searched by the core and evaluated in batches."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from halma import _core
from halma.errors import ArgumentError, OptionError, RunError
from halma.games import Game
from halma.machine import core_count
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.search.options import search_options, set_options
from halma.selfplay.games import FinishedGames
from halma.selfplay.opponents import (
    AgentOpponent,
    NetworkOpponent,
    Opponent,
    RoutedBuffer,
    opponent_kinds,
    play_agents_moves,
)

#: called now and then with the numbers of finished games and evaluated leaves so far
Watch = Callable[[int, int], None]

_WATCH_SECONDS = 0.25


def selfplay_options(game: Game, search: Mapping[str, Any], **values: Any) -> _core.SelfPlayOptions:
    """Return options of self-play, with options of tree search by name.

    `core/selfplay/options.hpp` declares them; `temperatures` are (ply, temperature) pairs.
    """
    known = (*(option.name for option in _core.selfplay_options()), "temperatures")
    options = set_options(_core.SelfPlayOptions(), "Self-play", known, values)
    options.search = search_options(game, **search)
    return options


class Pool:
    """Many games of self-play.

    The same seed gives the same games if evaluations depend on a position's planes alone.
    """

    def __init__(
        self,
        game: Game,
        options: _core.SelfPlayOptions,
        evaluators: Sequence[Evaluator],
        *,
        slots: int,
        threads: int = 0,
        seed: int = 0,
        first: int = 0,
        games: int | None = None,
        limits: _core.Limits | None = None,
        opponents: Sequence[Opponent] = (),
    ) -> None:
        """Prepare games `first`, `first` + 1 and so on, `games` of them or without end.

        `slots` of them are played at a time by `threads` threads (0: one per core), in a group
        for each evaluator. Evaluators may be one and the same: with two groups, one group's
        trees run while the leaves of the other are evaluated. `limits` replace the variant's.

        In a share of the games (`options.opponent_share`) the evaluators' network has one seat,
        each in turn, and one of the `opponents` the others. Its decisions alone have policy
        targets there.
        """
        self.game = game
        self._seed = seed
        self.options = options
        options.opponents = opponent_kinds(opponents)
        end = {} if games is None else {"end": first + games}
        try:
            self.core = _core.Pool(
                game.core,
                options,
                game.limits if limits is None else limits,
                slots,
                len(evaluators),
                threads or core_count(),
                seed,
                first,
                **end,
            )
        except ArgumentError as error:
            raise OptionError(f"This self-play does not fit '{game.name}': {error}") from None
        #: the learner and its opponents
        self._players: list[Opponent] = []
        #: one for each group
        self.buffers: list[InferenceBuffer] = []
        self.change_evaluators(evaluators, opponents)

    def change_evaluators(
        self, evaluators: Sequence[Evaluator], opponents: Sequence[Opponent] = ()
    ) -> None:
        """Use these from now on, one for each group, for pending leaves as well.

        Opponents are as many networks and agents as before, in the same order. Evaluations that
        were kept are forgotten, also where evaluators are the same: one on a GPU gets new weights
        in place.
        """
        self.core.forget_evaluations()
        players = [NetworkOpponent(list(evaluators)), *opponents]
        if players == self._players:
            return
        buffers = [self._make_buffer(group, players) for group in range(self.core.groups)]
        for group, old in enumerate(self.buffers):
            pending = self.core.pending(group)
            buffers[group].planes[:pending] = old.planes[:pending]
            if (legal := buffers[group].legal) is not None and old.legal is not None:
                legal[:pending] = old.legal[:pending]
        self._players, self.buffers = players, buffers

    def _make_buffer(self, group: int, players: Sequence[Opponent]) -> InferenceBuffer:
        """Return the buffer of a group; where there are several networks, one of each."""
        capacity = self.core.capacity(group)
        buffers = {
            number: player.evaluators[group].buffer(capacity, narrow=True)
            for number, player in enumerate(players)
            if isinstance(player, NetworkOpponent)
        }
        return buffers[0] if len(buffers) == 1 else RoutedBuffer(self.core, group, buffers)

    def play(
        self,
        games: int | None = None,
        stop: threading.Event | None = None,
        watch: Watch = lambda games, leaves: None,
    ) -> FinishedGames:
        """Play until at least `games` more are finished, or all; return those that are.

        Every group has a thread that evaluates its leaves. Setting `stop` ends it early. Games in
        progress continue at the next call.
        """
        wanted = math.inf if games is None else self.totals["games"] + games
        stop, enough = stop or threading.Event(), threading.Event()

        def play_group(group: int) -> None:
            core, buffer = self.core, self.buffers[group]
            rows = buffer.planes, buffer.legal
            choosers = {
                number - 1: player.choosers[group]
                for number, player in enumerate(self._players)
                if isinstance(player, AgentOpponent)
            }
            try:
                number = core.pending(group) or core.collect(group, *rows)
                while not (stop.is_set() or enough.is_set()):
                    if number:
                        buffer.start(number)
                    if choosers:
                        play_agents_moves(self.game, core, group, choosers, self._seed)
                    if number:
                        number = core.step(group, *buffer.finish(), *rows)
                    elif core.active(group):
                        number = core.collect(group, *rows)
                    else:
                        break
                    if core.totals["games"] >= wanted:
                        enough.set()
            except BaseException:
                enough.set()
                raise

        with ThreadPoolExecutor(self.core.groups) as threads:
            running = [threads.submit(play_group, group) for group in range(self.core.groups)]
            try:
                while wait(running, _WATCH_SECONDS).not_done:
                    watch(self.totals["games"], self.totals["leaves"])
            finally:
                enough.set()
        watch(self.totals["games"], self.totals["leaves"])
        try:
            for group in running:
                group.result()
        except RuntimeError as error:
            # From the core: a logit or a value is not finite or out of range.
            raise RunError(f"Self-play has stopped: {error}.") from None
        return FinishedGames(**self.core.take_finished())

    def add_games(self, numbers: Sequence[int]) -> None:
        """Play the games of these numbers too, in slots that have no others left."""
        self.core.add_games(list(numbers))

    @property
    def totals(self) -> dict[str, int]:
        """Sums so far: leaves evaluated and cached, games, plies, and resignations."""
        return self.core.totals

    @property
    def bytes(self) -> int:
        """Memory of all slots, trees included, and of finished games that were not taken."""
        return self.core.bytes
