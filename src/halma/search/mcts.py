"""Monte-Carlo tree search: the Python face of `core/search`."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from weakref import ReferenceType, ref

from halma import _core
from halma.errors import ChanceError, GameOverError, OptionError
from halma.games import Game, Move, Position, Record
from halma.search.analysis import Analysis, MoveReport, certainty, line_texts

#: rules of selection -> the core's rule, how values travel up, and c unless it is given
_RULES = {
    "uct": (_core.Rule.UCT, _core.Backup.MEAN, math.sqrt(2)),
    "puct": (_core.Rule.PUCT, _core.Backup.MEAN, 1.0),
    "gumbel": (_core.Rule.GUMBEL, _core.Backup.MEAN, 1.0),
    # pluska2022: the best child's value, and UCT's exploration; every move is tried first
    "pluska": (_core.Rule.UCT, _core.Backup.NEGAMAX, math.sqrt(2)),
}
RULES = tuple(_RULES)
UNTRIED = ("loss", "draw", "win", "infinite", "parent")
EVALUATORS = ("rollout", "uniform", "linear")


@dataclass(frozen=True)
class TreeOptions:
    """How a tree search goes about it; `core/search/options.hpp` explains each dial."""

    rule: str = "uct"
    #: weight of exploration; None for the rule's own: the root of 2 for uct and pluska,
    #: 1 for puct. Gumbel has none.
    c: float | None = None
    #: what a move counts as before it is tried; PUCT alone asks
    untried: str = "loss"
    evaluator: str = "rollout"
    #: of the features of `evaluator="linear"`, before they become a probability
    scale: float = 0.0
    #: proves wins, draws and losses; for two players
    solver: bool = False
    #: schulte2021's loop-cutting, in the tree and against the game so far
    cut_loops: bool = False
    #: share of Dirichlet noise in the root's priors
    noise: float = 0.0
    noise_alpha: float = 0.3
    #: how many root moves Gumbel draws
    considered: int = 16
    #: how much a difference in value weighs against the policy; Gumbel only
    value_scale: float = 1.0

    def for_game(self, game: Game) -> _core.SearchOptions:
        """Return the core's options, or raise an `OptionError` if the game cannot have them."""
        if game.players != 2:
            for wanted, what in ((self.rule == "pluska", "pluska"), (self.solver, "solver=on")):
                if wanted:
                    raise OptionError(
                        f"'{what}' is for two players, and '{game.name}' has {game.players}."
                    )
        options = _core.SearchOptions()
        options.rule, options.backup, own_c = _RULES[self.rule]
        options.c = own_c if self.c is None else self.c
        options.untried = getattr(_core.Untried, self.untried.upper())
        options.solver = self.solver
        options.cut_loops = self.cut_loops
        options.noise_weight, options.noise_alpha = self.noise, self.noise_alpha
        options.considered = self.considered
        options.value_scale = self.value_scale
        # A random game ends where the real one would.
        options.rollout_plies = game.limits.plies or options.rollout_plies
        options.rollout_quiet = game.limits.no_progress
        return options


class TreeSearch:
    """One search tree. With `reuse` it is kept from move to move of the same record.

    An `oracle`, that of a solution, answers for the positions it knows; they are not searched.
    """

    def __init__(
        self,
        game: Game,
        options: TreeOptions | None = None,
        seed: int = 0,
        reuse: bool = False,
        oracle: _core.Oracle | None = None,
    ) -> None:
        self.game = game
        self.options = options or TreeOptions()
        self.reuse = reuse
        options_for_core = self.options.for_game(game)
        options_for_core.oracle = oracle
        try:
            self._core = _core.Mcts(
                game.core,
                options_for_core,
                getattr(_core.EvaluatorKind, self.options.evaluator.upper()),
                scale=self.options.scale,
                seed=seed,
            )
        except ValueError as error:
            raise OptionError(f"This search does not fit '{game.name}': {error}.") from None
        # Where the tree stands: the record, and the events that led there.
        self._record: ReferenceType[Record] | None = None
        self._events: list[tuple[bool, int]] = []

    def search(
        self,
        at: Record | Position,
        simulations: int | None = None,
        seconds: float | None = None,
        line_length: int = 8,
    ) -> Analysis:
        """Search until the tree has so many simulations, or for so long, or until all is proven.

        A record tells more than its last position: what was played before counts for
        loop-cutting. A reused tree's earlier simulations are part of `simulations`.
        """
        if not simulations and not seconds:
            raise OptionError("A tree search needs a limit: simulations or seconds.")
        if self.options.rule == "gumbel" and not simulations:
            raise OptionError(
                "Gumbel shares out its simulations in advance, so it needs a number of them."
            )
        record = at if isinstance(at, Record) else Record(self.game, at)
        position = searchable(record)
        self._go_to(record, position)
        began = time.perf_counter()
        if simulations:
            self._core.run(simulations, seconds or 0.0)
        else:
            self._core.run(seconds=seconds or 0.0)
        return self._report(position, line_length, time.perf_counter() - began)

    @property
    def simulations(self) -> int:
        """Simulations in the tree, those of earlier moves included."""
        return self._core.simulations

    def follows(self, record: Record) -> bool:
        """Tell whether the tree is of a position this very record has passed."""
        if not self.reuse or self._record is None or self._record() is not record:
            return False
        return record.events[: len(self._events)] == self._events

    def _go_to(self, record: Record, position: Position) -> None:
        if self.follows(record):
            self._follow(record, len(self._events))
        else:
            self._core.set_root(position.state, self._history(record, len(record)))
        self._record, self._events = ref(record), record.events

    def _follow(self, record: Record, start: int) -> None:
        """Go down the tree move by move, each with the outcomes that came after it."""
        events = record.events
        while start < len(events):
            end = start + 1
            while end < len(events) and events[end][0]:
                end += 1
            outcomes = [value for _, value in events[start + 1 : end]]
            self._core.advance(
                record.state_at(end), events[start][1], outcomes, self._history(record, end)
            )
            start = end

    def _history(self, record: Record, length: int) -> list[int]:
        """Return the keys of what stood before, where loops are cut."""
        if not self.options.cut_loops:
            return []
        core = self.game.core
        states = (record.state_at(i) for i in range(length))
        return [core.key(state) for state in states if not core.at_chance(state)]

    def _report(self, position: Position, line_length: int, seconds: float) -> Analysis:
        core = self._core
        return make_analysis(
            position,
            core.root_moves(line_length),
            core.policy(),
            core.best(),
            root_value=core.root_value,
            simulations=core.simulations,
            seconds=seconds,
        )


def searchable(record: Record) -> Position:
    """Return a record's position, in which a player must be to move."""
    position = record.position
    if position.is_chance:
        raise ChanceError("A search starts where a player is to move, not at chance.")
    if record.is_over:
        raise GameOverError("A search starts where a player is to move: the game is over.")
    return position


def make_analysis(
    position: Position,
    found: list[_core.RootMove],
    policy: list[float],
    best: int,
    root_value: float,
    simulations: int,
    seconds: float,
) -> Analysis:
    """Write down what a tree search has found out about its root."""
    # Visits tell what looked best, unless nothing was left to look for.
    known = all(move.exact for move in found)
    order = sorted(
        range(len(found)),
        key=lambda i: (i == best, found[i].value if known else 0.0, found[i].visits, policy[i]),
        reverse=True,
    )
    reports = tuple(
        MoveReport(
            Move(found[i].move, position.game.format_move(position.state, found[i].move)),
            value=None if math.isnan(found[i].value) else found[i].value,
            visits=found[i].visits,
            prior=found[i].prior,
            policy=policy[i],
            proof=certainty(found[i].value) if found[i].exact else None,
            line=line_texts(position, found[i].line),
        )
        for i in order
    )
    value = reports[0].value
    return Analysis(
        position,
        reports,
        value=root_value if value is None else value,
        simulations=simulations,
        seconds=seconds,
    )
