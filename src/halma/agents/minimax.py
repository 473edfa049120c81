"""Agents that play what a minimax search finds best."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from halma.agents.agent import Agent, AgentSpec
from halma.agents.oracles import ENDGAMES, NO_ORACLE, SOLUTION, OracleChoice
from halma.agents.racing import LookaheadAgent
from halma.errors import OptionError
from halma.games import Game, Move, Record
from halma.names import Option, Value
from halma.networks.sparse_network import find_evaluator, read_evaluator
from halma.search.analysis import Analysis
from halma.search.minimax import MAX_DEPTH, Minimax, neighbouring_values


@dataclass
class MinimaxAgent:
    """Plays the best move of a minimax search with limits; ties go to the first found."""

    name: str
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    #: of `Minimax`, by name
    options: Mapping[str, Any] = field(default_factory=dict)
    #: he2016's variant, which searches only while the armies are in contact. Before, it plays
    #: the move with the best evaluation; afterwards, as they no longer block each other, it
    #: looks two own moves ahead.
    phases: bool = False
    oracles: OracleChoice = NO_ORACLE
    #: the file of a network that evaluates leaves; None: the game's features do
    evaluator: Path | None = None
    #: made once per game; it keeps nothing between moves
    _made: Minimax | None = field(default=None, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the move found best; the only legal one at once."""
        search, position = self._search(record.game), record.position
        if len(position.legal_moves) == 1:
            return position.legal_moves[0]
        contact = record.game.contact(position.state) if self.phases else "during"
        if contact == "after":
            return LookaheadAgent(depth=2).choose(record, rng)
        depth = 1 if contact == "before" else self.depth
        return search.search(record, depth=depth, nodes=self.nodes, seconds=self.seconds).best

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return the value of every move, whatever the phase; that takes longer than the best."""
        search = self._search(record.game)
        found = search.search(
            record, depth=self.depth, nodes=self.nodes, seconds=self.seconds, all_moves=True
        )
        limited = self.nodes is not None or self.seconds is not None
        return found.as_analysis(neighbouring_values(search, record, found, limited=limited))

    def analyse_best(self, record: Record) -> Analysis:
        """Return the best move alone, with its value and line, in the time that choosing takes."""
        found = self._search(record.game).search(
            record, depth=self.depth, nodes=self.nodes, seconds=self.seconds
        )
        return found.as_analysis()

    def check(self, game: Game) -> None:
        """Raise an error if the search, its weights, phases or tables do not fit a game."""
        self._search(game)
        if self.phases:
            game.contact(game.start().state)

    def _search(self, game: Game) -> Minimax:
        if self._made is None or self._made.game is not game:
            network = read_evaluator(self.evaluator, game) if self.evaluator else None
            oracle = self.oracles.oracle(game)
            self._made = Minimax(game, **self.options, oracle=oracle, network=network)
        return self._made


def _spec(
    name: str, main: str, options: tuple[Option, ...], example: str = "", **fixed: Any
) -> AgentSpec:
    """Return the spec of an agent whose search has these `fixed` options."""

    def build(full: str, given: Mapping[str, Value]) -> Agent:
        depth, nodes = int(given["depth"]) or None, int(given.get("nodes", 0)) or None
        seconds = float(given.get("time", 0)) or None
        if not depth and not nodes and not seconds:
            raise OptionError(f"'{name}' needs a limit: depth=3, nodes=10000 or time=0.1, say.")
        search = {"kind": name, "scale": float(given.get("scale", 0.0)), **fixed}
        if given["weights"] != "own":
            search["weights"] = tuple(map(float, str(given["weights"]).split("/")))
        if "selective" in given:
            search["selective"] = given["selective"] == "on"
        evaluator = str(given.get("evaluator", _FEATURES))
        if evaluator != _FEATURES and "weights" in search:
            raise OptionError("'weights' are of the game's features, which 'evaluator' replaces.")
        file = None if evaluator == _FEATURES else find_evaluator(evaluator)
        phases, oracles = given.get("phases") == "on", OracleChoice.read(given)
        return MinimaxAgent(full, depth, nodes, seconds, search, phases, oracles, file)

    return AgentSpec(name, build, options, main, example)


#: stands for the game's own evaluation
_FEATURES = "features"
_DEPTH = Option("depth", 0, "Plies of the search.", low=1, high=MAX_DEPTH)
_WEIGHTS = Option(
    "weights",
    "own",
    "Weights of the game's features, separated by slashes.",
    low=-100_000,
    high=100_000,
    decimal=True,
    series=True,
)
_COMMON = (
    _DEPTH,
    Option("time", 0.0, "Seconds a move.", low=0.001, high=86_400, decimal=True),
    Option("nodes", 0, "Positions a move.", low=1, high=10**12),
    _WEIGHTS,
)
_PHASES = Option(
    "phases", "off", "Search only while the armies are in contact.", choices=("off", "on")
)
_SELECTIVE = Option(
    "selective",
    "on",
    "Search late moves less deeply; off: plain minimax to the depth.",
    choices=("off", "on"),
)
_EVALUATOR = Option(
    "evaluator",
    _FEATURES,
    "What evaluates leaves: features, or a network's name or file.",
    text=True,
)
_SCALE = Option(
    "scale",
    0.0,
    "Scale of a lead before the sigmoid; 0 for the game's own.",
    low=0,
    high=1000,
    decimal=True,
)

SPECS = (
    # he2016's player
    _spec(
        "minimax",
        "depth",
        (replace(_DEPTH, default=2), _WEIGHTS, _PHASES, ENDGAMES, SOLUTION),
        kind="alphabeta",
        deepen=False,
        quiescence=False,
        limits="first-repetition",
    ),
    _spec(
        "alphabeta",
        "time",
        (*_COMMON, _EVALUATOR, _SELECTIVE, ENDGAMES, SOLUTION),
        "alphabeta:depth=4",
    ),
    _spec(
        "expectimax",
        "depth",
        (
            *_COMMON,
            _SCALE,
            _EVALUATOR,
            replace(_SELECTIVE, help="Search moves that lead to chance as a pass below the root."),
            SOLUTION,
        ),
        "expectimax:depth=2",
    ),
    _spec("maxn", "depth", _COMMON, "maxn:depth=2"),
    _spec("paranoid", "depth", _COMMON, "paranoid:depth=2"),
)
