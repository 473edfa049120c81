"""Many games of self-play at once, searched by the core and evaluated in batches."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from halma import _core
from halma.errors import OptionError, RunError
from halma.games import Game
from halma.machine import core_count
from halma.networks.evaluator import Evaluator, InferenceBuffer
from halma.search.mcts import TreeOptions
from halma.selfplay.games import FinishedGames

#: called now and then with the numbers of finished games and evaluated leaves so far
Watch = Callable[[int, int], None]

_WATCH_SECONDS = 0.25
#: selection rules that use a policy
RULES = ("puct", "gumbel")


@dataclass(frozen=True)
class PoolOptions:
    """How games are played; `core/selfplay/options.hpp` explains each option."""

    search: TreeOptions = field(default_factory=lambda: TreeOptions(rule="puct", noise=0.25))
    simulations: int = 100
    #: leaves of one tree that are evaluated together
    leaves: int = 1
    #: whether a search continues in the subtree of the move played
    reuse: bool = False
    #: share of searches that are full; the rest make `fast_simulations` and give no target
    full_share: float = 1.0
    fast_simulations: int = 0
    #: (ply, temperature) pairs in order: from that ply on, with that temperature
    temperatures: tuple[tuple[int, float], ...] = ((0, 1.0), (30, 0.0))
    #: range of the number of random moves that begin a game
    opening: tuple[int, int] = (0, 0)
    #: a player resigns whose value is below this; 0 for never
    resign_below: float = 0.0
    #: number of own decisions in a row for which the value must be below
    resign_after: int = 1
    #: share of games in which nobody resigns, to measure mistaken resignations
    resign_never_share: float = 0.1

    def for_game(self, game: Game) -> _core.PoolOptions:
        """Return the core's options, or raise an `OptionError` if they do not fit the game."""
        if self.search.rule not in RULES:
            raise OptionError(
                f"'{self.search.rule}' makes no use of a policy; self-play searches by "
                f"{' or '.join(RULES)}."
            )
        options = _core.PoolOptions()
        options.search = self.search.for_game(game)
        options.opening_least, options.opening_most = self.opening
        options.temperatures = list(self.temperatures)
        for name in (
            "simulations",
            "leaves",
            "reuse",
            "full_share",
            "fast_simulations",
            "resign_below",
            "resign_after",
            "resign_never_share",
        ):
            setattr(options, name, getattr(self, name))
        return options


class Pool:
    """Many games of self-play.

    The same seed gives the same games if evaluations depend on a position's planes alone.
    """

    def __init__(
        self,
        game: Game,
        options: PoolOptions,
        evaluators: Sequence[Evaluator],
        *,
        slots: int,
        threads: int = 0,
        seed: int = 0,
        first: int = 0,
        games: int | None = None,
        limits: _core.Limits | None = None,
    ) -> None:
        """Prepare games `first`, `first` + 1 and so on, `games` of them or without end.

        `slots` of them are played at a time by `threads` threads (0: one per core), in a group
        for each evaluator. Evaluators may be one and the same: with two groups, one group's
        trees run while the leaves of the other are evaluated. `limits` replace the variant's.
        """
        self.game = game
        end = {} if games is None else {"end": first + games}
        try:
            self.core = _core.Pool(
                game.core,
                options.for_game(game),
                game.limits if limits is None else limits,
                slots,
                len(evaluators),
                threads or core_count(),
                seed,
                first,
                **end,
            )
        except ValueError as error:
            raise OptionError(f"This self-play does not fit '{game.name}': {error}.") from None
        self._evaluators: list[Evaluator] = []
        #: one for each group
        self.buffers: list[InferenceBuffer] = []
        self.change_evaluators(evaluators)

    def change_evaluators(self, evaluators: Sequence[Evaluator]) -> None:
        """Use these from now on, one for each group, for pending leaves as well."""
        if list(evaluators) == self._evaluators:
            return
        buffers = [
            evaluator.buffer(self.core.capacity(group), narrow=True)
            for group, evaluator in enumerate(evaluators)
        ]
        for group, old in enumerate(self.buffers):
            pending = self.core.awaited(group)
            buffers[group].planes[:pending] = old.planes[:pending]
        self._evaluators, self.buffers = list(evaluators), buffers

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
        errors: list[BaseException] = []

        def play_group(group: int) -> None:
            core, buffer = self.core, self.buffers[group]
            try:
                number = core.awaited(group) or core.collect(group, buffer.planes)
                while not (stop.is_set() or enough.is_set()):
                    if number:
                        buffer.start(number)
                        number = core.step(group, *buffer.finish(), buffer.planes)
                    elif core.active(group):
                        number = core.collect(group, buffer.planes)
                    else:
                        break
                    if core.totals["games"] >= wanted:
                        enough.set()
            except BaseException as error:
                errors.append(error)
                enough.set()

        threads = [
            threading.Thread(target=play_group, args=(group,), daemon=True)
            for group in range(self.core.groups)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(_WATCH_SECONDS)
                    watch(self.totals["games"], self.totals["leaves"])
        finally:
            enough.set()
            for thread in threads:
                thread.join()
        if errors and isinstance(errors[0], RuntimeError):
            # Raised by the core for logits and values that are not finite.
            raise RunError(f"Self-play has stopped: {errors[0]}.") from None
        if errors:
            raise errors[0]
        return FinishedGames(**self.core.take_finished())

    @property
    def totals(self) -> dict[str, int]:
        """Sums so far: leaves, games, plies, and resignations."""
        return self.core.totals

    @property
    def bytes(self) -> int:
        """Memory of all slots, trees included, and of finished games that were not taken."""
        return self.core.bytes
