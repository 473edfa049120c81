"""Monte-Carlo tree search of one game, with an evaluator of the core or with a network."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from halma import _core
from halma.errors import ArgumentError, ChanceError, GameOverError, NetworkOutputError, OptionError
from halma.games import Game, Position, Record
from halma.search.analysis import Analysis, MoveReport, certainty, line_of, named, record_of
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.search.options import RULES, leaves_at_once, search_options

#: evaluators of the core
EVALUATORS = ("rollout", "race", "uniform", "linear")
#: simulations of a search with a network that only time ends
_ENDLESS = 10**9


class TreeSearch:
    """One search tree. With `reuse` it is kept from move to move of the same game.

    `evaluator` is one of `EVALUATORS` or a network. A network evaluates one leaf at a time: a
    tree with several pending leaves selects each without knowing what the others bring, and on
    a CPU a network evaluates one position nearly as fast as one of many. An `oracle`, that of a
    solution, answers for the positions it knows; they are not searched.
    """

    def __init__(
        self,
        game: Game,
        options: _core.SearchOptions | None = None,
        *,
        evaluator: str | Evaluator = "rollout",
        scale: float = 0.0,
        seed: int = 0,
        reuse: bool = False,
        oracle: _core.Oracle | None = None,
    ) -> None:
        self.game = game
        self.options = options or search_options(game, rule="uct")
        pending = leaves_at_once(self.options)
        self._buffer = None if isinstance(evaluator, str) else evaluator.buffer(pending)
        # A copy: options may be shared by searches with and without an oracle.
        own = self.options.__copy__()
        own.oracle = oracle
        try:
            self._core = _core.Search(
                game.core,
                own,
                evaluator if isinstance(evaluator, str) else "network",
                scale=scale,
                seed=seed,
                max_pending=pending,
                reuse=reuse,
            )
        except ArgumentError as error:
            raise OptionError(f"This search does not fit '{game.name}': {error}") from None

    @property
    def bytes(self) -> int:
        """The size of the tree."""
        return self._core.bytes

    def search(
        self,
        at: Record | Position,
        simulations: int | None = None,
        seconds: float | None = None,
        line_length: int = 8,
    ) -> Analysis:
        """Search until the tree has `simulations`, for `seconds`, or until the root is solved.

        A record tells more than its last position: a line ends where the game would, and
        networks may see earlier positions. Simulations kept by `reuse` count.
        """
        if not simulations and not seconds:
            raise OptionError("A tree search needs a limit: simulations or seconds.")
        if RULES[self.options.rule].needs_budget and not simulations:
            raise OptionError(
                f"'rule={self.options.rule}' plans its simulations in advance, so it needs a "
                "number of them."
            )
        record = record_of(self.game, at)
        position = record.position
        if position.is_chance:
            raise ChanceError("A search starts where a player is to move, not at chance.")
        if record.is_over:
            raise GameOverError("A search starts where a player is to move: the game is over.")
        self._core.set_record(record.core)
        began = time.perf_counter()
        if self._buffer is not None:
            self._core.begin(simulations or _ENDLESS)
            run_with_network([self._core], self._buffer, seconds)
        else:
            limit = {"simulations": simulations} if simulations else {}
            self._core.run(**limit, seconds=seconds or 0.0)
        return self._analysis(position, line_length, time.perf_counter() - began)

    def _analysis(self, position: Position, line_length: int, seconds: float) -> Analysis:
        """Return what the tree says about its root, best move first."""
        found, policy = self._core.root_moves(line_length), self._core.policy()
        best = self._core.best()
        exact = all(move.exact for move in found)
        # Moves that have no more visits than each gets at a wide root count as equal.
        wide = self.options.wide_root
        least = wide * self._core.simulations / len(found) + 1 if wide else -1.0

        def rank(i: int) -> tuple[float, ...]:
            """Moves are ordered by visits, unless their values are exact; equal ones by values."""
            move = found[i]
            value = -1.0 if math.isnan(move.value) else move.value
            tried = (move.visits, policy[i]) if move.visits > least else (least, 0.0)
            return i == best, value if exact else 0.0, *tried, value

        order = sorted(range(len(found)), key=rank, reverse=True)
        reports = tuple(
            MoveReport(
                named(position, found[i].move),
                value=None if math.isnan(found[i].value) else found[i].value,
                visits=found[i].visits,
                prior=found[i].prior,
                policy=policy[i],
                proof=certainty(found[i].value) if found[i].exact else None,
                line=tuple(move.text for move in line_of(position, found[i].line)),
            )
            for i in order
        )
        known = reports[0].value
        value = self._core.root_value if known is None else known
        return Analysis(
            position,
            reports,
            value=value,
            simulations=self._core.simulations,
            seconds=seconds,
            values=self._values(position, value, order[0]) if self.game.sides > 2 else None,
        )

    def _values(self, position: Position, value: float, best: int) -> tuple[float, ...] | None:
        """Return every player's value after the best move, or None where it has too few visits."""
        found = self._core.values_after(best)
        by_player = [0.0] * self.game.players
        for side in self.game.partners:
            known = [found[player] for player in side if not math.isnan(found[player])]
            if position.mover in side:
                known = [value]
            if not known:
                return None
            for player in side:
                by_player[player] = sum(known) / len(known)
        return tuple(by_player)


def run_with_network(
    searches: Sequence[_core.Search], buffer: InferenceBuffer, seconds: float | None = None
) -> None:
    """Carry out searches that were begun, one batch of leaves after the other.

    With `seconds` they stop then, once each has made a simulation; so they do when the stop flag of
    this thread is set.
    """
    searches = list(searches)
    deadline = math.inf if not seconds else time.perf_counter() + seconds
    batches = 0
    try:
        # The first batch is the roots.
        while batches < 2 or (time.perf_counter() < deadline and not _core.stop_requested()):
            rows = _core.collect(searches, buffer.planes)
            if not rows:
                break
            buffer.start(rows)
            _core.submit(searches, *buffer.finish())
            batches += 1
    except RuntimeError as error:
        # From the core: a logit or a value is not finite or out of range.
        raise NetworkOutputError(f"The search has stopped: {error}.") from None
