"""Agents that play what a minimax search finds best."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from halma.agents.agent import Agent
from halma.agents.oracles import ENDGAMES, NO_ORACLE, SOLUTION, OracleChoice
from halma.agents.spec import AgentSpec
from halma.errors import OptionError
from halma.games import Game, Move, Record
from halma.names import Option, Value
from halma.search.analysis import Analysis
from halma.search.minimax import MAX_DEPTH, Minimax, MinimaxAnalysis

#: for every agent that evaluates by a game's features
WEIGHTS = Option(
    "weights",
    "own",
    "Weights of the game's features, separated by slashes.",
    low=-100_000,
    high=100_000,
    decimal=True,
    series=True,
)


def read_weights(given: Value) -> tuple[float, ...]:
    """Return the weights of a parsed option; none for the game's own."""
    return () if given == "own" else tuple(map(float, str(given).split("/")))


@dataclass
class SearchAgent:
    """Plays the best move of a minimax search with limits; ties go to the first found."""

    name: str
    kind: str = "alphabeta"
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    weights: tuple[float, ...] = ()
    scale: float = 1.0
    oracles: OracleChoice = NO_ORACLE
    #: made once per game; it keeps nothing between moves
    _made: Minimax | None = field(default=None, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the move found best; the only legal one at once."""
        search = self._search(record.game)
        moves = record.position.legal_moves
        if len(moves) == 1:
            return moves[0]
        return self._find(search, record).best

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return the value of every move; that takes longer than finding the best."""
        return self._find(self._search(record.game), record, all_moves=True).as_analysis()

    def _find(self, search: Minimax, record: Record, all_moves: bool = False) -> MinimaxAnalysis:
        return search.search(
            record, depth=self.depth, nodes=self.nodes, seconds=self.seconds, all_moves=all_moves
        )

    def _search(self, game: Game) -> Minimax:
        if self._made is None or self._made.game is not game:
            self._made = Minimax(
                game,
                self.kind,
                weights=self.weights,
                scale=self.scale,
                oracle=self.oracles.oracle(game),
            )
        return self._made


def _build(kind: str, name: str, given: Mapping[str, Value]) -> Agent:
    depth, nodes, seconds = int(given["depth"]), int(given["nodes"]), float(given["time"])
    if not depth and not nodes and not seconds:
        raise OptionError(f"'{kind}' needs a limit: depth=3, nodes=10000 or time=0.1, say.")
    return SearchAgent(
        name,
        kind,
        depth or None,
        nodes or None,
        seconds or None,
        read_weights(given["weights"]),
        float(given.get("scale", 1.0)),
        OracleChoice.read(given),
    )


def _spec(name: str, about: str, main: str, example: str, *more: Option) -> AgentSpec:
    return AgentSpec(
        name,
        about,
        lambda full, given: _build(name, full, given),
        options=(
            Option("depth", 0, "Plies of the search.", low=1, high=MAX_DEPTH),
            Option("time", 0.0, "Seconds a move.", low=0.001, high=86_400, decimal=True),
            Option("nodes", 0, "Positions a move.", low=1, high=10**12),
            WEIGHTS,
            *more,
        ),
        main=main,
        example=f"{name}:{example}",
    )


SPECS = (
    _spec(
        "alphabeta",
        "minimax for two players without chance",
        "time",
        "depth=4",
        ENDGAMES,
        SOLUTION,
    ),
    _spec(
        "expectimax",
        "minimax for two players with chance",
        "depth",
        "depth=2",
        Option(
            "scale", 1.0, "Scale of a lead before the sigmoid.", low=0.001, high=1000, decimal=True
        ),
        SOLUTION,
    ),
    _spec("maxn", "max^n: every player maximises its own score; no chance", "depth", "depth=2"),
    _spec("paranoid", "paranoid: all others against the mover; no chance", "depth", "depth=2"),
)
