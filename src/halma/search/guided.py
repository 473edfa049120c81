"""Tree search that a network guides: it judges every new position."""

from __future__ import annotations

import time

from halma import _core
from halma.errors import OptionError
from halma.games import Game, Position, Record
from halma.networks.evaluator import Evaluator, priors
from halma.search.analysis import Analysis
from halma.search.mcts import TreeOptions, make_analysis, searchable


class GuidedSearch:
    """One tree whose leaves an evaluator judges, one at a time.

    That is how a network gives the most for a number of simulations: a tree with several
    leaves under way chooses each without knowing what the others bring. On a CPU little
    would be gained, since these networks judge one position nearly as fast as one of many.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        options: TreeOptions | None = None,
        seed: int = 0,
    ) -> None:
        self.game = game
        self.options = options or TreeOptions(rule="puct")
        if self.options.rule not in ("puct", "gumbel"):
            raise OptionError("A search that a network guides goes by 'puct' or 'gumbel'.")
        self._evaluator = evaluator
        self._seed = seed

    def search(
        self,
        at: Record | Position,
        simulations: int,
        line_length: int = 8,
    ) -> Analysis:
        """Search until the tree has so many simulations, or until all is proven.

        A record tells more than its last position: networks may look back.
        """
        record = at if isinstance(at, Record) else Record(self.game, at)
        position = searchable(record)
        began = time.perf_counter()
        batch = _core.Batch(self.game.core, self.options.for_game(self.game), 1, self._seed)
        batch.set_root(0, position.state, simulations, self._earlier(record))
        buffer = self._evaluator.buffer(1)
        while number := batch.collect(buffer.planes):
            buffer.start(number)
            policy, values = buffer.finish()
            batch.submit(priors(policy), values)
        return make_analysis(
            position,
            batch.root_moves(0, line_length),
            batch.policy(0),
            batch.best(0),
            root_value=batch.root_value(0),
            simulations=batch.simulations(0),
            seconds=time.perf_counter() - began,
        )

    def _earlier(self, record: Record) -> list[bytes]:
        """Return the states before the current one in which somebody chose, newest first."""
        states = (record.state_at(i) for i in reversed(range(len(record))))
        return [state for state in states if not self.game.core.at_chance(state)]
