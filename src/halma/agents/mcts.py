"""The agent that plays by Monte-Carlo tree search."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import ReferenceType, ref

from halma.agents.agent import Agent
from halma.agents.oracles import ENDGAMES, NO_ORACLE, OracleChoice
from halma.agents.spec import AgentSpec, declared_option, declared_value
from halma.errors import OptionError
from halma.games import Game, Move, Record
from halma.names import Option, Value
from halma.search.analysis import Analysis, MoveReport
from halma.search.evaluator import Evaluator
from halma.search.options import DECLARED, RULES, check_rule, search_options
from halma.search.tree_search import EVALUATORS, TreeSearch


@dataclass
class TreeAgent:
    """Plays the best move of a tree search, or samples among the moves it visited.

    With `reuse` it keeps the tree of one game, as long as the same record goes on.
    """

    name: str
    simulations: int | None = None
    seconds: float | None = None
    #: of tree search, by name; see `core/search/options.hpp`
    options: Mapping[str, Any] = field(default_factory=dict)
    core_evaluator: str = "rollout"
    #: of the linear evaluator; 0 for the game's own
    scale: float = 0.0
    reuse: bool = False
    #: 0 plays the best move; otherwise moves are sampled by policy^(1 / temperature)
    temperature: float = 0.0
    #: plies of the game during which moves are sampled; 0 for all
    temperature_plies: int = 0
    oracles: OracleChoice = NO_ORACLE
    _tree: TreeSearch | None = field(default=None, repr=False, compare=False)
    _record: ReferenceType[Record] | None = field(default=None, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the best move, or one sampled by the search's policy."""
        analysis = self._search(record, rng, line_length=1)
        samples = not self.temperature_plies or record.plies < self.temperature_plies
        if self.temperature > 0 and samples and not analysis.proven:
            return sample_move(analysis.moves, self.temperature, rng)
        return analysis.best

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return everything the search found."""
        return self._search(record, rng, line_length=8)

    def evaluator(self, game: Game) -> str | Evaluator:
        """Return what evaluates leaves."""
        return self.core_evaluator

    def _search(self, record: Record, rng: random.Random, line_length: int) -> Analysis:
        seed = rng.getrandbits(63)
        tree = self._tree
        # A tree of another record would make moves depend on the games played before.
        if tree is None or self._record is None or self._record() is not record:
            tree = TreeSearch(
                record.game,
                search_options(record.game, **self.options),
                evaluator=self.evaluator(record.game),
                scale=self.scale,
                seed=seed,
                reuse=self.reuse,
                oracle=self.oracles.oracle(record.game),
            )
        self._tree, self._record = (tree, ref(record)) if self.reuse else (None, None)
        return tree.search(record, self.simulations, self.seconds, line_length)


def sample_move(reports: tuple[MoveReport, ...], temperature: float, rng: random.Random) -> Move:
    """Sample a move with a probability proportional to policy^(1 / temperature)."""
    # Relative to the largest, so that a low temperature does not make all of them zero.
    most = max(report.policy or 0.0 for report in reports)
    weights = [((report.policy or 0.0) / most) ** (1.0 / temperature) for report in reports]
    return rng.choices(reports, weights)[0].move


#: options of tree search that every agent with a tree has
TREE_OPTIONS = tuple(
    declared_option(info, **({"default": "uct"} if name == "rule" else {}))
    for name, info in DECLARED.items()
)
TEMPERATURE_OPTIONS = (
    Option("temperature", 0.0, "0 plays the best move.", low=0, high=100, decimal=True),
    Option("temperature_plies", 0, "Plies during which moves are sampled.", low=1, high=10**6),
)


def tree_options(given: Mapping[str, Value]) -> dict[str, Any]:
    """Return the options of tree search among an agent's, checked against the rule."""
    values = {
        name: declared_value(info, given[name]) for name, info in DECLARED.items() if name in given
    }
    check_rule(values)
    alpha = values["dirichlet_alpha"] != DECLARED["dirichlet_alpha"].default
    if alpha and not values["dirichlet_weight"]:
        raise OptionError("'dirichlet_alpha' needs a 'dirichlet_weight'.")
    if given["temperature_plies"] and not given["temperature"]:
        raise OptionError("'temperature_plies' needs a 'temperature'.")
    return values


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    simulations, seconds = int(given["sims"]) or None, float(given["time"]) or None
    if simulations is None and seconds is None:
        raise OptionError("'mcts' needs a limit: sims=800 or time=0.5, say.")
    rule = str(given["rule"])
    if RULES[rule].needs_budget and simulations is None:
        raise OptionError(f"'rule={rule}' plans its simulations in advance, so it needs 'sims'.")
    if given["scale"] and given["evaluator"] != "linear":
        raise OptionError("'scale' is for 'evaluator=linear'.")
    if given["reuse"] == "on" and not RULES[rule].reuses_tree:
        raise OptionError(f"'rule={rule}' starts a new tree at every move.")
    # A solution has a value for every position, so nothing is left to evaluate.
    solution = given["evaluator"] == "solution"
    return TreeAgent(
        name,
        simulations,
        seconds,
        tree_options(given),
        "uniform" if solution else str(given["evaluator"]),
        scale=float(given["scale"]),
        reuse=given["reuse"] == "on",
        temperature=float(given["temperature"]),
        temperature_plies=int(given["temperature_plies"]),
        oracles=OracleChoice(int(given["endgames"]), solution),
    )


SPEC = AgentSpec(
    "mcts",
    "Monte-Carlo tree search",
    _build,
    options=(
        Option("sims", 0, "Simulations a move.", low=1, high=10**9),
        Option("time", 0, "Seconds a move.", low=0.001, high=86_400, decimal=True),
        *TREE_OPTIONS,
        Option("evaluator", "rollout", "Evaluator of leaves.", choices=(*EVALUATORS, "solution")),
        Option(
            "scale",
            0.0,
            "Scale of the linear evaluator; 0 for the game's own.",
            low=0,
            high=1000,
            decimal=True,
        ),
        Option("reuse", "off", "Keep the tree from move to move.", choices=("off", "on")),
        *TEMPERATURE_OPTIONS,
        ENDGAMES,
    ),
    main="sims",
    example="mcts:sims=100",
)
