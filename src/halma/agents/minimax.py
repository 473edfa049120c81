"""he2016's players: minimax to a fixed depth, and the variant with three phases."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from halma.agents.agent import Agent
from halma.agents.alphabeta import WEIGHTS, read_weights
from halma.agents.oracles import ENDGAMES, NO_ORACLE, SOLUTION, OracleChoice
from halma.agents.spec import AgentSpec
from halma.games import Game, Move, Record
from halma.names import Option, Value
from halma.search.analysis import Analysis
from halma.search.minimax import MAX_DEPTH, Minimax


@dataclass
class MinimaxAgent:
    """Plays the best move of a plain minimax to a fixed depth.

    With `phases` it does so only while the armies are in contact. Before, it plays the
    move with the best evaluation; afterwards it plays like `lookahead:depth=2`, since the
    armies no longer block each other.
    """

    name: str
    depth: int = 2
    weights: tuple[float, ...] = ()
    phases: bool = False
    oracles: OracleChoice = NO_ORACLE
    #: made once per game; it keeps nothing between moves
    _made: Minimax | None = field(default=None, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the best move; ties go to the first found."""
        search = self._search(record.game)
        contact = self._contact(record)
        if contact == "after":
            return self._runner.choose(record, rng)
        return search.search(record, depth=1 if contact == "before" else self.depth).best

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return what a search to the full depth finds, whatever the phase."""
        search = self._search(record.game)
        return search.search(record, depth=self.depth, all_moves=True).as_analysis()

    @cached_property
    def _runner(self) -> Agent:
        from halma.agents.registry import agent  # which knows this module

        return agent("lookahead:depth=2")

    def _contact(self, record: Record) -> str:
        return record.game.contact(record.position.state) if self.phases else "during"

    def _search(self, game: Game) -> Minimax:
        if self._made is None or self._made.game is not game:
            self._made = Minimax(
                game,
                weights=self.weights,
                deepen=False,
                quiescence=False,
                limits="rules",
                oracle=self.oracles.oracle(game),
            )
        return self._made


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    return MinimaxAgent(
        name,
        int(given["depth"]),
        read_weights(given["weights"]),
        given["phases"] == "on",
        OracleChoice.read(given),
    )


SPEC = AgentSpec(
    "minimax",
    "minimax to a fixed depth with a linear evaluation (he2016)",
    _build,
    options=(
        Option("depth", 2, "Plies of the search.", low=1, high=MAX_DEPTH),
        WEIGHTS,
        Option(
            "phases",
            "off",
            "Search only while the armies are in contact.",
            choices=("off", "on"),
        ),
        ENDGAMES,
        SOLUTION,
    ),
    main="depth",
)
